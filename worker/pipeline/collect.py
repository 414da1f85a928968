"""Collect: store a trial's seconds, metrics and verdicts in one transaction."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from sqlalchemy.orm import Session

from backend.core.cpus import explain_sharing
from backend.core.measurements import repository as measurements
from backend.core.measurements.series import measured
from backend.core.measurements.steps import list_steps
from backend.core.measurements.summary import (
    TrialFacts,
    describe_lateness,
    summarise,
    summarise_steps,
)
from backend.core.measurements.verdicts import Conditions, judge_trial
from backend.core.models import TrialHistogram
from backend.core.runs import trials
from backend.core.units import Metric, ProfileKind, RuntimeKind
from worker.bench import Bench
from worker.fingerprint import digest_harness
from worker.runtime.base import ResourceReading
from worker.stages.assignment import Assignment
from worker.stages.build import Materials
from worker.stages.load import Loaded
from worker.stages.start import Started
from worker.transactions import run_transaction


def collect(
    bench: Bench,
    assignment: Assignment,
    materials: Materials,
    started: Started,
    loaded: Loaded,
    last: ResourceReading,
    conformance: list[dict[str, object]],
    put_logs: Callable[[Session], None] = lambda _session: None,
    is_stopping: Callable[[], bool] = lambda: False,
) -> None:
    """Store the results of a trial; `last` is the service's reading after the load.

    A finished measurement is never lost: the write is repeated during an outage of the database,
    and fails only if another attempt has claimed the trial. `put_logs` writes its logs.

    Raises:
        TakenOver: another attempt has claimed the trial.
    """
    seconds = measured(loaded.seconds)
    artifacts = materials.artifacts
    fresh_seconds = [artifact.build_seconds for artifact in artifacts if not artifact.cached]
    facts = TrialFacts(
        latency=loaded.latency,
        latency_sum_ns=loaded.latency_sum_ns,
        latency_max_ns=loaded.latency_max_ns,
        first_byte=loaded.first_byte,
        boot_ms=started.boot_ms,
        first_response_ms=started.first_response_ms,
        idle_memory_bytes=started.idle.memory_bytes or None,
        memory_peak_bytes=last.memory_peak_bytes or None,
        build_seconds=sum(fresh_seconds) if fresh_seconds else None,
        image_bytes=sum(artifact.size_bytes for artifact in artifacts),
    )
    metrics = summarise(seconds, facts)
    mean_latency_ms = metrics.get(Metric.LATENCY_MEAN_MS)
    if assignment.kind is ProfileKind.STEPS:
        metrics = summarise_steps(metrics, list_steps(seconds, assignment.parameters))
    generator = describe_lateness(loaded.lateness)
    conditions = Conditions(
        kind=assignment.kind,
        parameters=assignment.parameters,
        service_cpus=len(bench.cpus.service),
        load_cpus=len(bench.cpus.load),
        backing_cpus=len(bench.cpus.backing),
        trial_cpus=len(bench.cpus.all),
        has_backing_services=bool(materials.backing_services),
        mean_latency_ms=mean_latency_ms,
        never_steady=loaded.warm_up.detail if loaded.warm_up.is_steady is False else None,
        late_p99_ms=generator["late_p99_ms"] if generator else None,
    )

    def write(session: Session) -> None:
        trial = trials.resume(session, assignment.claim)
        put_logs(session)
        measurements.replace_measurements(
            session,
            assignment.trial_id,
            seconds=loaded.seconds,
            histogram=TrialHistogram(
                trial_id=assignment.trial_id,
                latency=loaded.latency.to_varints(),
                latency_failed=loaded.latency_failed.to_varints(),
                latency_sum_ns=loaded.latency_sum_ns,
                latency_max_ns=loaded.latency_max_ns,
            ),
            metrics=metrics,
        )
        trial.conformance = conformance
        trial.verdicts = [asdict(warning) for warning in judge_trial(seconds, conditions)]
        trial.warm_up = asdict(loaded.warm_up)
        trial.generator = generator
        trial.requests_total = sum(second.requests for second in seconds)
        trial.k6_summary = asdict(loaded.end.k6_summary) if loaded.end.k6_summary else None
        trial.image_digest = materials.digest
        trial.environment = _environment(bench, materials, loaded)

    run_transaction(write, is_stopping)


def _environment(bench: Bench, materials: Materials, loaded: Loaded) -> dict[str, Any]:
    images = ", ".join(artifact.reference for artifact in materials.artifacts)
    is_image = bench.runtime.kind is RuntimeKind.DOCKER
    return {
        "host": bench.fingerprint,
        "host_digest": bench.fingerprint_digest,
        "harness": bench.harness,
        "harness_digest": digest_harness(bench.harness, materials.scenario_digest),
        "runtime": bench.runtime.kind,
        "cpus": bench.cpus.by_name(),
        "cpu_sharing": explain_sharing(bench.cpus.by_name()),
        "resource_source": loaded.resource_source,
        "framework_digest": materials.digest,
        "builds": materials.builds,
        "scenario_digest": materials.scenario_digest,
        # Without an engine it would be a private path of this machine.
        "image": images if is_image else None,
        "memory_limit_mb": materials.service.request.docker.memory_mb,
    }
