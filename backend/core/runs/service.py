"""Create, check, change, cancel and repeat runs."""

import logging
import secrets
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.documents import CellRequest, RunRequest
from backend.core.errors import Conflict, IdempotencyMismatch
from backend.core.log_context import current_log_fields, log_fields
from backend.core.models import Cell, Host, Run
from backend.core.people.audit.recording import get_actor, record
from backend.core.people.tokens.restrictions import enforce_restrictions
from backend.core.queue import after_commit, signal_host, try_wake_up_finalizer, wake_up_worker
from backend.core.runs import dependents, repository
from backend.core.runs.goal import count_first_trials, count_most_trials, interleave
from backend.core.runs.live.event_stream import find_stream, remove_stream
from backend.core.runs.load_hosts import list_names, list_queues
from backend.core.runs.planning import RunCell, check_size, plan_run
from backend.core.runs.queue import quotas
from backend.core.runs.queue.database_disk import check_database_disk
from backend.core.runs.slug import new_slug
from backend.core.runs.status import RUN_ENDS
from backend.core.runs.trials import repository as trials
from backend.core.runs.trials.service import cancel_some
from backend.core.statuses import RunStatus, Visibility
from backend.core.tracing import find_traceparent

_log = logging.getLogger(__name__)

KEY_OF_ANOTHER_REQUEST = "This Idempotency-Key belongs to another request; use a new key."


def create_run(
    session: Session,
    workspace_id: UUID,
    request: RunRequest,
    idempotency_key: str | None = None,
) -> Run:
    """Check and queue a run of a workspace with all its trials in interleaved order.

    Returns:
        The run without its trials; the earlier one if the same request came with this key before.

    Raises:
        TooLarge, Unavailable: no bench host that the workspace may use, or the disk of the
        database is almost full, IdempotencyMismatch,
        LimitExceeded: the workspace has no queued trials or bench minutes left,
        InvalidRequest: with every problem found; nothing is written.
    """
    request = enforce_restrictions(session, request)
    check_size(len(request.cells), count_most_trials(request))
    if idempotency_key is not None:
        repository.lock_key(session, workspace_id, idempotency_key)
        earlier = repository.find_by_key(session, workspace_id, idempotency_key)
        if earlier is not None:
            if not isinstance(earlier, Run) or earlier.request_digest != request.digest:
                raise IdempotencyMismatch(KEY_OF_ANOTHER_REQUEST)
            return repository.get_run_head(session, str(earlier.id))
    check_database_disk()
    host, cells = plan_run(session, workspace_id, request)
    trials_per_cell = count_first_trials(request)
    quotas.check(session, workspace_id, [(cell.parameters, trials_per_cell) for cell in cells])
    run = _insert(session, workspace_id, request, host, cells, idempotency_key)
    _notify_later(session, run, host)
    return repository.get_run_head(session, str(run.id))


def _notify_later(session: Session, run: Run, host: Host) -> None:
    """Log a new run and notify its host, after the commit."""
    run_id, slug, name, queue = str(run.id), run.slug, host.name, host.queue

    def notify() -> None:
        with log_fields(run_id=run_id):
            _log.info("run %s is queued on %s", slug, name)
            wake_up_worker(queue)

    after_commit(session, notify)


def check_run(session: Session, workspace_id: UUID, request: RunRequest) -> Host:
    """Return the host of a workspace's run; raise as create_run does. Writes nothing."""
    request = enforce_restrictions(session, request)
    check_size(len(request.cells), count_most_trials(request))
    return plan_run(session, workspace_id, request)[0]


def cancel_run(session: Session, run: Run) -> None:
    """Cancel a run: its queued trials never start, the current trial ends within seconds.

    The first queued trials end now. `continue_cancellations` ends the others of a large run.
    Cancelling a cancelled run does nothing.

    Raises:
        Conflict: the run has succeeded or failed.
    """
    locked = cancel_some(session, run.id, is_requested=True)
    if locked.status in RUN_ENDS and locked.status is not RunStatus.CANCELLED:
        raise Conflict(f"Run {run.slug} has ended as {locked.status}; there is nothing to cancel.")
    queue = find_stream(session, run).host
    after_commit(session, lambda: _notify_of_cancellation(queue))
    session.expire_all()


def _notify_of_cancellation(queue: str) -> None:
    # Without the messages, dispatcher and host find out within seconds.
    try_wake_up_finalizer()
    signal_host(queue)


def change_run(
    session: Session, run: Run, *, title: str | None = None, visibility: Visibility | None = None
) -> None:
    """Change the title and visibility of a run; None leaves a value unchanged."""
    if title is not None:
        run.title = title
    if visibility is not None:
        run.visibility = visibility
    session.flush()


def delete_run(session: Session, run: Run) -> None:
    """Delete an ended run with its results, its live events, and what refers to them.

    Snapshots stay.

    Raises:
        Conflict: the run has not ended.
    """
    locked = repository.lock_run(session, run.id)
    if locked.status not in RUN_ENDS:
        raise Conflict(f"Run {run.slug} has not ended. Cancel it first, then delete it.")
    subject = ("run", str(run.id))
    before = {"slug": run.slug, "title": run.title}
    record(session, "run.deleted", subject, workspace_id=run.workspace_id, before=before)
    stream = find_stream(session, run)
    dependents.delete_rows(session, run.id)
    after_commit(session, lambda: remove_stream(stream))
    session.expire_all()


def repeat_run(session: Session, workspace_id: UUID, run: Run) -> Run:
    """Queue the same cells in a workspace again on the same host, with a new seed."""
    request = RunRequest(
        cells=[
            CellRequest(
                cell.framework.slug,
                cell.scenario.slug,
                cell.profile,
                dict(cell.parameters),
                cell.builds,
            )
            for cell in run.cells
        ],
        trials=run.trials_per_cell if run.goal is None else None,
        goal=run.goal,
        title=run.title,
        # This host exists only in example data, so it cannot run anything.
        host=None if run.host.example else run.host.name,
        load_hosts=[] if run.host.example else list_names(session, run.load_hosts),
        visibility=run.visibility,
        purpose=run.purpose,
        study=(run.study, run.study_variant) if run.study and run.study_variant else None,
    )
    again = create_run(session, workspace_id, request)
    again.rerun_of_id = run.id
    session.flush()
    return again


def _insert(
    session: Session,
    workspace_id: UUID,
    request: RunRequest,
    host: Host,
    cells: Sequence[RunCell],
    idempotency_key: str | None,
) -> Run:
    names = list(dict.fromkeys(cell.framework.name for cell in cells))
    scenarios = list(dict.fromkeys(cell.scenario.name for cell in cells))
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    run = Run(
        workspace_id=workspace_id,
        slug=new_slug(),
        title=request.title or f"{shown} · {', '.join(scenarios)}",
        status=RunStatus.QUEUED,
        visibility=request.visibility,
        purpose=request.purpose,
        host_id=host.id,
        load_hosts=list_queues(session, request.load_hosts) if request.load_hosts else [],
        trials_per_cell=count_first_trials(request),
        goal=request.goal,
        seed=secrets.randbits(32) if request.seed is None else request.seed,
        idempotency_key=idempotency_key,
        request_digest=request.digest,
        requested_by=get_actor(session).label,
        traceparent=find_traceparent(),
        request_id=current_log_fields().get("request_id"),
        study=request.study[0] if request.study else None,
        study_variant=request.study[1] if request.study else None,
    )
    session.add(run)
    session.flush()
    rows = [
        Cell(
            run_id=run.id,
            position=position,
            framework_id=cell.framework.id,
            scenario_id=cell.scenario.id,
            framework_digest=cell.framework_digest,
            scenario_digest=cell.scenario.digest,
            profile=cell.profile.slug,
            kind=cell.profile.kind,
            parameters=cell.parameters,
            builds=cell.builds,
        )
        for position, cell in enumerate(cells)
    ]
    session.add_all(rows)
    session.flush()
    trials.add_trials(
        session,
        run,
        [
            (rows[cell].id, repetition)
            for cell, repetition in interleave(len(rows), run.trials_per_cell, run.seed)
        ],
    )
    return run
