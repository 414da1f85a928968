"""Measure the cost of sampling CPU and memory in each available runtime: `make bench-sampling`.

It measures the sampler's thread next to a pod under load. As an upper bound, it also measures the
whole worker during real trials, which also reads the load generator's lines and serves the live
view. The
last line is one JSON object.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import psutil

from backend.core.catalog.folders import Catalogue
from backend.core.config import get_settings
from backend.core.units import RuntimeKind
from backend.platform.tools import resolve_tools
from tools.benchmarks.measuring import open_stack, print_result
from tools.benchmarks.needs import check_docker
from tools.benchmarks.programs import find_k6
from tools.benchmarks.stack import Stack
from worker.loadgen.command import ready_command
from worker.runtime.base import BuildRequest, Pod, PodRole, PodSpec, Runtime, ServiceSpec
from worker.runtime.cpus import plan_own_cpus
from worker.runtime.docker import DockerRuntime
from worker.runtime.errors import RuntimeUnavailable
from worker.runtime.process import ProcessRuntime
from worker.sampling.sampler import ResourceSampler

_ROUNDS = 5
_ROUND_SECONDS = 5
_GOALS = {"sampler_percent_of_a_core": 1.0}
_FRAMEWORK, _BACKING_SERVICE = "go-nethttp", "mock-upstream"
_SIGNING_KEY = "0" * 64
_CELL = {
    "framework": _FRAMEWORK,
    "scenario": "hello",
    "profile": "rate-quick",
    "parameters": {
        "warm_up_seconds": 1,
        "duration_seconds": _ROUND_SECONDS,
        "rate_rps": 1000,
    },
}


def main() -> None:
    """Print the table and the JSON line. `met` is true if the goal is met."""
    figures: dict[str, dict[str, float]] = {}
    print(f"{'':12}{'sampler':>14}{'max':>8}{'whole worker':>14}{'max':>8}   % of a core")
    for kind in RuntimeKind:
        with tempfile.TemporaryDirectory(prefix="tacho-bench-") as folder:
            try:
                sampler = measure_sampler(kind, Path(folder))
                worker = measure_worker(kind)
            except RuntimeUnavailable as error:
                print(f"{kind:12}left out: {error.reason}")
                continue
        figures[kind] = {
            "sampler_percent": round(statistics.median(sampler), 3),
            "sampler_percent_max": round(max(sampler), 3),
            "worker_percent": round(statistics.median(worker), 2),
            "worker_percent_max": round(max(worker), 2),
            "sampler_share_of_worker": round(
                statistics.median(sampler) / statistics.median(worker), 2
            ),
        }
        shown = list(figures[kind].values())
        print(f"{kind:12}{shown[0]:14.3f}{shown[1]:8.3f}{shown[2]:14.2f}{shown[3]:8.2f}")
    goal = _GOALS["sampler_percent_of_a_core"]
    met = bool(figures) and all(figure["sampler_percent"] <= goal for figure in figures.values())
    print_result("sampling", figures, _GOALS, met=met)


def measure_sampler(kind: RuntimeKind, data: Path) -> list[float]:
    """Return the CPU time of the sampler's thread in each round, as percent of a core."""
    with open_pod(kind, data) as pod:
        return [_sample(pod) for _ in range(_ROUNDS)]


def _sample(pod: Pod) -> float:
    spent: list[float] = []
    # The callback runs in the sampler's own thread.
    sampler = ResourceSampler(pod, lambda _row: spent.append(time.thread_time()))
    sampler.start_at(time.monotonic_ns(), _ROUND_SECONDS + 1)
    rows = sampler.get_rows(_ROUND_SECONDS + 10)
    if any(row.source == "none" or not row.resources.memory_bytes for row in rows):
        raise RuntimeError("The sampler read nothing, so its cost is unknown.")
    return (spent[-1] - spent[0]) / _ROUND_SECONDS * 100


@contextmanager
def open_pod(kind: RuntimeKind, data: Path) -> Iterator[Pod]:
    """Yield a pod with a service, its backing services, and a busy load generator."""
    settings = get_settings()
    runtime = _make_runtime(kind, data)
    runtime.check()
    catalogue = Catalogue(settings.services_dir)
    spec = PodSpec(str(uuid4()), str(uuid4()), plan_own_cpus().sets)
    url = ""
    with runtime.open_pod(spec) as pod:
        for name, role, (manifest, folder) in (
            (_BACKING_SERVICE, PodRole.BACKING, catalogue.backing_services[_BACKING_SERVICE]),
            ("service", PodRole.SERVICE, catalogue.get_framework(_FRAMEWORK)),
        ):
            # The service is built again in a separate folder, quickly because of the engine's
            # cached layers.
            request = BuildRequest(
                manifest.slug, folder, f"bench{uuid4().hex}", manifest.docker, manifest.process
            )
            artifact = runtime.build(request, lambda _line: None, lambda: False)
            port = pod.reserve_port(8080 if role is PodRole.SERVICE else 9000)
            environment = {"SIGNING_KEY": _SIGNING_KEY}
            pod.start(ServiceSpec(name, role, artifact, request, port, environment, 256))
            url = f"http://127.0.0.1:{port}/health"
            execution = pod.execute(ready_command("k6", url), {})
            if not execution.wait(30).is_success:
                raise RuntimeError(f"{name} does not answer: {execution.stderr}")
        folder_in_pod = pod.put_files({"load.js": _LOAD})
        load = pod.execute(
            ["k6", "run", "--quiet", "--summary-mode=disabled", f"{folder_in_pod}/load.js"],
            {"URL": url},
        )
        yield pod
        load.interrupt()
        with suppress(TimeoutError):
            load.wait(10)


_LOAD = b"""
import http from 'k6/http';
export const options = {
  scenarios: {
    load: {
      executor: 'constant-arrival-rate',
      rate: 500, duration: '10m', preAllocatedVUs: 20, maxVUs: 50,
    },
  },
};
export default function () { http.get(__ENV.URL); }
"""


def _make_runtime(kind: RuntimeKind, data: Path) -> Runtime:
    settings = get_settings()
    bases = check_docker() if kind is RuntimeKind.DOCKER else None
    k6 = find_k6()
    if bases is None:
        return ProcessRuntime(k6, data, resolve_tools())
    return DockerRuntime(k6, bases, data, settings.cgroup_root)


def measure_worker(kind: RuntimeKind) -> list[float]:
    """Return the CPU time of the whole worker in the measured window of each trial, in percent of a
    core."""
    with open_stack("bench-sampling", kind) as stack:
        worker = psutil.Process(stack.get_pid("worker"))
        stack.api.await_run(stack.create_run([_CELL]), 600)  # builds the service if necessary
        return [_measure_trial(stack, worker) for _ in range(_ROUNDS)]


def _measure_trial(stack: Stack, worker: psutil.Process) -> float:
    run = stack.create_run([_CELL])
    stack.api.await_stage(run, frozenset({"measuring"}), 120)
    before, begin = _cpu_seconds(worker), time.monotonic()
    time.sleep(_ROUND_SECONDS - 1)
    spent = (_cpu_seconds(worker) - before) / (time.monotonic() - begin) * 100
    stack.api.await_success(run, 60)
    return spent


def _cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU time of the process's own threads, without its children."""
    nanoseconds = 0
    for path in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
        with suppress(OSError):  # a thread that has ended meanwhile
            nanoseconds += int(path.read_text(encoding="ascii").split()[0])
    return nanoseconds / 1e9


if __name__ == "__main__":
    main()
