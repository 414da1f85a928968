"""The life of a trial: it is claimed once, advances, ends, and is recovered when its worker is
lost."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from backend.core.errors import (
    BackingServiceDied,
    Conflict,
    LoadGeneratorDied,
    NotFound,
    ServiceDied,
    TachoError,
    TakenOver,
    VerificationFailed,
    WorkerLost,
)
from backend.core.models import Host, Run, Trial
from backend.core.runs import service
from backend.core.runs.queue.host_activity import list_busy_hosts
from backend.core.runs.status import MAX_REPEATS, STAGES
from backend.core.runs.trials import repository
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.service import TrialClaim
from backend.core.statuses import RunStatus, TrialStatus
from backend.core.units import FailureCause
from backend.tests.factories import add_host, ask_run, claim_next, fail_next, succeed_next


@pytest.fixture
def host(session: Session) -> Host:
    return add_host(session)


def let_lease_run_out(session: Session, trial: Trial) -> None:
    session.execute(
        update(Trial)
        .where(Trial.id == trial.id)
        .values(lease_until=func.now() - timedelta(seconds=1))
    )
    session.expire_all()


def run_of(session: Session, trial: Trial) -> Run:
    return session.get_one(Run, trial.run_id)


def test_the_oldest_run_goes_first_in_its_interleaved_order(session: Session, host: Host) -> None:
    first = ask_run(session, ["node", "go-nethttp"], count=2)
    second = ask_run(session, ["fastapi"])
    # Rows of a transaction share its time, so simultaneous runs are ordered by id.
    assert first.created_at == second.created_at

    claimed = [succeed_next(session, host.id) for _ in range(5)]

    assert [trial.run_id for trial in claimed] == [first.id] * 4 + [second.id]
    assert [trial.position for trial in claimed] == [0, 1, 2, 3, 0]
    assert [trial.repetition for trial in claimed] == [1, 1, 2, 2, 1]
    assert trials.claim_next(session, host.id) is None


def test_a_host_claims_only_its_own_trials(session: Session, host: Host) -> None:
    other = add_host(session, "bench-02")
    ask_run(session, host="bench-01")

    assert trials.claim_next(session, other.id) is None
    assert trials.claim_next(session, host.id) is not None


def test_a_claim_takes_the_lease_and_starts_the_run(session: Session, host: Host) -> None:
    run = ask_run(session)

    trial = claim_next(session, host.id)

    assert (trial.status, trial.attempt) == (TrialStatus.BUILDING, 1)
    assert trial.lease_until is not None
    assert trial.started_at is not None
    seconds = (trial.lease_until - trial.started_at).total_seconds()
    assert seconds == pytest.approx(trials.LEASE_SECONDS)
    assert run.status == RunStatus.RUNNING
    assert run.started_at is not None
    assert repository.list_held_attempts(session) == {(str(trial.id), 1)}
    assert list_busy_hosts(session) == {"bench-01": run.id}


def test_stages_cannot_be_skipped_or_repeated(session: Session, host: Host) -> None:
    ask_run(session)
    trial = claim_next(session, host.id)

    with pytest.raises(Conflict, match="from building to measuring"):
        trials.enter_stage(session, TrialClaim.of(trial), TrialStatus.MEASURING, {})
    trials.enter_stage(session, TrialClaim.of(trial), TrialStatus.STARTING, {})
    with pytest.raises(Conflict, match="from starting to building"):
        trials.enter_stage(session, TrialClaim.of(trial), TrialStatus.BUILDING, {})


def test_one_failed_trial_fails_the_run_but_not_before_its_end(
    session: Session, host: Host
) -> None:
    run = ask_run(session, count=2)

    failed = fail_next(session, host.id)

    assert failed.failure is not None
    assert failed.failure.code == "build_failed"
    assert (run.status, run.finished_at) == (RunStatus.RUNNING, None)
    succeed_next(session, host.id)
    assert run.status is RunStatus.FAILED
    assert run.finished_at is not None


def test_a_stopped_worker_returns_its_trial_unchanged(session: Session, host: Host) -> None:
    run = ask_run(session)
    trial = claim_next(session, host.id)

    trials.give_back(session, TrialClaim.of(trial))

    assert (trial.status, trial.attempt, trial.lease_until) == (TrialStatus.QUEUED, 1, None)
    assert run.status == RunStatus.QUEUED
    assert claim_next(session, host.id).id == trial.id


def test_a_returned_trial_of_a_cancelled_run_is_cancelled(session: Session, host: Host) -> None:
    run = ask_run(session)
    trial = claim_next(session, host.id)
    service.cancel_run(session, run)

    trials.give_back(session, TrialClaim.of(trial))

    assert trial.status == TrialStatus.CANCELLED
    assert run_of(session, trial).status == RunStatus.CANCELLED


def test_a_renewed_lease_does_not_expire(session: Session, host: Host) -> None:
    ask_run(session)
    trial = claim_next(session, host.id)
    let_lease_run_out(session, trial)

    assert repository.renew_lease(session, trial.id, trial.attempt, 30) == (True, False)

    assert trials.recover_lost(session) == []


def test_a_write_renews_a_lease_of_before_the_clock_was_set_back(
    session: Session, host: Host
) -> None:
    ask_run(session, ["node"])
    trial = claim_next(session, host.id)
    trial.lease_until = func.now() + timedelta(hours=1)
    session.flush()

    trials.enter_stage(session, TrialClaim.of(trial), TrialStatus.STARTING, {})
    session.flush()
    session.refresh(trial)
    left = session.scalar(select(Trial.lease_until - func.now()).where(Trial.id == trial.id))
    assert left == timedelta(seconds=trials.LEASE_SECONDS)


def test_a_lost_trial_is_repeated_twice_and_then_fails(session: Session, host: Host) -> None:
    run = ask_run(session)
    for attempt in range(1, MAX_REPEATS + 1):
        trial = claim_next(session, host.id)
        assert trial.attempt == attempt
        let_lease_run_out(session, trial)
        assert [lost.id for lost in trials.recover_lost(session)] == [trial.id]
        assert (trial.status, trial.lease_until) == (TrialStatus.QUEUED, None)
    trial = claim_next(session, host.id)
    trials.enter_stage(session, TrialClaim.of(trial), TrialStatus.STARTING, {})
    let_lease_run_out(session, trial)

    trials.recover_lost(session)

    assert trial.status == TrialStatus.FAILED
    assert trial.failure is not None
    assert (trial.failure.code, trial.failure.stage) == ("worker_lost", "starting")
    assert trial.failure.cause == FailureCause.INFRASTRUCTURE
    assert "repeated the trial 2 times" in trial.failure.detail
    assert [failure.stage for failure in trial.retried_failures] == ["building", "building"]
    assert run.status == RunStatus.FAILED


def test_a_lost_trial_of_a_cancelled_run_is_cancelled(session: Session, host: Host) -> None:
    run = ask_run(session, count=2)
    trial = claim_next(session, host.id)
    service.cancel_run(session, run)
    assert run_of(session, trial).status == RunStatus.RUNNING
    let_lease_run_out(session, trial)

    trials.recover_lost(session)

    assert trial.status == TrialStatus.CANCELLED
    assert run_of(session, trial).status == RunStatus.CANCELLED


def test_only_expired_leases_are_recovered_unless_the_host_itself_requests_it(
    session: Session, host: Host
) -> None:
    other = add_host(session, "bench-02")
    ask_run(session, host="bench-01")
    ask_run(session, host="bench-02")
    held, others = claim_next(session, host.id), claim_next(session, other.id)

    assert trials.recover_lost(session) == []
    assert [trial.id for trial in trials.recover_lost(session, host.id)] == [held.id]
    assert others.status == TrialStatus.BUILDING


def write_all(session: Session, claim: TrialClaim) -> list[Callable[[], object]]:
    """Yield every write that a worker makes under its claim."""
    failure = trials.describe_failure(WorkerLost("It was lost."), "starting")
    return [
        lambda: trials.hold(session, claim),
        lambda: trials.enter_stage(session, claim, TrialStatus.STARTING, {}),
        lambda: trials.end_trial(session, claim, TrialStatus.SUCCEEDED, stage_seconds={}),
        lambda: trials.end_trial(session, claim, TrialStatus.CANCELLED, stage_seconds={}),
        lambda: trials.fail_trial(session, claim, failure, stage_seconds={}),
        lambda: trials.give_back(session, claim),
        lambda: trials.resume(session, claim),
    ]


def test_every_write_of_an_earlier_attempt_is_refused(session: Session, host: Host) -> None:
    ask_run(session)
    trial = claim_next(session, host.id)
    stale = TrialClaim.of(trial)
    let_lease_run_out(session, trial)
    trials.recover_lost(session)
    assert claim_next(session, host.id).attempt == 2
    lease_until = trial.lease_until

    renewed = repository.renew_lease(session, *(stale.trial_id, stale.attempt), 300)
    assert renewed == (False, False)
    for write in write_all(session, stale):
        with pytest.raises(TakenOver):
            write()

    session.refresh(trial)
    assert (trial.status, trial.attempt) == (TrialStatus.BUILDING, 2)
    assert trial.lease_until == lease_until


@pytest.mark.parametrize("end", [TrialStatus.SUCCEEDED, TrialStatus.FAILED, TrialStatus.CANCELLED])
def test_every_other_write_to_a_trial_that_has_ended_is_refused(
    session: Session, host: Host, end: TrialStatus
) -> None:
    ask_run(session)
    trial = claim_next(session, host.id)
    for stage in STAGES[1:]:
        trials.enter_stage(session, TrialClaim.of(trial), stage, {})
    trials.end_trial(session, TrialClaim.of(trial), end, stage_seconds={})
    finished_at = trial.finished_at

    for write in write_all(session, TrialClaim.of(trial)):
        with suppress(TakenOver):
            write()

    session.refresh(trial)
    assert (trial.status, trial.finished_at) == (end, finished_at)


def test_a_write_can_be_repeated_after_a_lost_response(session: Session, host: Host) -> None:
    ask_run(session, count=3)
    first = claim_next(session, host.id)
    claim = TrialClaim.of(first)
    for stage in STAGES[1:]:
        first = trials.enter_stage(session, claim, stage, {"building": 1.0})
        assert trials.enter_stage(session, claim, stage, {"building": 9.0}) is first
    assert first.stage_seconds == {"building": 1.0}
    for _ in range(2):
        trials.end_trial(session, claim, TrialStatus.SUCCEEDED, stage_seconds={})

    again = claim_next(session, host.id)
    lost = TrialClaim.of(again)
    failure = trials.describe_failure(LoadGeneratorDied("It died."), "measuring")
    for _ in range(2):
        again = trials.fail_trial(session, lost, failure, stage_seconds={})
    assert len(again.retried_failures) == 1

    back = TrialClaim.of(claim_next(session, host.id))
    for _ in range(2):
        assert trials.give_back(session, back).status == TrialStatus.QUEUED


def test_a_finished_measurement_is_accepted_until_another_attempt_begins(
    session: Session, host: Host
) -> None:
    run = ask_run(session)
    trial = claim_next(session, host.id)
    let_lease_run_out(session, trial)
    trials.recover_lost(session)
    assert trial.status == TrialStatus.QUEUED

    trials.resume(session, TrialClaim.of(trial))
    trials.end_trial(session, TrialClaim.of(trial), TrialStatus.SUCCEEDED, stage_seconds={})

    assert (trial.status, trial.attempt) == (TrialStatus.SUCCEEDED, 1)
    assert trial.retried_failures == []
    assert run.status == RunStatus.SUCCEEDED


@pytest.mark.parametrize(
    ("error", "repeats"),
    [
        (WorkerLost("lost"), 2),
        (LoadGeneratorDied("died"), 2),
        (BackingServiceDied("died"), 2),
        (ServiceDied("died"), 0),
        (VerificationFailed("wrong"), 0),
        (TachoError("bug"), 0),
        (NotFound("gone"), 0),
    ],
)
def test_only_failures_of_infrastructure_and_load_generator_are_repeated(
    session: Session, host: Host, error: TachoError, repeats: int
) -> None:
    ask_run(session)
    failure = trials.describe_failure(error, "building")
    for _ in range(repeats):
        trials.fail_trial(
            session, TrialClaim.of(claim_next(session, host.id)), failure, stage_seconds={}
        )
    trial = claim_next(session, host.id)
    assert trial.attempt == repeats + 1

    trials.fail_trial(session, TrialClaim.of(trial), failure, stage_seconds={})

    assert trial.status == TrialStatus.FAILED
    assert trial.failure is not None
    assert trial.failure.cause == error.cause
    assert trial.retried_failures == [failure] * repeats
    assert trials.claim_next(session, host.id) is None


def test_trials_of_other_installations_are_recognised(session: Session, host: Host) -> None:
    run = ask_run(session)
    own = str(run.trials[0].id)

    known = repository.list_known_trials(session, [own, str(UUID(int=1)), "not an id"])

    assert known == {own}
