"""Next to the schema of another version, parts wait and report it once."""

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from sqlalchemy.exc import OperationalError

from backend.core.config import Settings
from backend.core.schema import SchemaMismatch
from backend.tests.revisions import OLDER, other_revision
from worker.dispatcher.app import PeriodicTask, run_task
from worker.transactions import SchemaWatch

LIMIT_S = 60


def test_a_newer_schema_is_logged_once_and_its_end_too(
    database: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    watch = SchemaWatch()
    assert watch.is_current()

    with other_revision(database.database_url):
        assert [watch.is_current() for _ in range(3)] == [False] * 3
    assert watch.is_current()

    waits, goes_on = [record.getMessage() for record in caplog.records]
    assert waits.startswith("This part waits. A newer version of Tacho has migrated")
    assert "goes on" in goes_on


def test_a_load_is_sent_unless_the_schema_is_known_to_differ(
    database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = SchemaWatch()
    assert watch.may_be_current()
    with other_revision(database.database_url):
        assert not watch.may_be_current()

    def fail(_: object) -> None:
        raise OperationalError("SELECT 1", {}, Exception("the server closed the connection"))

    monkeypatch.setattr("worker.transactions.check_schema", fail)
    assert watch.may_be_current()


def test_a_start_next_to_an_older_schema_is_refused(database: Settings) -> None:
    with (
        other_revision(database.database_url, OLDER),
        pytest.raises(SchemaMismatch, match="Run `tacho migrate`"),
    ):
        SchemaWatch().wait_at_start(lambda: None)


def test_a_start_next_to_a_newer_schema_waits_with_heartbeats(database: Settings) -> None:
    has_beaten = Event()
    with ThreadPoolExecutor(1) as pool:
        with other_revision(database.database_url):
            start = pool.submit(SchemaWatch().wait_at_start, has_beaten.set, 0.01)
            assert has_beaten.wait(LIMIT_S)
            assert not start.done()
        start.result(LIMIT_S)


def test_tasks_of_the_dispatcher_wait_for_their_schema(database: Settings) -> None:
    ran: list[str] = []

    with other_revision(database.database_url):
        run_task(PeriodicTask("note", lambda: ran.append("during"), 10))
    run_task(PeriodicTask("note", lambda: ran.append("after"), 10))

    assert ran == ["after"]
