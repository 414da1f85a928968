"""Disks with too little free space: hosts take no trials, and no new runs are accepted."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, update

from backend.core.catalog.repository import get_host, touch_host
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.errors import Unavailable
from backend.core.models import DatabaseShortage
from backend.core.runs.queue.database_disk import (
    find_shortage,
    find_trial_shortage,
    report_shortage,
)
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.repository import list_waiting_queues
from backend.tests.answers import document, problem
from backend.tests.asking import RUNS, body
from backend.tests.disks import small_disk
from backend.tests.factories import HOST, add_host, ask_run

SHORTAGE = (
    "Only 1.2 GiB are free on the disk of the data folder, and 3.0 GiB are needed "
    "(TACHO_HOST_FREE_MB). Free some space there."
)
DATABASE_SHORTAGE = (
    "Only 0.9 GiB are free on the disk of the database, and 1.0 GiB are needed (half of "
    "TACHO_DATABASE_FREE_MB). Free some space there."
)
# More than any disk has.
EVERYTHING_MB = str(10**9)


def report(shortage: str) -> None:
    with unit_of_work() as session:
        touch_host(session, get_host(session, HOST).id, shortage)


def report_database(shortage: str, age: timedelta = timedelta()) -> None:
    with unit_of_work() as session:
        report_shortage(session, shortage)
        session.execute(update(DatabaseShortage).values(reported_at=func.now() - age))


@pytest.mark.parametrize(
    ("store", "shortage"), [(report, SHORTAGE), (report_database, DATABASE_SHORTAGE)]
)
def test_a_host_takes_no_trials_without_space_and_shows_why(
    client: TestClient, store: Callable[[str], None], shortage: str
) -> None:
    with unit_of_work() as session:
        host_id = add_host(session).id
    queued = document(client.post(RUNS, json=body()), 202)
    # The second report replaces the first one.
    store("Only 0.8 GiB are free.")
    store(shortage)

    with unit_of_work() as session:
        assert trials.claim_next(session, host_id) is None
        assert list_waiting_queues(session) == []
    (host,) = document(client.get("/api/v1/hosts"))["items"]
    (of_queue,) = document(client.get("/api/v1/queue"))["hosts"]
    (of_home,) = document(client.get("/api/v1/home"))["hosts"]
    (of_health,) = document(client.get("/api/v1/health"))["hosts"]
    for found in (host, of_queue, of_home, of_health):
        assert (found["state"], found["disk_shortage"]) == ("low_disk", shortage)
    assert [item["run"]["id"] for item in of_queue["runs"]] == [queued["id"]]
    assert of_queue["runs"][0]["expected_start_at"] is None

    store("")
    with unit_of_work() as session:
        assert list_waiting_queues(session) == [HOST]
        assert trials.claim_next(session, host_id) is not None
    (host,) = document(client.get("/api/v1/hosts"))["items"]
    assert (host["state"], host["disk_shortage"]) == ("busy", None)


def test_a_run_goes_to_a_host_with_space(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session)
        add_host(session, "bench-02")
        ask_run(session, host="bench-02")
    report(SHORTAGE)

    assert document(client.post(RUNS, json=body()), 202)["host"] == "bench-02"
    (run,) = document(client.get("/api/v1/queue"))["hosts"][1]["runs"][1:]
    assert run["run"]["host"] == "bench-02"


@pytest.fixture(autouse=True)
def _settings_as_before() -> Iterator[None]:
    """Let later tests read the settings of the installation again."""
    yield
    get_settings.cache_clear()


def test_no_new_run_is_accepted_before_the_disk_of_the_database_is_full(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with unit_of_work() as session:
        add_host(session)
    headers = {"Idempotency-Key": "nightly"}
    first = document(client.post(RUNS, json=body(), headers=headers), 202)
    monkeypatch.setenv("TACHO_DATABASE_FOLDER", str(tmp_path))
    monkeypatch.setenv("TACHO_DATABASE_FREE_MB", EVERYTHING_MB)
    get_settings.cache_clear()

    refused = problem(client.post(RUNS, json=body()), 503, "unavailable")

    assert refused["detail"].startswith("No new run is accepted. Only ")
    assert "on the disk of the database" in refused["detail"]
    assert "TACHO_DATABASE_FREE_MB" in refused["detail"]
    shortage = client.get("/api/v1/health").json()["database_disk_shortage"]
    assert shortage in refused["detail"]
    with unit_of_work() as session, pytest.raises(Unavailable, match="No new run"):
        ask_run(session)
    # A repeated request returns its run.
    assert document(client.post(RUNS, json=body(), headers=headers), 202)["id"] == first["id"]
    assert len(document(client.get(RUNS))["items"]) == 1


@pytest.mark.parametrize(("folder", "free_mb"), [("", EVERYTHING_MB), (".", "0"), (".", "1")])
def test_runs_are_accepted_with_space_and_without_knowledge(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, folder: str, free_mb: str
) -> None:
    with unit_of_work() as session:
        add_host(session)
    monkeypatch.setenv("TACHO_DATABASE_FOLDER", folder)
    monkeypatch.setenv("TACHO_DATABASE_FREE_MB", free_mb)
    get_settings.cache_clear()

    assert client.post(RUNS, json=body()).status_code == 202
    assert client.get("/api/v1/health").json()["database_disk_shortage"] is None


def test_the_report_of_a_dispatcher_that_has_stopped_expires(client: TestClient) -> None:
    with unit_of_work() as session:
        host_id = add_host(session).id
        ask_run(session)
    report_database(DATABASE_SHORTAGE, timedelta(minutes=3))

    (host,) = document(client.get("/api/v1/hosts"))["items"]
    assert (host["state"], host["disk_shortage"]) == ("idle", None)
    with unit_of_work() as session:
        assert list_waiting_queues(session) == [HOST]
        assert trials.claim_next(session, host_id) is not None


def test_trials_need_half_of_the_space_that_new_runs_need(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64m") as disk:
        both, runs_only, none = (
            Settings(database_folder=disk, database_free_mb=limit) for limit in (140, 100, 60)
        )
        assert "half of TACHO_DATABASE_FREE_MB" in find_trial_shortage(both)
        assert find_shortage(runs_only)
        assert find_trial_shortage(runs_only) == ""
        assert find_shortage(none) == find_trial_shortage(none) == ""
