"""Only a single worker serves a bench host: a second worker waits, and a lost lock is noticed."""

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from backend.core.db import get_engine, unit_of_work
from backend.core.errors import Conflict
from worker.bench_host.host_lock import HostLock

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def locks() -> Iterator[tuple[HostLock, HostLock]]:
    """Return the locks of two workers with the same host name."""
    first, second = HostLock("bench-01"), HostLock("bench-01")
    yield first, second
    first.release()
    second.release()


def break_connection(lock: HostLock) -> None:
    """End the server process that holds a lock."""
    with get_engine().connect() as connection:
        connection.execute(
            text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": lock.backend_pid}
        )


def may_claim(lock: HostLock) -> bool:
    with unit_of_work() as session:
        try:
            lock.check(session)
        except Conflict:
            return False
    return True


def test_only_the_holder_may_claim(locks: tuple[HostLock, HostLock]) -> None:
    first, second = locks

    assert first.keep()
    assert not second.keep()

    assert may_claim(first)
    assert not may_claim(second)
    other = HostLock("bench-02")
    assert other.keep()
    assert may_claim(other)
    other.release()


def test_a_broken_connection_forbids_claims_until_the_lock_is_taken_again(
    locks: tuple[HostLock, HostLock],
) -> None:
    first, _ = locks
    assert first.keep()

    break_connection(first)

    assert not may_claim(first)
    assert first.keep()
    assert may_claim(first)


def test_a_lock_that_another_worker_took_meanwhile_is_not_kept(
    locks: tuple[HostLock, HostLock],
) -> None:
    first, second = locks
    assert first.keep()
    break_connection(first)
    assert second.keep()

    assert not first.keep()
    assert not may_claim(first)
    assert may_claim(second)


def test_a_second_worker_logs_that_it_waits_and_takes_over(
    locks: tuple[HostLock, HostLock], caplog: pytest.LogCaptureFixture
) -> None:
    first, second = locks
    assert first.keep()
    with (
        caplog.at_level(logging.WARNING, "worker.bench_host.host_lock"),
        ThreadPoolExecutor(1) as pool,
    ):
        waiting = pool.submit(second.wait)
        while not caplog.records:
            assert not waiting.done()
        first.release()
        assert waiting.result(timeout=20)

    assert "Another worker serves the bench host 'bench-01'" in caplog.messages[0]
    assert "TACHO_BENCH_HOST" in caplog.messages[0]
    assert "this worker now serves the host 'bench-01'" in caplog.messages[-1]
    assert may_claim(second)


def test_a_worker_that_is_stopped_ends_its_wait(locks: tuple[HostLock, HostLock]) -> None:
    first, second = locks
    assert first.keep()

    assert not second.wait(lambda: True)
