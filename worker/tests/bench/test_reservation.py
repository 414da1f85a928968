"""A trial reserves all of its hosts or none, and keeps them without a connection."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.pool import QueuePool

from backend.core.db import get_engine, unit_of_work
from backend.core.models import HostLease
from worker.bench import reservation as reservation_module
from worker.bench.reservation import HostsBusy, TrialReservation
from worker.tests.acceptance.remains import is_true_within

pytestmark = pytest.mark.usefixtures("database")
FIRST, SECOND = UUID(int=1), UUID(int=2)


@pytest.fixture
def make_reservation() -> Iterator[Callable[[UUID], TrialReservation]]:
    """A function that returns a reservation of this holder, which is released at the end."""
    made: list[TrialReservation] = []

    def make(holder: UUID) -> TrialReservation:
        made.append(TrialReservation(holder))
        return made[-1]

    yield make
    for reservation in made:
        reservation.release()


def take(reservation: TrialReservation, *names: str) -> None:
    with unit_of_work() as session:
        reservation.take(session, names)


def list_reserved() -> list[str]:
    """Return the hosts whose reservation has not ended."""
    with unit_of_work() as session:
        query = select(HostLease.queue).where(HostLease.lease_until > func.now())
        return sorted(session.scalars(query))


def move_end(seconds: float) -> None:
    with unit_of_work() as session:
        end = func.now() + timedelta(seconds=seconds)
        session.execute(update(HostLease).values(lease_until=end))


def test_all_hosts_or_none(make_reservation: Callable[[UUID], TrialReservation]) -> None:
    first, second = make_reservation(FIRST), make_reservation(SECOND)
    take(first, "bench-02")

    with pytest.raises(HostsBusy, match="bench-02"):
        take(second, "bench-01", "bench-02")
    assert list_reserved() == ["bench-02"]

    first.release()
    take(second, "bench-01", "bench-02")
    assert list_reserved() == ["bench-01", "bench-02"]
    second.release()
    assert list_reserved() == []


def test_hosts_in_another_order_block_nobody(
    make_reservation: Callable[[UUID], TrialReservation],
) -> None:
    def take_often(holder: UUID, *names: str) -> None:
        taken = 0
        while taken < 5:
            reservation = make_reservation(holder)
            try:
                take(reservation, *names)
            except HostsBusy:
                continue
            taken += 1
            reservation.release()

    with ThreadPoolExecutor(2) as pool:
        tasks = [
            pool.submit(take_often, FIRST, "bench-01", "bench-02"),
            pool.submit(take_often, SECOND, "bench-02", "bench-01"),
        ]
        for task in tasks:
            task.result(timeout=120)


def test_a_reservation_is_renewed_without_a_connection_of_its_own(
    make_reservation: Callable[[UUID], TrialReservation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reservation_module, "_RENEW_SECONDS", 0.2)
    take(make_reservation(FIRST), "bench-01")
    pool = get_engine().pool
    assert isinstance(pool, QueuePool)
    assert is_true_within(30, lambda: pool.checkedout() == 0)
    move_end(-1)
    assert list_reserved() == []

    assert is_true_within(30, lambda: list_reserved() == ["bench-01"])


def test_the_hosts_of_a_killed_worker_are_free_when_it_starts_again(
    make_reservation: Callable[[UUID], TrialReservation],
) -> None:
    take(make_reservation(FIRST), "bench-01", "bench-02")
    restarted = make_reservation(FIRST)

    take(restarted, "bench-01")

    take(make_reservation(SECOND), "bench-02")


def test_a_worker_that_is_gone_loses_its_hosts_after_a_while(
    make_reservation: Callable[[UUID], TrialReservation], caplog: pytest.LogCaptureFixture
) -> None:
    gone = make_reservation(FIRST)
    take(gone, "bench-01")
    move_end(-1)

    take(make_reservation(SECOND), "bench-01")

    gone._renew()
    gone._renew()
    assert caplog.text.count("another trial has reserved the host 'bench-01'") == 1
