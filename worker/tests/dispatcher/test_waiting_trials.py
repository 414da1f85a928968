"""The dispatcher reports a full disk of the database, which workers elsewhere do not see."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.runs.queue.database_disk import find_reported_shortage
from backend.tests.factories import HOST, add_host, ask_run
from worker.dispatcher import tasks


@pytest.fixture
def notified(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The queues that got a wake-up message. A trial waits for one host."""
    with unit_of_work() as session:
        add_host(session)
        ask_run(session)
    queues: list[str] = []
    monkeypatch.setattr(tasks, "try_wake_up_worker", queues.append)
    yield queues
    monkeypatch.undo()
    get_settings.cache_clear()


def set_limit(monkeypatch: pytest.MonkeyPatch, folder: Path, least_mb: int) -> None:
    monkeypatch.setenv("TACHO_DATABASE_FOLDER", str(folder))
    monkeypatch.setenv("TACHO_DATABASE_FREE_MB", str(least_mb))
    get_settings.cache_clear()


def read_report() -> str:
    with unit_of_work() as session:
        return find_reported_shortage(session)


def test_no_host_is_notified_until_the_database_has_space(
    notified: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than any disk has.
    set_limit(monkeypatch, tmp_path, 10**9)
    tasks.notify_hosts()
    assert "on the disk of the database" in read_report()
    assert notified == []

    set_limit(monkeypatch, tmp_path, 1)
    tasks.notify_hosts()
    assert read_report() == ""
    assert notified == [HOST]
