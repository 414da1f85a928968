"""GET /installation: what operators see of the whole installation."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from backend.api.operations.health import get_readings
from backend.core.catalog.repository import get_host, touch_host
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.documents import HostDisk
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.operations.monitoring.failure_advice import advise_on_failure
from backend.core.units import FailureCause, HostFolder
from backend.platform.layout import Layout
from backend.tests.accounts import add_workspace
from backend.tests.factories import HARNESS, HOST, add_host, ask_run, fail_next
from backend.tests.stopped_parts import write_stopped_worker
from backend.version import VERSION

URL = "/api/v1/installation"


@pytest.fixture(autouse=True)
def _read_again() -> None:
    """Callers share a reading for a second."""
    get_readings.cache_clear()


def list_alerts(found: dict[str, Any]) -> list[str]:
    """Return what was found, except that the disk of this machine is nearly full."""
    alerts = [item["alert"] for item in found["findings"]]
    return [alert for alert in alerts if alert != "TachoDiskLow"]


def test_versions_and_disks_are_shown(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session)

    found = client.get(URL).json()

    assert list_alerts(found) == []
    versions = found["versions"]
    assert (versions["tacho"], versions["statistics"]) == (VERSION, STATISTICS_VERSION)
    assert int(versions["postgresql"].split(".")[0]) >= 14
    assert int(versions["redis"].split(".")[0]) >= 6
    assert versions["schema_revision"]
    assert (found["database"], found["broker"]) == ("ok", "ok")
    assert found["database_bytes"] > 1e6
    (disk,) = [disk for disk in found["disks"] if disk["name"] == "data folder"]
    assert 0 < disk["free_bytes"] <= disk["size_bytes"]


def test_each_host_has_the_version_and_the_disks_of_its_worker(client: TestClient) -> None:
    disk = HostDisk(name=HostFolder.DATA, size_bytes=2**40, free_bytes=2**39, needed_bytes=2**31)
    with unit_of_work() as session:
        touch_host(session, add_host(session).id, "", [disk])
        # A heartbeat without disks leaves those before.
        touch_host(session, get_host(session, HOST).id, "The disk is full.")
        older = add_host(session, "bench-02")
        older.harness = {}
        # Registered by a version that did not store its revision.
        older.schema_revision = None

    hosts = client.get(URL).json()["hosts"]

    assert [(host["worker_version"], host["disks"]) for host in hosts] == [
        (HARNESS["tacho"], [disk]),
        (None, []),
    ]
    assert [host["lacks_disk"] for host in hosts] == [True, False]
    assert [host["is_outdated"] for host in hosts] == [False, True]


def test_a_host_cannot_break_the_page_with_its_disks(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session)
    for stored in (
        '"text"',
        '[{"name": "secret", "size_bytes": 1, "free_bytes": 1, "needed_bytes": 1}]',
        '[{"name": "data folder", "size_bytes": -1, "free_bytes": "1", "needed_bytes": 1e99}]',
        '[{"name": "data folder"}]',
    ):
        with unit_of_work() as session:
            statement = text("UPDATE host SET disks = CAST(:stored AS jsonb)")
            session.execute(statement, {"stored": stored})
        get_readings.cache_clear()

        (found,) = client.get(URL).json()["hosts"]

        assert found["disks"] == [], stored


def test_a_part_that_keeps_stopping_is_found_with_its_log(
    client: TestClient, database: Settings
) -> None:
    with unit_of_work() as session:
        add_host(session)
    layout = Layout(database.data)
    write_stopped_worker(layout, "no such file")
    try:
        found = client.get(URL).json()
    finally:
        layout.part_states.unlink()

    assert list_alerts(found) == ["TachoPartDown"]
    assert found["parts"][0]["last_lines"] == ["no such file"]


def test_faults_have_advice_and_name_no_run_and_no_workspace(client: TestClient) -> None:
    with unit_of_work() as session:
        host = add_host(session)
        workspace = add_workspace(session, "hidden-team")
        run = ask_run(
            session, title="Hidden title", visibility="private", workspace_id=workspace.id
        )
        fail_next(session, host.id)
        hidden = ("hidden-team", "Hidden title", run.slug, str(run.id))

    answer = client.get(URL)

    (fault,) = answer.json()["faults"]
    assert fault["host"] == HOST
    assert fault["cause"] == "service"
    assert fault["action"] == advise_on_failure(FailureCause.SERVICE, fault["code"])
    assert not any(name in answer.text for name in hidden)
