"""Writes of the worker wait for the end of an outage, and are written once."""

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from backend.core import db
from backend.core.config import Settings
from backend.core.db import get_engine, unit_of_work
from backend.tests.waiting import LIMIT_S
from tools.benchmarks.socket_forwarder import SocketForwarder
from worker.transactions import WorkerStopping, run_transaction


def terminate(pid: int) -> None:
    """End a server process of the database."""
    with get_engine().connect() as connection:
        connection.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})


@pytest.mark.usefixtures("database")
def test_a_transaction_is_repeated_when_its_connection_is_terminated(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tries: list[int] = []

    def work(session: Session) -> int:
        tries.append(session.scalar(text("SELECT pg_backend_pid()")) or 0)
        if len(tries) <= 3:
            terminate(tries[-1])
        return session.scalar(text("SELECT 42")) or 0

    with caplog.at_level(logging.WARNING, "worker.transactions"):
        assert run_transaction(work) == 42

    assert len(tries) == 4
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2, said
    assert all("\n" not in line and "sqlalche.me" not in line for line in said)


@pytest.mark.usefixtures("database")
def test_an_error_that_is_not_an_outage_is_raised_at_once() -> None:
    tries: list[int] = []

    def work(session: Session) -> None:
        tries.append(1)
        session.execute(text("INSERT INTO host (id) VALUES (NULL)"))

    with pytest.raises(IntegrityError):
        run_transaction(work)
    assert len(tries) == 1


@pytest.mark.usefixtures("database")
def test_a_worker_that_is_stopped_does_not_wait_for_the_database() -> None:
    def work(session: Session) -> None:
        terminate(session.scalar(text("SELECT pg_backend_pid()")) or 0)
        session.execute(text("SELECT 1"))

    with pytest.raises(WorkerStopping):
        run_transaction(work, is_stopping=lambda: True)


@pytest.fixture
def network(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SocketForwarder]:
    """The network between this process and the database."""
    url = make_url(database.database_url)
    socket = Path(str(url.query["host"]), f".s.PGSQL.{url.port or 5432}")
    with SocketForwarder(socket) as forwarder:
        far = url.set(host="127.0.0.1", port=forwarder.port, query={})
        engine = db.make_engine(far.render_as_string(hide_password=False))
        factory = db._session_factory()
        monkeypatch.setattr(db, "new_session", lambda: factory.class_(engine))
        yield forwarder
        engine.dispose()


def test_a_write_waits_for_the_end_of_an_outage(network: SocketForwarder) -> None:
    """The outage lasts longer than a single attempt; the row is written once."""
    with unit_of_work() as session:
        session.execute(text("CREATE TABLE written (number int)"))
    tries: list[int] = []
    failed = Event()

    def work(session: Session) -> None:
        tries.append(1)
        if len(tries) > 1:
            failed.set()
        session.execute(text("INSERT INTO written VALUES (1)"))

    with ThreadPoolExecutor(1) as pool:
        with network.cut():
            write = pool.submit(run_transaction, work)
            assert failed.wait(LIMIT_S)
            assert not write.done()
        write.result(timeout=LIMIT_S)
    with unit_of_work() as session:
        assert session.scalars(text("SELECT number FROM written")).all() == [1]
        session.execute(text("DROP TABLE written"))
