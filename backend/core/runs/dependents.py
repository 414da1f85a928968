"""SQL for what depends on a run, and for its deletion. Never commits."""

from uuid import UUID

from pydantic import Field
from sqlalchemy import Select, any_, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from backend.core.bodies import Schema
from backend.core.models import (
    Cell,
    Change,
    DeletedRun,
    HostEvent,
    Incident,
    Run,
    ScheduledRun,
    Snapshot,
    Trial,
)

# The trials of a larger run are deleted in the background.
DELETED_AT_ONCE = 200


class RunDependents(Schema):
    """The numbers of rows that depend on a run."""

    trials: int = Field(description="Deleted with the run, with seconds, logs and charts.")
    changes: int = Field(
        description="Detected changes that refer to its results. They are deleted."
    )
    host_events: int = Field(description="Host events that the run revealed. They are deleted.")
    scheduled_runs: int = Field(description="Start times of schedules. They are deleted.")
    reruns: int = Field(description="Runs that repeat it. They stay, without a link to it.")
    snapshots: int = Field(description="Saved comparisons with its numbers. They stay unchanged.")


def count_dependents(session: Session, run: Run) -> RunDependents:
    """Count what depends on a run."""

    def count(query: Select[UUID] | Select[str]) -> int:
        return session.scalar(select(func.count()).select_from(query.subquery())) or 0

    return RunDependents(
        trials=count(select(Trial.id).where(Trial.run_id == run.id)),
        changes=count(_changes_of(run.id)),
        host_events=count(select(HostEvent.id).where(HostEvent.run_id == run.id)),
        scheduled_runs=count(select(ScheduledRun.id).where(ScheduledRun.run_id == run.id)),
        reruns=count(
            select(Run.id).where(Run.rerun_of_id == run.id, Run.workspace_id == run.workspace_id)
        ),
        snapshots=count(
            select(Snapshot.hash).where(
                any_(Snapshot.run_ids) == run.id, Snapshot.workspace_id == run.workspace_id
            )
        ),
    )


def delete_rows(session: Session, run_id: UUID) -> None:
    """Delete a run and all rows that make no sense without it.

    Its trials are deleted with their measurements. Those of a large run would take longer than a
    request may, so `delete_left_trials` deletes them later.
    """
    incidents = select(Change.incident_id).where(Change.id.in_(_changes_of(run_id)))
    touched = session.scalars(incidents).all()
    if _is_large(session, run_id):
        session.add(DeletedRun(id=run_id))
    else:
        session.execute(delete(Trial).where(Trial.run_id == run_id))
    session.execute(update(Run).where(Run.rerun_of_id == run_id).values(rerun_of_id=None))
    session.execute(delete(Run).where(Run.id == run_id))
    is_empty = ~exists().where(Change.incident_id == Incident.id)
    session.execute(delete(Incident).where(Incident.id.in_(touched), is_empty))


def delete_left_trials(session: Session, most: int) -> bool:
    """Delete some trials of a deleted run with their measurements; return False if there are none.

    Another transaction may delete those of another run meanwhile.
    """
    deleted = session.scalars(
        select(DeletedRun).order_by(DeletedRun.id).limit(1).with_for_update(skip_locked=True)
    ).one_or_none()
    if deleted is None:
        return False
    some = select(Trial.id).where(Trial.run_id == deleted.id).limit(most)
    if not session.execute(delete(Trial).where(Trial.id.in_(some)).returning(Trial.id)).all():
        session.delete(deleted)
    return True


def _is_large(session: Session, run_id: UUID) -> bool:
    # The hosts of examples can be removed at any time, which their trials would prevent.
    query = select(Trial.id).join(Run, Run.id == Trial.run_id).where(Run.id == run_id, ~Run.example)
    return session.scalar(query.offset(DELETED_AT_ONCE).limit(1)) is not None


def _changes_of(run_id: UUID) -> Select[UUID]:
    """Select the changes that refer to results of a run."""
    cells = select(Cell.id).where(Cell.run_id == run_id)
    return select(Change.id).where(
        or_(Change.before_cell_id.in_(cells), Change.after_cell_id.in_(cells))
    )
