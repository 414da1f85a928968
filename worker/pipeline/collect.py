"""Collect the results of a trial, and store them in one transaction."""

from dataclasses import asdict
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog.build_sources import list_unrecorded, record_source
from backend.core.catalog.manifest import FrameworkManifest
from backend.core.documents import (
    StoredWarmUp,
    StoredWarning,
    TrialEnvironment,
)
from backend.core.measurement.measurements import repository as measurements
from backend.core.models import Trial
from backend.core.runs.trials import service as trials
from backend.core.units import (
    Isolation,
    LatencyStart,
    RuntimeKind,
    ServiceNetwork,
)
from worker.bench.bench import Bench
from worker.bench.fingerprint import digest_harness
from worker.bench.isolation import explain_isolation, explain_unlimited_memory
from worker.runtime.base import Pod
from worker.stages.build import Materials
from worker.stages.context import TrialContext
from worker.stages.diagnosis import read_logs
from worker.stages.evaluation import Evaluation, evaluate
from worker.stages.load import FinishedLoad
from worker.stages.runner import StageOutputs
from worker.transactions import run_transaction


def collect(context: TrialContext, pod: Pod, outputs: StageOutputs) -> None:
    """Read the logs of the pod and store the results of the trial.

    Raises:
        TakenOver: another attempt has claimed the trial.
    """
    context.logs.update(read_logs(pod))
    store_results(context, outputs)


def store_results(context: TrialContext, outputs: StageOutputs) -> None:
    """Store a trial's rows and logs in one transaction.

    A finished measurement is never lost: the write is repeated during an outage of the database,
    and fails only if another attempt has claimed the trial.

    Raises:
        TakenOver: another attempt has claimed the trial.
    """
    claim, evaluation = context.assignment.claim, evaluate(context, outputs)

    def write(session: Session) -> None:
        trial = trials.resume(session, claim)
        _fill(trial, context.bench, outputs, evaluation)
        measurements.replace_measurements(
            session,
            claim.trial_id,
            seconds=outputs.load.seconds,
            histogram=_describe_histogram(outputs.load),
            metrics=evaluation.metrics,
        )
        measurements.put_logs(session, claim.trial_id, context.logs)
        _record_sources(session, trial.host_id, context.bench, outputs.materials)

    run_transaction(write, context.is_stopping)


def _describe_histogram(finished: FinishedLoad) -> dict[str, object]:
    is_due = finished.latency_from is LatencyStart.DUE
    return {
        "latency": finished.latency.to_varints(),
        "latency_failed": finished.latency_failed.to_varints(),
        "service_time": finished.service_time.to_varints() if is_due else None,
        "latency_sum_ns": finished.latency_sum_ns,
        "latency_max_ns": finished.latency_max_ns,
    }


def _fill(trial: Trial, bench: Bench, outputs: StageOutputs, evaluation: Evaluation) -> None:
    """Set the columns of a trial that hold its results."""
    k6_summary = outputs.load.end.k6_summary
    trial.conformance = outputs.before.checks
    trial.conformance_after = outputs.after.checks
    trial.checks = evaluation.checks
    trial.verdicts = [
        StoredWarning(verdict=warning.verdict, detail=warning.detail)
        for warning in evaluation.warnings
    ]
    warm_up = outputs.load.warm_up
    trial.warm_up = StoredWarmUp(
        seconds=warm_up.seconds,
        cap_seconds=warm_up.cap_seconds,
        is_steady=warm_up.is_steady,
        detail=warm_up.detail,
    )
    trial.generator = evaluation.lateness
    trial.requests_total = evaluation.requests
    trial.k6_summary = asdict(k6_summary) if k6_summary else None
    trial.second_reading = outputs.cross_check
    trial.image_digest = outputs.materials.digest
    trial.environment = _environment(bench, outputs.materials, outputs.load)


def _record_sources(session: Session, host_id: UUID, bench: Bench, materials: Materials) -> None:
    """Record the sources of the service, its peers and own backing services, once for each build.

    Sources that were edited since the build are left out.
    """
    framework = materials.framework
    assert isinstance(framework, FrameworkManifest)
    versions = {
        name: text
        for name, text in framework.versions.model_dump(exclude_none=True).items()
        if text
    }
    programs = {built.request.digest: built.request for built in materials.programs}
    for digest in list_unrecorded(session, host_id, programs):
        request = programs[digest]
        is_current = not request.is_kept and bench.digest(request.source, request.docker) == digest
        if is_current:
            record_source(session, host_id, digest, request.slug, versions, request.source)


def _environment(bench: Bench, materials: Materials, finished: FinishedLoad) -> TrialEnvironment:
    """Return the conditions of a trial.

    The harness includes the load hosts, so that series with other load hosts are separate.
    """
    harness: dict[str, str] = {**bench.harness}
    uses_host_network = False
    environment: TrialEnvironment = {}
    if finished.load_hosts:
        uses_host_network = finished.service_network is ServiceNetwork.HOST
        environment["load_hosts"] = list(finished.load_hosts)
        environment["service_network"] = finished.service_network
        harness["load_hosts"] = ", ".join(
            f"{host['name']} {host['host_digest']}" for host in finished.load_hosts
        )
        if not uses_host_network:
            harness["service_network"] = finished.service_network
    environment |= {
        "host": bench.fingerprint,
        "host_digest": bench.fingerprint_digest,
        "harness": bench.harness,
        "harness_digest": digest_harness(harness, materials.scenario_digest),
        "runtime": bench.runtime.kind,
        "cpus": {role: list(cpus) for role, cpus in bench.cpus.by_name().items()},
        "cpu_sharing": bench.fingerprint.get("cpu_notes", []),
        "isolation_notes": [
            *explain_isolation(
                Isolation(bench.fingerprint["isolation"]), uses_host_network=uses_host_network
            ),
            *explain_unlimited_memory(bench.fingerprint.get("memory_fault", "")),
        ],
        "latency_from": finished.latency_from,
        "resource_source": finished.resource_source,
        "framework_digest": materials.digest,
        "builds": materials.builds,
        "scenario_digest": materials.scenario_digest,
        # Without a container engine, the reference would be a private path of this machine.
        "image": None,
        "memory_limit_mb": materials.service.request.docker.memory_mb,
        "language_settings": materials.list_settings(len(bench.cpus.service)),
    }
    if bench.runtime.kind is RuntimeKind.DOCKER:
        environment["image"] = ", ".join(artifact.reference for artifact in materials.artifacts)
        environment["image_ids"] = materials.image_ids
        environment["base_images"] = materials.base_images
    if bench.commit:
        environment["commit"] = bench.commit
    return environment
