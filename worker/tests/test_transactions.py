"""Writes of the worker wait for the end of an outage, and are written once."""

import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from backend.core import db
from backend.core.db import get_engine, unit_of_work
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.layout import Layout
from backend.platform.processes.programs import RunningProgram
from backend.tests.waiting import LIMIT_S
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


class Server:
    """A PostgreSQL of the test's own that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._layout = Layout(folder)
        self._layout.make()
        self._postgres = EmbeddedPostgres(self._layout, durable=True)
        self._postgres.prepare()
        self.start()
        self._postgres.create_database()
        self.url = self._postgres.url

    def start(self) -> None:
        self._program = RunningProgram(self._postgres.part(), self._layout)
        self._program.wait_ready()

    def kill(self) -> None:
        self._program.finish(time.monotonic())

    def stop(self) -> None:
        self._program.ask_to_stop()
        self._program.finish(time.monotonic() + 5)


@pytest.fixture
def server(
    tmp_path: Path, installation: object, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Server]:
    assert installation
    server = Server(tmp_path)
    engine = db.make_engine(server.url)
    factory = db._session_factory()
    monkeypatch.setattr(db, "new_session", lambda: factory.class_(engine))
    yield server
    engine.dispose()
    server.stop()


def test_a_write_waits_for_a_server_that_was_killed(server: Server) -> None:
    """The server stays away longer than a single attempt takes; the row is written once."""
    with unit_of_work() as session:
        session.execute(text("CREATE TABLE written (number int)"))
    server.kill()
    tried = Event()

    def work(session: Session) -> None:
        tried.set()
        session.execute(text("INSERT INTO written VALUES (1)"))

    with ThreadPoolExecutor(1) as pool:
        write = pool.submit(run_transaction, work)
        assert tried.wait(LIMIT_S)
        assert not write.done()
        server.start()
        write.result(timeout=LIMIT_S)
    with unit_of_work() as session:
        assert session.scalars(text("SELECT number FROM written")).all() == [1]
