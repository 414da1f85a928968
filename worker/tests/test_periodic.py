"""A periodic thread calls its function again and again, also after an error."""

import logging
import threading

import pytest
from sqlalchemy.exc import OperationalError

from backend.tests.waiting import LIMIT_S
from worker.tests.acceptance.remains import is_true_within
from worker.transactions import PeriodicThread


def test_it_calls_after_each_period_until_it_is_stopped() -> None:
    calls: list[int] = []
    thread = PeriodicThread("test", lambda: calls.append(1), 0.01)
    thread.start()
    assert is_true_within(30, lambda: len(calls) > 2)

    thread.stop()

    assert not any(running.name == "test" for running in threading.enumerate())


def test_the_function_may_choose_the_next_period() -> None:
    called = threading.Semaphore(0)

    def work() -> float:
        called.release()
        return 3600

    thread = PeriodicThread("test", work, 0.01)
    thread.start()
    assert called.acquire(timeout=LIMIT_S)
    assert not called.acquire(timeout=0.2)
    thread.wake_up()
    assert called.acquire(timeout=LIMIT_S)
    thread.stop()


def test_an_error_is_logged_and_an_outage_only_once(caplog: pytest.LogCaptureFixture) -> None:
    outage = OperationalError("SELECT 1", {}, Exception("the server closed the connection"))
    errors: list[Exception] = [RuntimeError("a fault"), outage, outage, outage]

    def work() -> None:
        if errors:
            raise errors.pop(0)

    thread = PeriodicThread("test", work, 0.01)
    with caplog.at_level(logging.WARNING):
        thread.start()
        assert is_true_within(30, lambda: not errors)
        thread.stop()

    assert [record.levelname for record in caplog.records].count("ERROR") == 1
    assert caplog.text.count("the database does not answer") == 1
