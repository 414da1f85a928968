"""Several services of a trial are measured as a whole, and each has its own log and secrets."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from backend.core.catalog.manifest import (
    Argv,
    FrameworkManifest,
    ImplementedScenario,
    Peer,
    ScenarioManifest,
    parse_manifest,
)
from backend.core.config import ROOT
from backend.core.units import RuntimeKind
from worker.runtime.base import BuildRequest, Pod, PodRole, PodSpec, Runtime
from worker.runtime.errors import StartFailed
from worker.stages.build import BuiltProgram, Materials
from worker.stages.context import TrialContext
from worker.stages.parts import SERVICE
from worker.stages.start import start
from worker.tests.runtime.bench import CPUS, ignore, never
from worker.tests.stages.contexts import make_assignment, make_context

_MANIFEST = ROOT / "worker/tests/fixtures/plain-service/service.toml"
_SCENARIOS = ROOT / "services/scenarios"
_PEERS = ("first", "second")
_KEPT_MIB = 48
_BOOT_MS = 400
_HOUR_NS = 3600 * 10**9


@contextmanager
def open_pod(
    runtime: Runtime, request: BuildRequest, scenario: str, *, has_data: bool = False
) -> Iterator[tuple[TrialContext, Pod, BuiltProgram]]:
    """Open the pod of a trial of the plain service, and build the service."""
    assignment = make_assignment("plain-service", scenario)
    spec = PodSpec(str(assignment.run_id), str(assignment.trial_id), CPUS, has_data=has_data)
    built = BuiltProgram(request, runtime.build(request, ignore, never))
    with runtime.open_pod(spec) as pod:
        yield make_context(runtime, assignment), pod, built


def test_peers_count_into_boot_and_memory_and_have_logs(
    runtime: Runtime, plain_service: BuildRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody sets the wall clock meanwhile, which does not change the boot time."""
    read_ns = time.time_ns
    with open_pod(runtime, plain_service, "hello-gateway") as (context, pod, built):
        monkeypatch.setattr(time, "time_ns", lambda: read_ns() + _HOUR_NS)
        ready = start(context, pod, _plan("hello-gateway", built))
        last = pod.read(PodRole.SERVICE)
        logs = {name: pod.logs(name) for name in (*_PEERS, SERVICE)}

    assert len(_PEERS) * _BOOT_MS <= ready.boot_ms < 10_000
    kept_bytes = len(_PEERS) * _KEPT_MIB * 2**20
    for reading in (ready.idle, last):
        assert kept_bytes < reading.memory_anon_bytes < 1.5 * kept_bytes
        assert reading.memory_peak_bytes > kept_bytes
    signing_key = f"signing key {ready.environment['TACHO_SIGNING_KEY']}"
    assert all(signing_key in logs[name] for name in _PEERS)
    assert "signing key" in logs[SERVICE]
    assert signing_key not in logs[SERVICE]


def test_only_peers_see_the_data_that_belongs_to_peers(
    runtime: Runtime, plain_service: BuildRequest
) -> None:
    opened = open_pod(runtime, plain_service, "universities", has_data=True)
    with opened as (context, pod, built):
        ready = start(context, pod, _plan("universities", built))
        logs = {name: pod.logs(name) for name in (*_PEERS, SERVICE)}

    assert ready.environment["TACHO_DATA"]
    assert all("1 data files" in logs[name] for name in _PEERS)
    assert "0 data files, /data is there: false" in logs[SERVICE]


def _plan(slug: str, built: BuiltProgram) -> Materials:
    """Return two peers that are slow and use memory, and a service that uses almost none."""
    slow = {"BOOT_MS": str(_BOOT_MS), "KEEP_MIB": str(_KEPT_MIB)}
    peers = tuple(Peer(name=name, environment=slow) for name in _PEERS)
    scenario = parse_manifest(ScenarioManifest, _SCENARIOS / slug / "scenario.toml")
    implemented = {scenario.slug: ImplementedScenario(peers=peers)}
    framework = parse_manifest(FrameworkManifest, _MANIFEST)
    return Materials(
        framework=framework.model_copy(update={"scenarios": implemented}),
        scenario=scenario,
        scenario_folder=_SCENARIOS / slug,
        scenario_digest="",
        service=built,
        peers=[(peer, built) for peer in peers],
        backing_services={},
    )


class Endless(FrameworkManifest):
    """A service whose command to prepare data is the service itself."""

    def find_preparation(self, runtime: RuntimeKind) -> Argv | None:
        return ("/plain-service",) if runtime is RuntimeKind.DOCKER else ("./plain-service",)


def test_a_preparation_that_does_not_end_fails_the_start(
    runtime: Runtime, plain_service: BuildRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.stages.start._PREPARATION_SECONDS", 1)
    message = "The command `prepare` still ran after 1 s"
    with open_pod(runtime, plain_service, "hello") as (context, pod, built):
        framework = parse_manifest(Endless, _MANIFEST)
        materials = replace(_plan("hello", built), framework=framework, peers=[])
        with pytest.raises(StartFailed, match=message) as raised:
            start(context, pod, materials)

        assert "plain service begins" in raised.value.log
        assert SERVICE not in pod.services
