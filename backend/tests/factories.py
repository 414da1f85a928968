"""Create rows with the product's own functions: registered hosts, requested runs."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import func, insert, literal, select
from sqlalchemy.orm import Session

from backend.core.catalog.registration import Source, Sources, register_sources
from backend.core.catalog.service import register_host
from backend.core.documents import CellRequest, HostFingerprint, RunRequest
from backend.core.errors import TachoError
from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.summary import TrialFacts, summarise
from backend.core.models import (
    Framework,
    Host,
    HostFramework,
    HostScenario,
    Run,
    Scenario,
    Trial,
    Workspace,
)
from backend.core.results.cell_summary import write_summaries
from backend.core.results.run_results.answer.stored import write_outcome
from backend.core.runs import repository, service
from backend.core.runs.status import RUN_ENDS
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.service import TrialClaim
from backend.core.statuses import TrialStatus
from backend.core.units import FailureCause, RuntimeKind
from backend.tests.measuring import histogram_of, second

HOST = "bench-01"
FINGERPRINT: HostFingerprint = {"cpu_model": "Test CPU", "logical_cores": 4}
HARNESS = {"tacho": "0.0.0", "k6_sha256": "of a test"}


class _BuildFailed(TachoError):
    code = "build_failed"
    title = "Build failed"
    cause = FailureCause.SERVICE


def first_workspace(session: Session) -> UUID:
    """Return the id of the workspace that the migrations create."""
    return session.scalars(select(Workspace.id).order_by(Workspace.created_at).limit(1)).one()


def add_host(
    session: Session, name: str = HOST, unavailable: Mapping[str, str] | None = None
) -> Host:
    """Add a bench host whose worker has just started, with the files of the catalogue."""
    host = register_host(
        session,
        name,
        runtime=RuntimeKind.PROCESS,
        fingerprint=FINGERPRINT,
        fingerprint_digest=f"digest of {name}",
        harness=HARNESS,
    )
    has_sources = select(HostFramework.id).where(HostFramework.host_id == host.id).limit(1)
    if unavailable or session.scalar(has_sources):
        put_sources(session, host, unavailable or {})
    else:
        _copy_catalogue(session, host)
    return host


def _copy_catalogue(session: Session, host: Host) -> None:
    """Add what `put_sources` adds for a new host, in 14 instead of 35 ms."""
    for own, entry in ((HostFramework, Framework), (HostScenario, Scenario)):
        copied = ("slug", "digest", "manifest")
        rows = select(
            func.gen_random_uuid(),
            literal(host.id),
            func.row_number().over(order_by=entry.id) - 1,
            *(getattr(entry, name) for name in copied),
        ).where(entry.present)
        names = ["id", "host_id", "position", *copied]
        session.execute(insert(own).from_select(names, rows, include_defaults=False))


def put_sources(session: Session, host: Host, unavailable: Mapping[str, str]) -> None:
    """Register the present catalogue as the sources of a host."""
    sources = Sources(
        [
            Source(framework.slug, framework.digest, framework.manifest)
            for framework in session.scalars(select(Framework).where(Framework.present))
        ],
        [
            Source(scenario.slug, scenario.digest, scenario.manifest)
            for scenario in session.scalars(select(Scenario).where(Scenario.present))
        ],
    )
    register_sources(session, host.id, sources, unavailable)


def ask_run(
    session: Session,
    frameworks: Sequence[str] = ("node",),
    *,
    scenario: str = "hello",
    count: int | None = 1,
    **changes: Any,
) -> Run:
    """Queue a run of these frameworks with each of these parameters, and `count` trials per cell.

    With a `goal` among the changes, `count` is None. `workspace_id` defaults to the first one.
    """
    parameters = changes.pop("parameters", {})
    each = parameters if isinstance(parameters, list) else [parameters]
    profile = changes.pop("profile", None)
    cells = [CellRequest(slug, scenario, profile, own) for slug in frameworks for own in each]
    workspace_id = changes.pop("workspace_id", None) or first_workspace(session)
    request = RunRequest(cells=cells, trials=count, **changes)
    run = service.create_run(session, workspace_id, request)
    return repository.get_run(session, str(run.id))


def succeed_next(
    session: Session,
    host_id: UUID,
    latencies_ms: Sequence[float] = (1.0, 2.0, 3.0),
    runtime: RuntimeKind = RuntimeKind.PROCESS,
) -> Trial:
    """Claim a host's next trial and complete it with a second of these latencies.

    After the last trial of a run, its cells are summarised, as a worker does.
    """
    return succeed(session, claim_next(session, host_id), latencies_ms, runtime)


def succeed(
    session: Session,
    trial: Trial,
    latencies_ms: Sequence[float] = (1.0, 2.0, 3.0),
    runtime: RuntimeKind = RuntimeKind.PROCESS,
    *,
    has_summary: bool = True,
) -> Trial:
    """Complete a claimed trial like `succeed_next`.

    Args:
        has_summary: whether to summarise the run after its last trial.
    """
    # A worker enters each stage, with several statements each.
    trial.status = TrialStatus.COLLECTING
    put_measurements(session, trial, latencies_ms)
    trial.runtime = runtime
    trial.environment = {
        "host": FINGERPRINT,
        "host_digest": "as measured",
        "harness": HARNESS,
        "harness_digest": "of a test",
    }
    ended = trials.end_trial(
        session,
        TrialClaim.of(trial),
        TrialStatus.SUCCEEDED,
        stage_seconds={"building": 0.5, "measuring": 1.0},
    )
    if has_summary and repository.get_run_row(session, trial.run_id).status in RUN_ENDS:
        run = repository.get_run(session, str(trial.run_id))
        write_outcome(session, run, write_summaries(session, run))
    return ended


def fail_next(session: Session, host_id: UUID) -> Trial:
    """Claim a host's next trial and let its build fail."""
    trial = claim_next(session, host_id)
    failure = trials.describe_failure(_BuildFailed("npm [/ci] said no"), "building")
    return trials.fail_trial(
        session, TrialClaim.of(trial), failure, stage_seconds={"building": 1.0}
    )


def claim_next(session: Session, host_id: UUID) -> Trial:
    """Claim and return the next trial, which must exist."""
    claimed = trials.claim_next(session, host_id)
    assert claimed is not None
    return session.get_one(Trial, claimed.trial_id, populate_existing=True)


def put_measurements(session: Session, trial: Trial, latencies_ms: Sequence[float]) -> None:
    """Store the values of a trial: one second of warm-up, and one measured second of these
    latencies."""
    latency = histogram_of(latencies_ms)
    facts = TrialFacts(
        latency=latency,
        latency_sum_ns=int(sum(latencies_ms) * 1e6),
        latency_max_ns=int(max(latencies_ms) * 1e6),
        first_byte=Histogram.empty(),
        boot_ms=100.0,
        first_response_ms=5.0,
        idle_memory_bytes=40_000_000,
        memory_peak_bytes=110_000_000,
        build_seconds=None,
        image_bytes=150_000_000,
    )
    rows = [second(0, latencies_ms)]
    measurements.replace_measurements(
        session,
        trial.id,
        seconds=[second(0, [9.0], phase="warm_up"), *rows],
        histogram={
            "latency": latency.to_varints(),
            "service_time": None,
            "latency_failed": Histogram.empty().to_varints(),
            "latency_sum_ns": facts.latency_sum_ns,
            "latency_max_ns": facts.latency_max_ns,
        },
        metrics=summarise(rows, facts),
    )
