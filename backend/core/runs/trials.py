"""A trial's life as the database knows it: claimed, moved through its stages, ended, recovered."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.errors import Conflict, TachoError, WorkerLost
from backend.core.models import Run, Trial
from backend.core.runs import repository
from backend.core.runs.service import update_status
from backend.core.runs.status import (
    MAX_ATTEMPTS,
    STAGES,
    TRIAL_ENDS,
    TrialStatus,
    check_transition,
)

# Renewed every few seconds; long enough to outlast a stalled database or a paused machine.
LEASE_SECONDS = 30.0


def claim_next(session: Session, host_id: UUID) -> Trial | None:
    """Take a host's next queued trial and its lease; None when nothing waits."""
    trial = repository.find_claimable(session, host_id)
    if trial is None:
        return None
    run = repository.lock_run(session, trial.run_id)
    trial.attempt += 1
    trial.lease_until = func.now() + timedelta(seconds=LEASE_SECONDS)
    trial.started_at = func.now()
    trial.finished_at = None
    trial.failure = None
    trial.stage_seconds = {}
    _set_status(session, run, trial, TrialStatus.BUILDING)
    session.refresh(trial)
    return trial


def enter_stage(
    session: Session, trial_id: UUID, status: TrialStatus, stage_seconds: Mapping[str, float]
) -> Trial:
    """Move a held trial on to a stage; raises Conflict when it was ended or taken meanwhile."""
    trial = _lock_held(session, trial_id)
    trial.stage_seconds = dict(stage_seconds)
    _set_status(session, repository.lock_run(session, trial.run_id), trial, status)
    return trial


def end_trial(
    session: Session,
    trial_id: UUID,
    status: TrialStatus,
    *,
    stage_seconds: Mapping[str, float],
    failure: Mapping[str, Any] | None = None,
) -> Trial:
    """End a held trial and, with the last one, its run; raises Conflict as `enter_stage` does."""
    trial = _lock_held(session, trial_id)
    trial.stage_seconds = dict(stage_seconds)
    trial.failure = dict(failure) if failure else None
    _set_status(session, repository.lock_run(session, trial.run_id), trial, status)
    return trial


def give_back(session: Session, trial_id: UUID) -> Trial:
    """Put a held trial back into the queue because its worker is being stopped on purpose."""
    trial = _lock_held(session, trial_id)
    run = repository.lock_run(session, trial.run_id)
    cancelled = run.cancel_requested_at is not None
    trial.attempt -= 1
    _set_status(session, run, trial, TrialStatus.CANCELLED if cancelled else TrialStatus.QUEUED)
    return trial


def recover_lost(session: Session, host_id: UUID | None = None) -> Sequence[Trial]:
    """Take back trials whose worker is lost: again to the queue, or failed after two attempts.

    Args:
        host_id: given by a host's own worker at its start, which by holding the host's lock knows
            that nobody works there; None looks for leases that have run out anywhere.
    """
    lost = repository.list_lost(session, host_id)
    for trial in lost:
        run = repository.lock_run(session, trial.run_id)
        if run.cancel_requested_at is not None:
            _set_status(session, run, trial, TrialStatus.CANCELLED)
        elif trial.attempt < MAX_ATTEMPTS:
            _set_status(session, run, trial, TrialStatus.QUEUED)
        else:
            stage = trial.status
            error = WorkerLost(
                f"The worker was lost twice while {stage}, so this trial is not taken again. "
                "See the worker's log on the bench host."
            )
            trial.failure = describe_failure(error, stage)
            _set_status(session, run, trial, TrialStatus.FAILED)
    return lost


def describe_failure(error: TachoError, stage: str, detail: str | None = None) -> dict[str, Any]:
    """Return what is stored with a failed trial; `detail` replaces the error's own."""
    evidence: Sequence[Mapping[str, Any]] = error.fields.get("evidence", ())
    return {
        "code": error.code,
        "title": error.title,
        "detail": detail or error.detail,
        "cause": error.cause,
        "stage": stage,
        "evidence": [dict(item) for item in evidence],
    }


def _lock_held(session: Session, trial_id: UUID) -> Trial:
    """A worker that was thought lost may come back: the trial is no longer its to change."""
    trial = session.get_one(Trial, trial_id, with_for_update=True)
    if trial.status not in STAGES:
        raise Conflict(f"The trial is {trial.status} and no longer held by this worker.")
    return trial


def _set_status(session: Session, run: Run, trial: Trial, status: TrialStatus) -> None:
    check_transition(TrialStatus(trial.status), status)
    trial.status = status
    if status in TRIAL_ENDS:
        trial.finished_at = func.now()
    if status in TRIAL_ENDS or status is TrialStatus.QUEUED:
        trial.lease_until = None
    session.flush()
    update_status(session, run)
