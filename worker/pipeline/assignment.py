"""Reads the assignment of a claimed trial from the database."""

from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.runs import repository
from backend.core.runs.trials import repository as trials
from worker.stages.assignment import Assignment


def read_assignment(session: Session, trial_id: UUID) -> Assignment:
    """Return the assignment of a trial; raises NotFound."""
    trial = trials.get_trial(session, trial_id)
    cell = trial.cell
    run = repository.get_run_row(session, trial.run_id)
    return Assignment(
        trial_id=trial.id,
        attempt=trial.attempt,
        run_id=trial.run_id,
        cell_id=cell.id,
        repetition=trial.repetition,
        framework=cell.framework.slug,
        scenario=cell.scenario.slug,
        kind=cell.kind,
        parameters=cell.parameters,
        seed=trial.id.int % 2**31,
        builds=cell.builds,
        # A confirmation run measures an earlier build, whose files are no longer in the folder.
        framework_digest=None if cell.builds else cell.framework_digest,
        scenario_digest=cell.scenario_digest,
        load_hosts=tuple(run.load_hosts),
        queued_at=run.created_at,
        traceparent=run.traceparent,
        request_id=run.request_id,
    )
