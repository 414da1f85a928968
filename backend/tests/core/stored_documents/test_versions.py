"""The versions of topics: kept by triggers, without waiting, and never the same twice."""

from collections.abc import Iterator, Sequence
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, select, text

from backend.core.config import Settings
from backend.core.db import make_engine
from backend.core.models import DataVersion

NOTE = text("SELECT note_data_version(:topic)")
TOPIC = "a topic of the tests"


@pytest.fixture
def engine(database: Settings) -> Iterator[Engine]:
    engine = make_engine(database.database_url)
    yield engine
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM data_version WHERE topic = :topic"), {"topic": TOPIC})
    engine.dispose()


def note(connection: Connection) -> None:
    connection.execute(text("SET LOCAL lock_timeout = '1s'"))
    connection.execute(NOTE, {"topic": TOPIC})


def read(connection: Connection) -> Sequence[UUID]:
    query = select(DataVersion.id).where(DataVersion.topic == TOPIC).order_by(DataVersion.id)
    return connection.scalars(query).all()


def test_a_change_replaces_the_version(engine: Engine) -> None:
    seen = []
    for _ in range(3):
        with engine.begin() as connection:
            note(connection)
        with engine.begin() as connection:
            (version,) = read(connection)
            seen.append(version)

    assert len(set(seen)) == 3


def test_changes_at_the_same_time_do_not_wait_and_both_count(engine: Engine) -> None:
    with engine.begin() as connection:
        note(connection)
    with engine.connect() as first, engine.connect() as second, engine.connect() as reader:
        note(first)
        note(second)
        versions = [read(reader)]
        reader.commit()
        second.commit()
        versions.append(read(reader))
        reader.commit()
        first.commit()
        versions.append(read(reader))
        reader.commit()
        note(second)
        second.commit()
        versions.append(read(reader))

    assert len({tuple(version) for version in versions}) == 4
    assert len(versions[-1]) == 1


def test_an_undone_change_leaves_the_version(engine: Engine) -> None:
    with engine.begin() as connection:
        note(connection)
    with engine.connect() as connection:
        before = read(connection)
        note(connection)
        connection.rollback()
        assert read(connection) == before
