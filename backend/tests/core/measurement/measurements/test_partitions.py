"""The partitions of `sample`: created ahead of time, filled by id, and closed to bench hosts."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError, ProgrammingError
from sqlalchemy.orm import Session

from backend.core.db import is_lock_timeout, make_engine
from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.measurements.partitions import (
    MONTHS_AHEAD,
    create_coming_partitions,
    first_of_month,
    list_partitions,
)
from backend.core.operations.bench_hosts.grants import API_ROLE, DISPATCHER_ROLE
from backend.tests.months import find_table, measure_in

NEXT_YEAR = date(datetime.now(UTC).year + 1, 11, 17)


@pytest.fixture(scope="module")
def url(new_installation: Callable[[], str]) -> str:
    """URL of an installation of its own, because tests change its tables."""
    return new_installation()


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    engine = make_engine(url)
    yield engine
    engine.dispose()


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:
    with Session(engine) as session:
        yield session
        session.rollback()


@pytest.mark.parametrize(
    ("day", "later", "first"),
    [
        (date(2026, 11, 25), 0, date(2026, 11, 1)),
        (date(2026, 11, 25), 1, date(2026, 12, 1)),
        (date(2026, 11, 30), 2, date(2027, 1, 1)),
        (date(2027, 1, 1), -1, date(2026, 12, 1)),
        (date(2026, 12, 31), 12, date(2027, 12, 1)),
    ],
)
def test_months_are_counted_across_years(day: date, later: int, first: date) -> None:
    assert first_of_month(day, later) == first


def test_a_migrated_database_has_the_coming_partitions(session: Session) -> None:
    today = datetime.now(UTC).date()

    months = list_partitions(session)

    assert months == [first_of_month(today, ahead) for ahead in range(MONTHS_AHEAD + 1)]
    assert create_coming_partitions(session, today) == []


def test_seconds_without_a_partition_are_kept_and_move_into_a_new_one(session: Session) -> None:
    trial = measure_in(session, NEXT_YEAR)
    rows = measurements.list_sample_values(session, trial.id, ["phase", "second", "requests"])
    before = find_table(session, trial.id)

    created = create_coming_partitions(session, NEXT_YEAR)

    assert before == "sample_default"
    assert created == [first_of_month(NEXT_YEAR, ahead) for ahead in range(MONTHS_AHEAD + 1)]
    assert find_table(session, trial.id) == f"sample_{NEXT_YEAR:%Y_%m}"
    assert (
        measurements.list_sample_values(session, trial.id, ["phase", "second", "requests"]) == rows
    )
    assert set(created) <= set(list_partitions(session))


@contextmanager
def read_meanwhile(engine: Engine) -> Iterator[None]:
    """Keep a transaction open that has read and written trials and seconds."""
    with engine.begin() as connection:
        connection.execute(text("SELECT count(*) FROM sample"))
        connection.execute(text("DELETE FROM sample WHERE false"))
        connection.execute(text("UPDATE trial SET position = position WHERE false"))
        yield


def test_a_table_in_use_delays_new_partitions_for_a_moment_only(
    engine: Engine, session: Session
) -> None:
    with read_meanwhile(engine), pytest.raises(OperationalError) as raised:
        create_coming_partitions(session, NEXT_YEAR)
    session.rollback()

    assert is_lock_timeout(raised.value)
    assert len(create_coming_partitions(session, NEXT_YEAR)) == MONTHS_AHEAD + 1


def test_two_dispatchers_create_the_same_partitions_once(engine: Engine) -> None:
    """The second waits for the first, and finds its partitions."""
    found: list[list[date]] = []
    with Session(engine) as first:
        created = create_coming_partitions(first, NEXT_YEAR)

        def create() -> None:
            with Session(engine) as second:
                try:
                    found.append(create_coming_partitions(second, NEXT_YEAR))
                except OperationalError:
                    # It waited too long for the first; its next turn finds the partitions.
                    found.append([])

        thread = threading.Thread(target=create)
        thread.start()
        thread.join()
        first.rollback()
    assert len(created) == MONTHS_AHEAD + 1
    assert found == [[]]


def test_only_the_dispatcher_may_create_partitions(session: Session) -> None:
    session.execute(text(f"SET LOCAL ROLE {DISPATCHER_ROLE}"))
    assert create_coming_partitions(session, NEXT_YEAR)
    session.rollback()

    session.execute(text(f"SET LOCAL ROLE {API_ROLE}"))
    with pytest.raises(ProgrammingError, match="permission denied"):
        create_coming_partitions(session, NEXT_YEAR)


def test_no_role_reaches_a_partition_except_through_its_table(session: Session) -> None:
    trial = measure_in(session, NEXT_YEAR)
    table = find_table(session, trial.id)
    session.execute(text(f"SET LOCAL ROLE {DISPATCHER_ROLE}"))

    assert measurements.list_samples(session, trial.id, None)
    with pytest.raises(ProgrammingError, match="permission denied"):
        session.execute(text(f'SELECT * FROM "{table}"'))  # noqa: S608
