"""Reads the assignment of a claimed trial from the database."""

from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.runs.trials import repository
from worker.stages.assignment import Assignment


def read_assignment(session: Session, trial_id: UUID) -> Assignment:
    """Return the assignment of a trial; raises NotFound."""
    trial = repository.get_assigned_trial(session, trial_id)
    return Assignment(
        trial_id=trial.trial_id,
        attempt=trial.attempt,
        run_id=trial.run_id,
        cell_id=trial.cell_id,
        repetition=trial.repetition,
        framework=trial.framework,
        scenario=trial.scenario,
        kind=trial.kind,
        parameters=trial.parameters,
        seed=trial.trial_id.int % 2**31,
        builds=trial.builds,
        # A confirmation run measures an earlier build, whose files are no longer in the folder.
        framework_digest=None if trial.builds else trial.framework_digest,
        scenario_digest=trial.scenario_digest,
        load_hosts=tuple(trial.load_hosts),
        queued_at=trial.queued_at,
        traceparent=trial.traceparent,
        request_id=trial.request_id,
    )
