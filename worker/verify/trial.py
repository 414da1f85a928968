"""Runs the stages of a trial for one framework and scenario, without a database."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import find_profile, resolve_parameters
from backend.core.errors import LoadFailed, NotFound, TachoError
from backend.core.statuses import TrialStatus
from worker.bench import Bench
from worker.pipeline.reporter import Reporter
from worker.runtime.base import CpuSets, Pod, PodSpec
from worker.runtime.building import BoundedLog
from worker.runtime.errors import RuntimeFailure
from worker.stages.assignment import Assignment
from worker.stages.build import Materials, build
from worker.stages.load import Loaded, load
from worker.stages.parts import SERVICE
from worker.stages.start import start
from worker.stages.verify import verify
from worker.stages.watch import Stop, Watch

LOAD_SECONDS = 3
# The service is cold and the machine may be busy: this checks answers, not speed.
_MOST = {"rate_rps": 100, "users": 10, "connections": 10}
# No more requests wait at once than the contract requires: a small pool is no fault.
_MOST_WAITING = 6
_MAX_FAILED_SHARE = 0.01
# A build uses all CPUs, and two builds at once would build shared parts twice.
_BUILDING = threading.Lock()


@dataclass
class VerifyOutcome:
    """How far a service came. `failure` is empty when all was well; `detail` says more."""

    framework: str
    scenario: str
    build_seconds: float = 0.0
    is_built_before: bool = False
    boot_ms: float | None = None
    checks: Sequence[Mapping[str, Any]] = ()
    requests: int = 0
    latency_p50_ms: float | None = None
    failure: str = ""
    log: str = ""

    @property
    def has_passed(self) -> bool:
        """Return whether all stages passed."""
        return not self.failure


class _LocalReporter(Reporter):
    """Reports stages to a callback instead of a database."""

    def __init__(self, assignment: Assignment, on_stage: Callable[[str], None]) -> None:
        super().__init__(assignment)
        self._on_stage = on_stage

    def _write_stage(self, stage: TrialStatus, _spent: Mapping[str, float]) -> None:
        self._on_stage(stage.value)

    def _publish(self, events: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Do nothing: there is no live view."""


class _LocalWatch(Watch):
    """Stops overdue trials only."""

    def _ask_database(self, renew: bool) -> Stop | None:  # noqa: ARG002
        return None


def try_service(
    bench: Bench,
    framework: str,
    scenario: str,
    profile: str | None = None,
    on_stage: Callable[[str], None] = lambda _stage: None,
) -> VerifyOutcome:
    """Build, start, verify and load a service; what goes wrong is in the outcome.

    Args:
        profile: slug of the profile whose load is sent; None for the scenario's default. A
            swept parameter takes its first value.

    Raises:
        NotFound: there is no such framework, scenario or profile.
    """
    catalogue = bench.read_catalogue()
    catalogue.get_framework(framework)
    manifest, _ = catalogue.get_scenario(scenario)
    assignment = _assign(framework, manifest, profile)
    reporter = _LocalReporter(assignment, on_stage)
    outcome = VerifyOutcome(framework, scenario)
    on_stage(TrialStatus.BUILDING.value)
    try:
        with _LocalWatch(assignment, is_stopping=lambda: False) as watch:
            _run_stages(bench, assignment, reporter, watch, outcome)
    except TachoError as error:
        outcome.failure = f"{error.title} ({reporter.stage}): {error.detail}"
        outcome.checks = error.fields.get("evidence", outcome.checks)
    return outcome


def _assign(framework: str, scenario: ScenarioManifest, slug: str | None) -> Assignment:
    profile = find_profile(scenario, slug)
    if profile is None:
        raise NotFound(f"The scenario {scenario.slug} has no profile {slug!r}.")
    defaults = profile.defaults
    short = {"warm_up_seconds": 0, "duration_seconds": LOAD_SECONDS}
    light = {name: min(most, defaults[name]) for name, most in _MOST.items() if name in defaults}
    if "rate_rps" in light and (delay_ms := defaults.get("delay_ms")):
        light["rate_rps"] = min(light["rate_rps"], max(1, _MOST_WAITING * 1000 // delay_ms))
    asked = {name: value for name, value in short.items() if name in defaults} | light
    cells, problems = resolve_parameters(profile, asked)
    assert not problems, problems
    trial_id = uuid4()
    return Assignment(
        trial_id=trial_id,
        attempt=1,
        run_id=uuid4(),
        cell_id=uuid4(),
        repetition=0,
        framework=framework,
        scenario=scenario.slug,
        kind=profile.kind,
        parameters=cells[0],
        seed=trial_id.int % 2**31,
    )


def _run_stages(
    bench: Bench, assignment: Assignment, reporter: Reporter, watch: Watch, outcome: VerifyOutcome
) -> None:
    log = BoundedLog()
    try:
        with _BUILDING:
            begun = time.monotonic()
            materials = build(bench, assignment, reporter, watch, log)
            outcome.build_seconds = time.monotonic() - begun
    except TachoError:
        outcome.log = log.text
        raise
    outcome.is_built_before = materials.service.artifact.cached
    reporter.enter(TrialStatus.STARTING)
    # Nothing is measured, so all parts share all CPUs: JVM services start in half the time.
    shared = tuple(sorted(bench.cpus.all))
    spec = PodSpec(
        str(assignment.run_id),
        str(assignment.trial_id),
        CpuSets(service=shared, load=shared, backing=shared),
        has_data=bool(materials.data),
    )
    with bench.runtime.open_pod(spec) as pod:
        watch.on_stop(pod.remove)
        try:
            _try_in_pod(bench, assignment, materials, reporter, watch, pod, outcome)
        except TachoError:
            names = [peer.name for peer, _ in materials.peers]
            outcome.log = "\n".join(_read_log(pod, name) for name in (*names, SERVICE))
            raise


def _read_log(pod: Pod, name: str) -> str:
    try:
        return pod.logs(name)
    except RuntimeFailure as failure:
        return failure.detail


def _try_in_pod(
    bench: Bench,
    assignment: Assignment,
    materials: Materials,
    reporter: Reporter,
    watch: Watch,
    pod: Pod,
    outcome: VerifyOutcome,
) -> None:
    started = start(pod, assignment, materials, watch)
    outcome.boot_ms = started.boot_ms
    reporter.enter(TrialStatus.VERIFYING)
    outcome.checks = verify(pod, started, watch)
    loaded = load(
        pod,
        assignment,
        started,
        reporter,
        watch,
        load_cpus=len(bench.cpus.load),
        memory_bytes=bench.load_memory_bytes,
        with_k6_summary=False,
    )
    outcome.requests = sum(second.requests for second in loaded.seconds)
    if loaded.latency.count:
        outcome.latency_p50_ms = loaded.latency.percentile(0.5) / 1e6
    _judge_load(loaded, outcome.requests)


def _judge_load(loaded: Loaded, requests: int) -> None:
    failed = sum(second.failed for second in loaded.seconds)
    errors: dict[str, int] = {}
    for second in loaded.seconds:
        for kind, count in second.errors.items():
            errors[kind] = errors.get(kind, 0) + count
    if requests == 0:
        raise LoadFailed("The service answered no request.")
    if errors.get("check", 0) or failed > requests * _MAX_FAILED_SHARE:
        counts = ", ".join(f"{kind}: {count}" for kind, count in sorted(errors.items()))
        shown = loaded.stderr.strip()[-500:]
        raise LoadFailed(
            f"Of {requests} requests, some failed or got wrong answers: {counts}. {shown}"
        )
