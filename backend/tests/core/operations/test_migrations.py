"""Migrations: their schema matches the models, and they run up, down and up again."""

from collections.abc import Callable, Iterator

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

from backend.core.db import make_engine
from backend.core.models import Run
from backend.core.models.measurement import is_partition
from backend.core.operations.migration import alembic_config, migrate

# Importing one table registers them all.
METADATA = Run.metadata


BASELINE = "7b1f0c2d9a64"


@pytest.fixture(scope="module")
def empty_url(new_database: Callable[[], str]) -> str:
    """URL of an empty database."""
    return new_database()


@pytest.fixture
def engine(empty_url: str) -> Iterator[Engine]:
    engine = make_engine(empty_url)
    yield engine
    engine.dispose()


def tables(engine: Engine) -> set[str]:
    """Return the names of all tables, without partitions."""
    return {name for name in inspect(engine).get_table_names() if not is_partition(name)}


def drift(engine: Engine) -> list[object]:
    """Return the differences that autogenerate would write."""
    with engine.connect() as connection:
        options = {
            "compare_type": True,
            "include_name": lambda name, kind, _: kind != "table" or not is_partition(name or ""),
        }
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, METADATA))


def test_up_down_and_up_again(empty_url: str, engine: Engine) -> None:
    config = alembic_config(empty_url)

    command.upgrade(config, "head")
    assert tables(engine) == {*METADATA.tables, "alembic_version"}
    assert drift(engine) == []

    command.downgrade(config, BASELINE)
    command.upgrade(config, "head")
    assert drift(engine) == []


def checks(engine: Engine) -> set[tuple[str | None, str]]:
    """Return name and condition of every CHECK constraint of the schema."""
    found = inspect(engine).get_multi_check_constraints().values()
    return {(check["name"], check["sqltext"]) for table in found for check in table}


def test_enum_columns_have_the_checks_of_their_enums(
    new_database: Callable[[], str], empty_url: str, engine: Engine
) -> None:
    migrate(empty_url)
    from_models = make_engine(new_database())
    METADATA.create_all(from_models)

    assert len(checks(from_models)) > 15
    assert checks(engine) == checks(from_models)
    from_models.dispose()


def test_migrating_twice_changes_nothing(empty_url: str, engine: Engine) -> None:
    migrate(empty_url)
    migrate(empty_url)

    assert drift(engine) == []


def test_every_constraint_has_a_name_of_the_convention(empty_url: str, engine: Engine) -> None:
    migrate(empty_url)
    query = "SELECT conname FROM pg_constraint JOIN pg_class ON conrelid = pg_class.oid"
    with engine.connect() as connection:
        schema = "WHERE contype IN ('p', 'u', 'f', 'c') AND connamespace = 'public'::regnamespace"
        names = connection.execute(text(f"{query} {schema}")).scalars().all()

    assert len(names) > 20
    own = [name for name in names if "alembic" not in name]
    assert all(name.startswith(("pk_", "uq_", "fk_", "ck_")) for name in own)
