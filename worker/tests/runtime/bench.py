"""Drives a pod in tests: starts the plain service and sends requests to it from inside the pod."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from backend.tests.waiting import LIMIT_S
from worker.runtime.base import (
    Artifact,
    BuildRequest,
    Pod,
    PodRole,
    PodSpec,
    Runtime,
    ServiceSpec,
    StartedService,
)
from worker.runtime.cpus import plan_own_cpus
from worker.runtime.exit import Exit

CPUS = plan_own_cpus().sets
SERVICE = "service"
MEMORY_MB = 128
_GET = b"""
import http from "k6/http";
import { emit } from "k6/x/tacho";
export default function () {
  const response = http.get(__ENV.URL, { timeout: "60s" });
  emit({ status: response.status, body: response.body });
}
"""
PLAIN_LOAD = b"""
import { defineLoad } from './lib/load.js';
export const { options, run } = defineLoad({ requests: [{ path: '/', expect: { pattern: /./ } }] });
export default run;
"""
LONG_LOAD = b"""
import { sleep } from "k6";
import { emit } from "k6/x/tacho";
export const options = { vus: 1, duration: "60s" };
export default function () { emit({ type: "tick" }); sleep(0.1); }
export function teardown() { emit({ type: "end" }); }
"""


@dataclass(frozen=True)
class Bench:
    """A pod in which the plain service runs and is ready."""

    pod: Pod
    base_url: str
    scripts: str
    started: StartedService
    ready_wall_ns: int

    def get(self, path: str) -> str:
        """Return the body of a GET to the service, sent from inside the pod."""
        execution = self.pod.execute(
            ["k6", "run", "--quiet", "--summary-mode=disabled", f"{self.scripts}/get.js"],
            {"URL": self.base_url + path},
        )
        lines = [line for line in execution.lines() if line.startswith("{")]
        assert execution.wait(LIMIT_S).is_success, execution.stderr
        return str(json.loads(lines[0])["body"])

    def facts(self) -> dict[str, Any]:
        """Return the facts that the service reports about its environment."""
        facts: dict[str, Any] = json.loads(self.get("/facts"))
        return facts


def ignore(_line: str) -> None:
    """Takes a build's log."""


def never() -> bool:
    """Is never cancelled."""
    return False


def new_pod_spec() -> PodSpec:
    """Return the specification of a pod for a new trial."""
    return PodSpec(run_id=str(uuid4()), trial_id=str(uuid4()), cpus=CPUS)


def service_spec(
    artifact: Artifact, request: BuildRequest, port: int, environment: Mapping[str, str]
) -> ServiceSpec:
    """Return the plain service in the role of the service under test."""
    return ServiceSpec(SERVICE, PodRole.SERVICE, artifact, request, port, environment, MEMORY_MB)


@contextmanager
def open_bench(runtime: Runtime, request: BuildRequest, spec: PodSpec) -> Iterator[Bench]:
    """Open a bench, and remove it at the end."""
    with runtime.open_pod(spec) as pod:
        yield start_bench(runtime, pod, request)


def start_bench(runtime: Runtime, pod: Pod, request: BuildRequest) -> Bench:
    """Build, start and wait until the service is ready."""
    return start_artifact(pod, runtime.build(request, ignore, never), request)


def start_artifact(pod: Pod, artifact: Artifact, request: BuildRequest) -> Bench:
    """Start a built service and wait until it is ready."""
    port = pod.reserve_port(8080)
    base_url = f"http://127.0.0.1:{port}"
    scripts = pod.put_files({"get.js": _GET, "long.js": LONG_LOAD, "lib/words.js": b"//"})
    started = pod.start(service_spec(artifact, request, port, {"GREETING": "the world"}))
    ready = pod.execute(
        ["k6", "ready", "--url", f"{base_url}/health", "--first", base_url, "--timeout", "20s"], {}
    )
    lines = list(ready.lines())
    assert ready.wait(LIMIT_S).is_success, lines
    return Bench(pod, base_url, scripts, started, int(json.loads(lines[-1])["ready_wall_ns"]))


def run_to_end(
    runtime: Runtime, request: BuildRequest, memory_mb: int = MEMORY_MB
) -> tuple[Exit, str]:
    """Build and start a service that ends by itself; return its end and its log."""
    artifact = runtime.build(request, ignore, never)
    with runtime.open_pod(new_pod_spec()) as pod:
        spec = service_spec(artifact, request, pod.reserve_port(8080), {})
        pod.start(replace(spec, memory_mb=memory_mb))
        while (end := pod.find_exit(SERVICE)) is None:
            time.sleep(0.02)
        return end, pod.logs(SERVICE)


def seconds_since(begin: float) -> float:
    """Since a `time.monotonic()`."""
    return time.monotonic() - begin
