"""A trial's life as the database knows it: claimed, moved through its stages, ended, recovered.

Every write of a worker carries its `Claim`. The database refuses it once the trial has another
attempt. Each write may be repeated: a second time it changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.errors import TachoError, TakenOver, WorkerLost
from backend.core.models import Run, Trial
from backend.core.runs import repository
from backend.core.runs.service import update_status
from backend.core.runs.status import (
    MAX_REPEATS,
    STAGES,
    TRIAL_ENDS,
    TrialStatus,
    check_transition,
    is_repeated,
)
from backend.core.units import FailureCause

# Renewed every few seconds; long enough to outlast a stalled database or a paused machine.
LEASE_SECONDS = 30.0


@dataclass(frozen=True)
class TrialClaim:
    """A worker's hold of a trial, from its claim until the trial ends or is claimed again."""

    trial_id: UUID
    attempt: int

    @classmethod
    def of(cls, trial: Trial) -> Self:
        """Return the claim under which a trial is held now."""
        return cls(trial.id, trial.attempt)


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


def hold(session: Session, claim: TrialClaim) -> Trial:
    """Return the claimed trial, locked until commit; raises TakenOver when it is not held."""
    trial = _lock(session, claim)
    if trial.status not in STAGES:
        raise TakenOver(f"The trial is {trial.status} and no longer held by this worker.")
    return trial


def enter_stage(
    session: Session, claim: TrialClaim, status: TrialStatus, stage_seconds: Mapping[str, float]
) -> Trial:
    """Move a held trial on to a stage; raises TakenOver."""
    trial = hold(session, claim)
    if trial.status != status:
        trial.stage_seconds = dict(stage_seconds)
        _set_status(session, repository.lock_run(session, trial.run_id), trial, status)
    return trial


def end_trial(
    session: Session, claim: TrialClaim, status: TrialStatus, *, stage_seconds: Mapping[str, float]
) -> Trial:
    """End a held trial and, with the last one, its run; raises TakenOver."""
    trial = _lock(session, claim)
    if trial.status == status:
        return trial
    if status is TrialStatus.SUCCEEDED:
        resume(session, claim)
    else:
        hold(session, claim)
    trial.stage_seconds = dict(stage_seconds)
    _set_status(session, repository.lock_run(session, trial.run_id), trial, status)
    return trial


def fail_trial(
    session: Session,
    claim: TrialClaim,
    failure: Mapping[str, Any],
    *,
    stage_seconds: Mapping[str, float],
) -> Trial:
    """Fail a held trial, or queue it again when its failure is to be repeated; raises TakenOver.

    Args:
        failure: from `describe_failure`.
    """
    trial = _lock(session, claim)
    if trial.status in (TrialStatus.QUEUED, TrialStatus.FAILED):
        return trial
    hold(session, claim)
    trial.stage_seconds = dict(stage_seconds)
    _repeat_or_fail(session, trial, failure)
    return trial


def give_back(session: Session, claim: TrialClaim) -> Trial:
    """Put a held trial back into the queue because its worker is being stopped on purpose."""
    trial = _lock(session, claim)
    if trial.status == TrialStatus.QUEUED:
        return trial
    hold(session, claim)
    run = repository.lock_run(session, trial.run_id)
    _set_status(session, run, trial, _status_without_worker(run))
    return trial


def resume(session: Session, claim: TrialClaim) -> Trial:
    """Hold a trial whose measurement is finished, also after its lease ran out.

    Raises TakenOver when another attempt has claimed it, or when it has ended.
    """
    trial = _lock(session, claim)
    if trial.status in TRIAL_ENDS:
        raise TakenOver(f"The trial is {trial.status} and no longer held by this worker.")
    if trial.status == TrialStatus.QUEUED:
        # The worker was taken for lost, but is back before anybody began to repeat its work.
        trial.retried_failures = trial.retried_failures[:-1]
    trial.status = TrialStatus.COLLECTING
    trial.lease_until = func.now() + timedelta(seconds=LEASE_SECONDS)
    session.flush()
    update_status(session, repository.lock_run(session, trial.run_id))
    return trial


def recover_lost(session: Session, host_id: UUID | None = None) -> Sequence[Trial]:
    """Take back trials whose worker is lost: they are queued again, or fail after two repeats.

    Args:
        host_id: given by a host's own worker that holds the host's lock and no trial: everything
            that the host still holds is lost. None looks for leases that ran out on any host.
    """
    lost = repository.list_lost(session, host_id)
    for trial in lost:
        error = WorkerLost(
            f"The worker was lost while the trial was {trial.status.replace('_', ' ')}: it was "
            "killed, its host stood still, or the database did not answer. The worker's log on "
            "the bench host has the details."
        )
        _repeat_or_fail(session, trial, describe_failure(error, trial.status))
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


def _lock(session: Session, claim: TrialClaim) -> Trial:
    """A worker that was thought lost may come back: the trial is no longer its to change."""
    trial = repository.lock_attempt(session, claim.trial_id, claim.attempt)
    if trial is None:
        raise TakenOver("Another attempt of this trial has begun; this worker no longer holds it.")
    return trial


def _repeat_or_fail(session: Session, trial: Trial, failure: Mapping[str, Any]) -> None:
    run = repository.lock_run(session, trial.run_id)
    repeats = len(trial.retried_failures)
    cause = FailureCause(failure["cause"])
    if is_repeated(cause, repeats):
        trial.retried_failures = [*trial.retried_failures, dict(failure)]
        _set_status(session, run, trial, _status_without_worker(run))
        return
    trial.failure = dict(failure)
    if is_repeated(cause, 0):
        trial.failure["detail"] += f" Tacho repeated the trial {MAX_REPEATS} times."
    _set_status(session, run, trial, TrialStatus.FAILED)


def _status_without_worker(run: Run) -> TrialStatus:
    return TrialStatus.CANCELLED if run.cancel_requested_at is not None else TrialStatus.QUEUED


def _set_status(session: Session, run: Run, trial: Trial, status: TrialStatus) -> None:
    check_transition(TrialStatus(trial.status), status)
    trial.status = status
    if status in TRIAL_ENDS:
        trial.finished_at = func.now()
    if status in TRIAL_ENDS or status is TrialStatus.QUEUED:
        trial.lease_until = None
    session.flush()
    update_status(session, run)
