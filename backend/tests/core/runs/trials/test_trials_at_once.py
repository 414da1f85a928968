"""Concurrent transactions on the same run. These tests commit."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import pytest
from sqlalchemy import select, text

from backend.core.db import new_session, unit_of_work
from backend.core.errors import Conflict
from backend.core.models import Trial
from backend.core.runs import repository, service
from backend.core.runs.trials import service as trials
from backend.core.statuses import RunStatus, TrialStatus
from backend.tests.factories import ask_run, claim_next, succeed_next
from backend.tests.waiting import LIMIT_S, wait_for_blocked

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def test_two_workers_never_claim_the_same_trial(host_id: UUID, pool: ThreadPoolExecutor) -> None:
    with unit_of_work() as session:
        ask_run(session, ["node", "go-nethttp"], count=4)
    together = Barrier(8)

    def claim() -> UUID:
        together.wait()
        with unit_of_work() as session:
            return claim_next(session, host_id).id

    claimed = list(pool.map(lambda _: claim(), range(8)))

    assert len(set(claimed)) == 8


def test_a_claim_skips_trials_that_another_claim_has_locked(host_id: UUID) -> None:
    with unit_of_work() as session:
        first, second = (ask_run(session).id for _ in range(2))
    with new_session() as one, new_session() as other:
        other.execute(text("SET LOCAL lock_timeout = '5s'"))
        assert claim_next(one, host_id).run_id == first
        assert claim_next(other, host_id).run_id == second


def test_a_duplicated_message_claims_once(host_id: UUID, pool: ThreadPoolExecutor) -> None:
    with unit_of_work() as session:
        ask_run(session)
    together = Barrier(2)

    def claim() -> bool:
        together.wait()
        with unit_of_work() as session:
            return trials.claim_next(session, host_id) is not None

    assert sorted(pool.map(lambda _: claim(), range(2))) == [False, True]


@pytest.mark.parametrize("change", [trials.give_back, trials.enter_stage, None])
def test_a_cancellation_waits_for_a_concurrent_change_of_a_trial(
    host_id: UUID, pool: ThreadPoolExecutor, change: Callable[..., Trial] | None
) -> None:
    """A transaction that locks rows in another order causes a deadlock here."""
    with unit_of_work() as session:
        run_id = ask_run(session, count=2).id
        if change is not None:
            claim_next(session, host_id)
    with unit_of_work() as session:
        held = session.scalars(
            select(Trial).where(Trial.run_id == run_id).order_by(Trial.position).limit(1)
        ).one()
        session.refresh(held, with_for_update=True)
        cancelled = pool.submit(cancel, run_id)
        wait_for_blocked(session)
        if change is None:
            claim_next(session, host_id)
        elif change is trials.give_back:
            trials.give_back(session, trials.TrialClaim.of(held))
        else:
            trials.enter_stage(session, trials.TrialClaim.of(held), TrialStatus.STARTING, {})
    cancelled.result(timeout=LIMIT_S)
    with unit_of_work() as session:
        run = repository.get_run(session, str(run_id))
        statuses = [trial.status for trial in run.trials]
    if change is trials.give_back:
        assert statuses == ["cancelled", "cancelled"]
        assert run.status == RunStatus.CANCELLED
    else:
        assert statuses == ["building" if change is None else "starting", "cancelled"]
        assert run.status == RunStatus.RUNNING
    assert run.cancel_requested_at is not None


def test_a_run_that_ends_while_it_is_cancelled_keeps_its_end(
    host_id: UUID, pool: ThreadPoolExecutor
) -> None:
    with unit_of_work() as session:
        run_id = ask_run(session).id
    with unit_of_work() as session:
        succeed_next(session, host_id)
        cancelled = pool.submit(cancel, run_id)
        wait_for_blocked(session)

    with pytest.raises(Conflict, match="has ended as succeeded"):
        cancelled.result(timeout=LIMIT_S)


def cancel(run_id: UUID) -> None:
    with unit_of_work() as session:
        service.cancel_run(session, repository.get_run(session, str(run_id)))
