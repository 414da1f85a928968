"""Change the status of trials and of their runs: claim, enter a stage, end, repeat, cancel.

Every write of a worker carries its `TrialClaim`. The write is refused when the trial has another
attempt. A write may be repeated; the second time it changes nothing.

The file also has the rule by which a worker leaves a run to the dispatcher.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self
from uuid import UUID

from sqlalchemy import ColumnElement, func
from sqlalchemy.orm import Session

from backend.core.documents import Failure
from backend.core.errors import TachoError, TakenOver, WorkerLost
from backend.core.log_context import RunIds, log_fields
from backend.core.models import Run, Trial
from backend.core.queue import after_commit
from backend.core.runs import repository as runs
from backend.core.runs.goal import is_overdue
from backend.core.runs.live.event_stream import find_stream, publish
from backend.core.runs.live.events import EndEvent
from backend.core.runs.status import (
    MAX_REPEATS,
    RUN_ENDS,
    STAGES,
    TRIAL_ENDS,
    check_transition,
    is_repeated,
    run_status,
)
from backend.core.runs.trials import repository
from backend.core.runs.trials.repository import AssignedTrial
from backend.core.statuses import RunStatus, TrialStatus

_log = logging.getLogger(__name__)

# Renewed every five seconds. A worker without a database for a minute keeps its trial, and needs
# some more seconds to connect again.
LEASE_SECONDS = 75.0
# One transaction ends so many trials of a cancelled run.
CANCELLED_AT_ONCE = 200


@dataclass(frozen=True)
class TrialClaim:
    """A worker's hold of a trial, from its claim until the trial ends or is claimed again."""

    trial_id: UUID
    attempt: int

    @classmethod
    def of(cls, trial: Trial) -> Self:
        """Return the claim that holds a trial now."""
        return cls(trial.id, trial.attempt)


def claim_next(session: Session, host_id: UUID) -> AssignedTrial | None:
    """Claim a host's next queued trial and take its lease; return None if no trial is queued."""
    trial = repository.claim_next(session, host_id, LEASE_SECONDS)
    if trial is not None:
        update_run_status(session, runs.lock_run(session, trial.run_id), TrialStatus.BUILDING)
    return trial


def hold(session: Session, claim: TrialClaim) -> Trial:
    """Return the claimed trial, locked until commit; raise TakenOver if the claim is not valid.

    Each write of a holder renews the lease. If the clock of the database was set back, the lease
    would otherwise end so late that PostgreSQL refuses the row.
    """
    trial = _lock(session, claim)
    if trial.status not in STAGES:
        raise TakenOver(f"The trial is {trial.status} and no longer held by this worker.")
    trial.lease_until = _new_lease()
    return trial


def enter_stage(
    session: Session, claim: TrialClaim, status: TrialStatus, stage_seconds: Mapping[str, float]
) -> Trial:
    """Move a claimed trial to a stage; raise TakenOver if the claim is not valid."""
    trial = hold(session, claim)
    if trial.status != status:
        check_transition(trial.status, status)
        # The status of the run stays: it runs since the trial was claimed.
        trial.status, trial.stage_seconds = status, dict(stage_seconds)
    return trial


def end_trial(
    session: Session, claim: TrialClaim, status: TrialStatus, *, stage_seconds: Mapping[str, float]
) -> Trial:
    """End a claimed trial, and its run if it was the last; raise TakenOver."""
    trial = _lock(session, claim)
    if trial.status == status:
        return trial
    if status is not TrialStatus.SUCCEEDED:
        hold(session, claim)
    elif trial.status != TrialStatus.COLLECTING:
        resume(session, claim)
    run = runs.lock_run(session, trial.run_id)
    trial.stage_seconds = dict(stage_seconds)
    _set_status(session, run, trial, status)
    return trial


def fail_trial(
    session: Session,
    claim: TrialClaim,
    failure: Failure,
    *,
    stage_seconds: Mapping[str, float],
) -> Trial:
    """Fail a claimed trial, or queue it again if its failure cause allows; raise TakenOver.

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
    """Put a claimed trial back into the queue because its worker is being stopped."""
    trial = _lock(session, claim)
    if trial.status == TrialStatus.QUEUED:
        return trial
    hold(session, claim)
    run = runs.lock_run(session, trial.run_id)
    _set_status(session, run, trial, _status_without_worker(run))
    return trial


def resume(session: Session, claim: TrialClaim) -> Trial:
    """Return a trial whose measurement is finished, even after its lease expired.

    Raises:
        TakenOver: another attempt has claimed the trial, or it has ended.
    """
    trial = _lock(session, claim)
    if trial.status in TRIAL_ENDS:
        raise TakenOver(f"The trial is {trial.status} and no longer held by this worker.")
    if trial.status == TrialStatus.QUEUED:
        # The worker was considered lost, but came back before another attempt began.
        trial.retried_failures = trial.retried_failures[:-1]
    trial.lease_until = _new_lease()
    if trial.status != TrialStatus.COLLECTING:
        trial.status = TrialStatus.COLLECTING
        session.flush()
        update_run_status(session, runs.lock_run(session, trial.run_id), trial.status)
    return trial


def recover_lost(session: Session, host_id: UUID | None = None) -> Sequence[Trial]:
    """Queue trials of lost workers again, or fail them after two repeats.

    Args:
        host_id: every trial that this host holds counts as lost. Only the host's own worker
            passes it, while it has the host's lease and no trial. None selects trials on any host
            whose lease has expired.
    """
    lost = repository.list_lost(session, host_id)
    for trial in lost:
        error = WorkerLost(
            f"The worker was lost while the trial was {trial.status.replace('_', ' ')}: it was "
            "killed, its host was paused, or the database did not answer. The worker's log on "
            "the bench host has the details."
        )
        _repeat_or_fail(session, trial, describe_failure(error, trial.status))
        _log_lost(session, trial)
    return lost


def _log_lost(session: Session, trial: Trial) -> None:
    """Log, after the commit, that a trial was lost and what has become of it."""
    run = runs.get_run_row(session, trial.run_id)
    ids = RunIds(run.id, run.request_id).list_log_fields()
    trial_id, status = str(trial.id), trial.status

    def write() -> None:
        with log_fields(**ids, trial_id=trial_id):
            _log.warning("trial %s was lost with its worker, and is %s now", trial_id, status)

    after_commit(session, write)


def update_run_status(session: Session, run: Run, changed: TrialStatus | None = None) -> None:
    """Update the status of a locked run from its trials.

    Args:
        changed: the new status of a trial. The others are only counted if it leaves the status of
            the run open.
    """
    if changed is not None and changed in STAGES:
        counts = {changed: 1}
    else:
        counts = repository.count_trials(session, [run.id])[run.id]
    is_cancelled = run.cancel_requested_at is not None
    run.status = run_status(counts, is_cancelled, run.is_goal_open, run.has_goal_failed)
    if run.started_at is None and run.status != RunStatus.QUEUED:
        run.started_at = func.now()
    if run.finished_at is None and run.status in RUN_ENDS:
        run.finished_at = func.now()
    session.flush()


def continue_cancellations(session: Session) -> bool:
    """End some queued trials of each cancelled run; return whether any run had some."""
    cancelling = runs.list_cancelling(session)
    for run_id in cancelling:
        cancel_some(session, run_id)
    return bool(cancelling)


def cancel_some(session: Session, run_id: UUID, *, is_requested: bool = False) -> Run:
    """End some queued trials of a run that is or will be cancelled; return the run, locked."""
    # Workers lock a trial before its run, too. The trial under way comes before queued ones.
    unfinished = repository.lock_unfinished(session, run_id, CANCELLED_AT_ONCE)
    locked = runs.lock_run(session, run_id)
    if locked.status in RUN_ENDS:
        return locked
    if is_requested and locked.cancel_requested_at is None:
        locked.cancel_requested_at = func.now()
    repository.cancel_trials(session, unfinished)
    update_run_status(session, locked)
    stream, status = find_stream(session, locked), locked.status
    if status in RUN_ENDS:
        after_commit(session, lambda: publish(stream, EndEvent(status=status)))
    return locked


def awaits_dispatcher(session: Session, run_id: UUID, *, trials_only: bool = False) -> bool:
    """Return whether the dispatcher has to judge or finalize a run before anything else happens.

    That is so when all its trials have ended, or when its goal has no time left for the next one.
    It is not so after a failed attempt to finalize the run, because the next one comes later.

    Args:
        trials_only: leave out a run that needs no further trials and only has to be finalized.
    """
    run = runs.get_run_row(session, run_id)
    if run.finalized_at is not None or run.finalization_error is not None:
        return False
    if not repository.has_unfinished(session, run_id):
        return run.is_goal_open or not trials_only
    return run.goal is not None and is_overdue(run.goal, repository.list_trials(session, run_id))


def describe_failure(error: TachoError, stage: str, detail: str | None = None) -> Failure:
    """Return the failure to store with a trial; `detail` replaces that of the error."""
    return Failure(
        code=error.code,
        title=error.title,
        detail=detail or error.detail,
        cause=error.cause,
        stage=stage,
        evidence=list(error.evidence),
    )


def _new_lease() -> ColumnElement[datetime]:
    return func.now() + timedelta(seconds=LEASE_SECONDS)


def _lock(session: Session, claim: TrialClaim) -> Trial:
    """Return the claimed trial, locked; raise TakenOver if another attempt has begun."""
    trial = repository.lock_attempt(session, claim.trial_id, claim.attempt)
    if trial is None:
        raise TakenOver("Another attempt of this trial has begun; this worker no longer holds it.")
    return trial


def _repeat_or_fail(session: Session, trial: Trial, failure: Failure) -> None:
    run = runs.lock_run(session, trial.run_id)
    repeats = len(trial.retried_failures)
    if is_repeated(failure.cause, repeats):
        trial.retried_failures = [*trial.retried_failures, failure]
        _set_status(session, run, trial, _status_without_worker(run))
        return
    if is_repeated(failure.cause, 0):
        detail = f"{failure.detail} Tacho repeated the trial {MAX_REPEATS} times."
        failure = failure.model_copy(update={"detail": detail})
    trial.failure = failure
    _set_status(session, run, trial, TrialStatus.FAILED)


def _status_without_worker(run: Run) -> TrialStatus:
    return TrialStatus.CANCELLED if run.cancel_requested_at is not None else TrialStatus.QUEUED


def _set_status(session: Session, run: Run, trial: Trial, status: TrialStatus) -> None:
    check_transition(trial.status, status)
    trial.status = status
    if status in TRIAL_ENDS:
        trial.finished_at = func.now()
    if status in TRIAL_ENDS or status is TrialStatus.QUEUED:
        trial.lease_until = None
    session.flush()
    update_run_status(session, run, status)
