"""Evaluates a finished trial: its metrics, and the warnings about its load and its answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.core.documents import Lateness, ResponseChecks
from backend.core.measurement.measurements.answers import judge_answers
from backend.core.measurement.measurements.series import measured
from backend.core.measurement.measurements.steadiness import Steadiness, find_drift
from backend.core.measurement.measurements.steps import list_steps
from backend.core.measurement.measurements.summary import (
    TrialFacts,
    describe_lateness,
    summarise,
    summarise_cold,
    summarise_count,
    summarise_steps,
)
from backend.core.measurement.measurements.verdicts import (
    Conditions,
    ResultWarning,
    is_full,
    judge_trial,
)
from backend.core.units import Metric, ProfileKind
from worker.loadgen.parse import ScriptReport
from worker.stages.context import TrialContext
from worker.stages.evidence import describe_answers
from worker.stages.runner import StageOutputs


@dataclass(frozen=True)
class Evaluation:
    """The metrics and warnings of a trial, and how its load was sent and answered.

    `script` is None unless a k6 script sent the load itself.
    """

    metrics: Mapping[Metric, float]
    warnings: Sequence[ResultWarning]
    lateness: Lateness | None
    checks: ResponseChecks
    requests: int
    script: ScriptReport | None


def evaluate(context: TrialContext, outputs: StageOutputs) -> Evaluation:
    """Return what the outputs of the stages show about a trial."""
    assignment, seconds = context.assignment, measured(outputs.load.seconds)
    metrics = summarise(seconds, _list_facts(outputs))
    mean_latency_ms = metrics.get(Metric.LATENCY_MEAN_MS)
    if assignment.kind is ProfileKind.STEPS:
        metrics = summarise_steps(metrics, list_steps(seconds, assignment.parameters))
    if assignment.kind is ProfileKind.COUNT:
        metrics = summarise_count(metrics)
    metrics = metrics | summarise_cold(outputs.load.seconds)
    drift = find_drift(seconds, assignment.kind)
    # A service that still compiles gets faster later, however little it changes now.
    if drift is not None and not outputs.load.warm_up.has_obstacle:
        metrics = metrics | {Metric.WINDOW_DRIFT_RATIO: drift}
    lateness = describe_lateness(outputs.load.lateness)
    late_p99_ms = lateness["late_p99_ms"] if lateness else None
    conditions = _describe_conditions(context, outputs, mean_latency_ms, late_p99_ms)
    requests = sum(second.requests for second in seconds)
    has_full_cpu = is_full(metrics.get(Metric.CPU_CORES), conditions.service_cpus)
    answers = describe_answers(assignment, outputs, has_full_cpu=has_full_cpu)
    warnings = [*judge_answers(answers), *judge_trial(seconds, conditions)]
    script = outputs.load.end.script
    return Evaluation(metrics, warnings, lateness, answers.checks, requests, script)


def _list_facts(outputs: StageOutputs) -> TrialFacts:
    finished, ready, materials = outputs.load, outputs.ready, outputs.materials
    return TrialFacts(
        latency=finished.latency,
        latency_sum_ns=finished.latency_sum_ns,
        latency_max_ns=finished.latency_max_ns,
        first_byte=finished.first_byte,
        boot_ms=ready.boot_ms,
        first_response_ms=ready.first_response_ms,
        idle_memory_bytes=ready.idle.memory_bytes or None,
        memory_peak_bytes=outputs.last.memory_peak_bytes or None,
        build_seconds=materials.build_seconds,
        image_bytes=sum(artifact.size_bytes for artifact in materials.artifacts),
    )


def _describe_conditions(
    context: TrialContext,
    outputs: StageOutputs,
    mean_latency_ms: float | None,
    late_p99_ms: float | None,
) -> Conditions:
    cpus, warm_up = context.bench.cpus, outputs.load.warm_up
    return Conditions(
        kind=context.assignment.kind,
        parameters=context.assignment.parameters,
        service_cpus=len(cpus.service),
        load_cpus=sum(len(host["cpus"]) for host in outputs.load.load_hosts) or len(cpus.load),
        backing_cpus=len(cpus.backing),
        trial_cpus=len(cpus.all),
        has_backing_services=bool(outputs.materials.backing_services),
        mean_latency_ms=mean_latency_ms,
        warm_up=Steadiness(warm_up.is_steady, warm_up.detail),
        late_p99_ms=late_p99_ms,
        timed_requests=outputs.load.latency.count,
        script_shares=outputs.load.script_shares,
    )
