"""The dispatcher's thread finalizes a run when a worker wakes it up, and goes on after failures."""

from collections.abc import Iterator
from uuid import UUID

import pytest

from backend.core.db import unit_of_work
from backend.core.runs import repository
from backend.tests.factories import add_host, ask_run, succeed_next
from worker.dispatcher import finalizer as module
from worker.periodic import PeriodicThread
from worker.tests.acceptance.remains import is_true_within

pytestmark = pytest.mark.usefixtures("database")


def make_finalizer(period_s: float) -> PeriodicThread:
    return PeriodicThread("finalizer", module.judge_and_finalize, period_s)


@pytest.fixture
def finalizer() -> Iterator[PeriodicThread]:
    """Yield a started finalizer that works only when it is woken up."""
    finalizer = make_finalizer(3600)
    finalizer.start()
    yield finalizer
    finalizer.stop()


@pytest.fixture
def run_id() -> UUID:
    """Return an ended run."""
    with unit_of_work() as session:
        host = add_host(session)
        run_id = ask_run(session).id
        succeed_next(session, host.id)
        return run_id


def is_finalized(run_id: UUID) -> bool:
    with unit_of_work() as session:
        return repository.get_run_row(session, run_id).finalized_at is not None


def test_a_run_is_finalized_after_a_message(finalizer: PeriodicThread, run_id: UUID) -> None:
    finalizer.wake_up()

    assert is_true_within(30, lambda: is_finalized(run_id))


def test_a_run_is_finalized_without_a_message(run_id: UUID) -> None:
    finalizer = make_finalizer(0.05)
    finalizer.start()
    try:
        assert is_true_within(30, lambda: is_finalized(run_id))
    finally:
        finalizer.stop()


def test_a_failure_does_not_end_the_thread(
    finalizer: PeriodicThread, run_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def fail() -> None:
        calls.append(1)
        raise RuntimeError("of a test")

    with monkeypatch.context() as patched:
        patched.setattr(module, "continue_runs", fail)
        finalizer.wake_up()
        assert is_true_within(30, lambda: bool(calls))
    finalizer.wake_up()

    assert is_true_within(30, lambda: is_finalized(run_id))
