"""A claimed trial in the database, and a database that closes connections."""

from collections.abc import Callable, Iterator
from threading import Event, Thread

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.tests.factories import add_host, ask_run, claim_next
from worker.pipeline.assignment import read_assignment
from worker.stages.assignment import Assignment
from worker.tests.runtime.conftest import k6, process_runtime

__all__ = ["k6", "process_runtime"]

_TERMINATE = text(
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    "WHERE pid <> pg_backend_pid() AND datname = current_database()"
)


@pytest.fixture
def assignment(database: Settings) -> Assignment:
    """Return the assignment of a claimed trial of node × hello."""
    assert database.database_url
    with unit_of_work() as session:
        host = add_host(session)
        ask_run(session)
        return read_assignment(session, claim_next(session, host.id).id)


@pytest.fixture
def end_outages(database: Settings, assignment: Assignment) -> Iterator[Callable[[], None]]:
    """End the database's connections repeatedly until the returned function is called."""
    assert assignment.attempt == 1
    over = Event()
    engine = create_engine(database.database_url, poolclass=NullPool, isolation_level="AUTOCOMMIT")

    def strike() -> None:
        while not over.wait(0.05):
            try:
                with engine.connect() as connection:
                    connection.execute(_TERMINATE)
            except OperationalError:
                continue

    thread = Thread(target=strike)
    thread.start()

    def end() -> None:
        over.set()
        thread.join()

    yield end
    end()
