"""When a worker leaves a run to the dispatcher, which judges goals and finalizes runs."""

from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.runs import repository as runs
from backend.core.runs.goal import is_overdue
from backend.core.runs.trials import repository


def awaits_dispatcher(session: Session, run_id: UUID) -> bool:
    """Return whether the dispatcher has to judge or finalize a run before anything else happens.

    That is so when all its trials have ended, or when its goal has no time left for the next one.
    It is not so after a failed attempt to finalize the run, because the next one comes later.
    """
    run = runs.get_run_row(session, run_id)
    if run.finalized_at is not None or run.finalization_error is not None:
        return False
    if not repository.has_unfinished(session, run_id):
        return True
    return run.goal is not None and is_overdue(run.goal, repository.list_trials(session, run_id))
