"""Runs the stages of a trial for one framework and scenario, without a database."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from backend.core.catalog.manifest import (
    FrameworkManifest,
    ImplementedScenario,
    ScenarioManifest,
)
from backend.core.catalog.profiles import Profile, find_profile
from backend.core.documents import ConformanceCheck
from backend.core.errors import NotFound, TachoError, VerificationFailed
from backend.core.measurement.measurements.answers import judge_answers
from backend.core.measurement.measurements.verdicts import ResultWarning, judge_errors
from worker.bench.bench import Bench
from worker.loadgen.parse import ScriptReport
from worker.runtime.base import CpuSets, Pod, PodRole
from worker.stages.assignment import make_assignment
from worker.stages.build import Materials
from worker.stages.context import TrialContext
from worker.stages.diagnosis import read_logs
from worker.stages.display import StageDisplay
from worker.stages.evidence import describe_answers
from worker.stages.parts import SERVICE
from worker.stages.runner import StageOutputs, run_stages
from worker.stages.start import ReadyService
from worker.stages.watch import Watch

LOAD_SECONDS = 3
# Low limits, because the service is cold and the machine may be busy: only answers are checked.
_MOST = {"rate_rps": 40, "users": 10, "connections": 10}
# The contract requires this many concurrent requests; a service may have a small pool.
_MOST_WAITING = 6
_SHOWN_CHARACTERS = 500
_SEED = 1
# Access logs name the method of a request, in any format.
_REQUEST_LINE = re.compile(r"\b(GET|POST)\b")
# Errors are logged with their request too: those of control requests, and of the checks. An access
# log also has the requests of the checks and of the wait for readiness.
_MOST_SHARE = 0.5
_MOST_ERROR_LINES = 50


@dataclass(frozen=True)
class VerifyLoad:
    """A load to send: a profile of the scenario, and parameters that differ from its defaults."""

    profile: str
    parameters: Mapping[str, int]


@dataclass
class VerifyOutcome:
    """The result of verifying a service.

    Attributes:
        build_seconds: None if the service was built before.
        is_refused: whether checks of the contract failed before the load.
        checks: of the contract, before the load; after the load if one failed there.
        verdicts: excluding verdicts about its answers under a short load.
        script: what a k6 script that sent the load tested itself.
        failure: why the service did not pass; empty if it passed.
        failed_stage: the stage that failed; empty if the answers are wrong, or nothing is.
        log: the output of the service, or of its build, if it did not pass.
    """

    framework: str
    scenario: str
    build_seconds: float | None = None
    is_refused: bool = False
    boot_ms: float | None = None
    checks: Sequence[ConformanceCheck] = ()
    verdicts: Sequence[ResultWarning] = ()
    requests: int = 0
    latency_p50_ms: float | None = None
    script: ScriptReport | None = None
    failure: str = ""
    failed_stage: str = ""
    log: str = ""

    @property
    def has_passed(self) -> bool:
        """Return whether all stages passed."""
        return not self.failure


def try_service(
    bench: Bench,
    framework: str,
    scenario: str,
    profile: str | None = None,
    on_stage: Callable[[str], None] = lambda _stage: None,
    load: VerifyLoad | None = None,
    on_verified: Callable[[TrialContext, Pod, Materials, ReadyService], None] | None = None,
) -> VerifyOutcome:
    """Build, start, verify and load a service; return the outcome, also if it fails.

    Args:
        profile: slug of the profile whose load is sent; None for the scenario's default. A
            swept parameter takes its first value.
        on_stage: called with the name of each stage that begins.
        load: the load to send, instead of a short and light load of `profile`.
        on_verified: called before the load, unless a check has failed.

    Raises:
        NotFound: there is no such framework, scenario or profile.
    """
    catalogue = bench.read_catalogue()
    manifest, _ = catalogue.get_scenario(scenario)
    implemented = catalogue.get_framework(framework)[0].scenarios[scenario]
    sent = load or _lighten(manifest, profile)
    profile_sent = _get_profile(manifest, sent.profile)
    assignment = make_assignment(framework, scenario, profile_sent, sent.parameters)
    if on_verified is not None:
        # The checks before send the same requests to all versions of a service.
        assignment = replace(assignment, seed=_SEED)
    display = StageDisplay(on_stage)
    with Watch(assignment.trial_id, is_stopping=lambda: False) as watch:
        context = TrialContext(_share_cpus(bench), assignment, display, watch)
        if on_verified is not None:
            context = replace(context, on_verified=partial(on_verified, context))
        try:
            return run_stages(context, _judge)
        except TachoError as error:
            return VerifyOutcome(
                framework,
                scenario,
                is_refused=isinstance(error, VerificationFailed),
                checks=error.evidence,
                failure=f"{error.title} ({display.stage}): {error.detail}",
                failed_stage=display.stage,
                log=_select_logs(context, implemented),
            )


def _share_cpus(bench: Bench) -> Bench:
    """Return the bench with all parts of a trial on all its CPUs.

    Nothing is measured, and services on a JVM start in half the time.
    """
    shared = tuple(sorted(bench.cpus.all))
    cpus = CpuSets(service=shared, load=shared, backing=shared)
    return replace(bench, cpus=cpus, keeps_k6_summary=False)


def _lighten(scenario: ScenarioManifest, slug: str | None) -> VerifyLoad:
    """Return a short and light load of a profile."""
    profile = _get_profile(scenario, slug)
    defaults = profile.defaults
    short = {"warm_up_seconds": 0, "duration_seconds": LOAD_SECONDS}
    light = {name: min(most, defaults[name]) for name, most in _MOST.items() if name in defaults}
    if "rate_rps" in light and (delay_ms := defaults.get("delay_ms")):
        light["rate_rps"] = min(light["rate_rps"], max(1, _MOST_WAITING * 1000 // delay_ms))
    return VerifyLoad(
        profile.slug, {name: value for name, value in short.items() if name in defaults} | light
    )


def _get_profile(scenario: ScenarioManifest, slug: str | None) -> Profile:
    profile = find_profile(scenario, slug)
    if profile is None:
        raise NotFound(f"The scenario {scenario.slug} has no profile {slug!r}.")
    return profile


def _select_logs(context: TrialContext, implemented: ImplementedScenario) -> str:
    """Return the output of the peers and the service, or of the build if none has started."""
    names = (*(peer.name for peer in implemented.peers), SERVICE)
    logs = [context.logs[name] for name in names if name in context.logs]
    return "\n".join(logs) or context.logs.get("build", "")


def _judge(context: TrialContext, pod: Pod, outputs: StageOutputs) -> VerifyOutcome:
    """Return the outcome of a service that passed the checks before the load.

    The verdicts about its answers are those of a measured trial. Verdicts about the host and the
    load generator have no meaning here, because all parts share the CPUs.
    """
    assignment, seconds = context.assignment, outputs.load.seconds
    errors = judge_errors(seconds, assignment.kind)
    verdicts = [
        *judge_answers(describe_answers(assignment, outputs, has_full_cpu=False)),
        *([errors] if errors else []),
    ]
    requests = sum(second.requests for second in seconds)
    logs = read_logs(pod)
    # The contract of frameworks forbids access logs. An own service may write one.
    has_contract = isinstance(outputs.materials.framework, FrameworkManifest)
    access_logs = [
        found
        for name, role in pod.services.items()
        if has_contract
        and role is PodRole.SERVICE
        and (found := find_access_log(name, logs[name], requests))
    ]
    named = [*(f"{warning.verdict}: {warning.detail}" for warning in verdicts), *access_logs]
    shown = outputs.load.stderr.strip()[-_SHOWN_CHARACTERS:]
    latency = outputs.load.latency
    if named:
        context.logs.update(logs)
    return VerifyOutcome(
        assignment.framework,
        assignment.scenario,
        build_seconds=outputs.materials.build_seconds,
        boot_ms=outputs.ready.boot_ms,
        checks=outputs.after.checks if outputs.after.failed else outputs.before.checks,
        verdicts=verdicts,
        requests=requests,
        latency_p50_ms=latency.percentile(0.5) / 1e6 if latency.count else None,
        script=outputs.load.end.script,
        failure=" ".join([*named, shown]).strip() if named else "",
        log=_select_logs(context, outputs.materials.implemented) if named else "",
    )


def find_access_log(name: str, log: str, requests: int) -> str | None:
    """Return a sentence if a service wrote a line for each request; None if it did not.

    The contract forbids such a log.

    Args:
        log: the last lines of the service's log.
        requests: the number of requests of the load.
    """
    lines = sum(1 for line in log.splitlines() if _REQUEST_LINE.search(line))
    if lines <= max(_MOST_SHARE * requests, _MOST_ERROR_LINES):
        return None
    return (
        f"{name.capitalize()} wrote {lines:,} lines about requests to its log during "
        f"{requests:,} requests. Switch its access log off."
    )
