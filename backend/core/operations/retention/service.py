"""Remove seconds and logs of runs: at the request of a person, or because they are old.

A removal has two parts. First a run is marked: from then on no reader gets what was removed. Later
the dispatcher deletes the rows, in small transactions, or drops the partition of a whole month. It
deletes the trials of large runs that were deleted in the same way.
"""

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.errors import Conflict
from backend.core.measurement.measurements import partitions
from backend.core.models import Run
from backend.core.operations.retention import repository
from backend.core.operations.retention.periods import (
    Periods,
    combine,
    find_logs_limit,
    find_seconds_limit,
)
from backend.core.operations.retention.settings import read_installation
from backend.core.people.audit.recording import record
from backend.core.results.cell_charts import complete_charts
from backend.core.results.guard.requests_repository import delete_unneeded
from backend.core.runs.dependents import delete_left_trials
from backend.core.runs.repository import lock_run
from backend.core.statuses import RemovalReason

# One transaction marks so many runs, and deletes the rows of so many trials.
MARKED_RUNS = 20
DELETED_TRIALS = 20


def archive_run(session: Session, run: Run) -> None:
    """Remove the seconds of a run and keep everything else. An archived run stays as it is.

    Raises:
        Conflict: the run is not finalized, or it reproduces a study or is an example, which need
            their seconds.
    """
    locked = lock_run(session, run.id)
    if locked.seconds_removed_at is not None:
        return
    if locked.study is not None or locked.example:
        what = "is example data" if locked.example else "reproduces a study"
        raise Conflict(f"Run {run.slug} {what}, whose pages need its seconds. Keep it.")
    if locked.finalized_at is None:
        raise Conflict(
            f"Run {run.slug} is not complete. Wait until it has ended and its results are stored, "
            "then archive it."
        )
    complete_charts(session, run.id)
    repository.mark_seconds_removed(session, [run.id], RemovalReason.ARCHIVED)
    record(
        session,
        "run.archived",
        ("run", str(run.id)),
        workspace_id=run.workspace_id,
        after={"slug": run.slug, "title": run.title},
    )
    session.expire_all()


def mark_due(session: Session, now: datetime) -> int:
    """Mark some runs whose seconds or logs are older than they are kept, and return their number.

    Runs of studies, examples, runs in snapshots, and runs before and after a detected change are
    kept.
    """
    installation = read_installation(session)
    marked = 0
    for workspace in repository.list_workspaces(session):
        own = Periods(workspace.seconds_days, workspace.logs_days)
        marked += _mark_workspace(session, workspace.id, combine(installation, own), now)
    return marked


def drop_months(session: Session, now: datetime) -> bool:
    """Drop the oldest partition of which no run has seconds any more; return False without one."""
    this_month = partitions.first_of_month(now.astimezone(UTC).date())
    past = [month for month in partitions.list_partitions(session) if month < this_month]
    return any(partitions.drop_partition(session, month) for month in past)


def delete_removed_rows(session: Session) -> bool:
    """Delete removed rows of some trials of one run; return False if no run has any."""
    run = repository.claim_run_with_removed_rows(session)
    if run is None:
        return False
    trials = 0
    if run.seconds_removed_at is not None:
        trials += repository.delete_seconds(session, run.id, DELETED_TRIALS)
    if run.logs_removed_at is not None:
        trials += repository.delete_logs(session, run.id, DELETED_TRIALS)
    if trials == 0:
        run.has_removed_rows = False
        session.flush()
    return True


def delete_trials_of_deleted_runs(session: Session) -> bool:
    """Delete some trials of large runs that were deleted; return False if there are none."""
    return delete_left_trials(session, DELETED_TRIALS)


def delete_unneeded_guards(session: Session) -> bool:
    """Delete the sources of versions that no open guard needs, and old requests of guards.

    Returns False: nothing is left.
    """
    delete_unneeded(session)
    return False


def _mark_workspace(session: Session, workspace_id: UUID, periods: Periods, now: datetime) -> int:
    marked = 0
    if periods.seconds_days is not None:
        limit = find_seconds_limit(periods.seconds_days, now)
        due = repository.list_due_for_seconds(session, workspace_id, limit, MARKED_RUNS)
        for run_id in due:
            complete_charts(session, run_id)
        repository.mark_seconds_removed(session, due, RemovalReason.RETENTION)
        marked += len(due)
    if periods.logs_days is not None:
        limit = find_logs_limit(periods.logs_days, now)
        due = repository.list_due_for_logs(session, workspace_id, limit, MARKED_RUNS)
        repository.mark_logs_removed(session, due)
        marked += len(due)
    return marked
