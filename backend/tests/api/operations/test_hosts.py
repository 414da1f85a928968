"""GET /hosts and /health: the activity of hosts, and parts that are down."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, update

from backend.api.operations.health import get_readings
from backend.core.catalog.repository import OFFLINE_AFTER
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.models import Host
from backend.core.units import RuntimeKind
from backend.main import create_app
from backend.platform.layout import Layout
from backend.platform.load_generator import LoadGeneratorBuildFile
from backend.platform.processes.part_states import PartState
from backend.tests.answers import document, problem
from backend.tests.api.conftest import HERE, LOOPBACK
from backend.tests.factories import HOST, add_host, ask_run, claim_next
from backend.tests.installation import forget_cached
from backend.tests.stopped_parts import write_stopped_worker
from backend.version import VERSION

HEALTH = "/api/v1/health"
HOSTS = "/api/v1/hosts"


def go_offline(host_id: UUID) -> None:
    with unit_of_work() as session:
        seen = func.now() - 2 * OFFLINE_AFTER
        session.execute(update(Host).where(Host.id == host_id).values(seen_at=seen))


def test_a_host_is_idle_busy_or_offline(client: TestClient, host_id: UUID) -> None:
    assert document(client.get(f"{HOSTS}/{HOST}"))["state"] == "idle"
    with unit_of_work() as session:
        run = ask_run(session, count=3)
        claim_next(session, host_id)

    busy = document(client.get(f"{HOSTS}/{HOST}"))
    assert (busy["state"], busy["queued_trials"]) == ("busy", 3)
    assert busy["current_run_id"] == str(run.id)
    assert busy["fingerprint"] == {"cpu_model": "Test CPU", "logical_cores": 4}
    go_offline(host_id)
    assert document(client.get(f"{HOSTS}/{HOST}"))["state"] == "offline"


def test_hosts_are_listed_by_name_with_what_they_can_and_cannot_do(client: TestClient) -> None:
    with unit_of_work() as session:
        b = add_host(session, "b", {"spring-mvc": "mvn is missing"})
        b.service_address = "192.0.2.1"
        b.runtime, b.runtime_reason = RuntimeKind.DOCKER, "TACHO_BASES=debian is set."
        b.fingerprint = {**b.fingerprint, "bases": "debian"}
        add_host(session, "a")

    items = document(client.get(HOSTS))["items"]

    assert [item["name"] for item in items] == ["a", "b"]
    a, b = items
    assert (a["accepts_remote_load"], b["accepts_remote_load"]) == (False, True)
    assert b["unavailable"] == {"spring-mvc": "mvn is missing"}
    assert (b["runtime"], b["bases"]) == ("docker", "debian")
    assert b["runtime_reason"] == "TACHO_BASES=debian is set."
    assert (a["bases"], a["runtime_reason"]) == (None, "")


def test_a_host_shows_its_cpu_sets_and_roles_that_share_a_cpu(
    client: TestClient, host_id: UUID
) -> None:
    """A host whose worker was started by an older version has none."""
    assert document(client.get(f"{HOSTS}/{HOST}"))["cpus"] is None
    with unit_of_work() as session:
        cpus = {"service": "0-1", "load": "2", "backing": "2"}
        session.execute(update(Host).where(Host.id == host_id).values(fingerprint={"cpus": cpus}))

    shown = document(client.get(f"{HOSTS}/{HOST}"))["cpus"]

    assert (shown["service"], shown["load"], shown["backing"]) == ([0, 1], [2], [2])
    (note,) = shown["sharing"]
    assert note.startswith("Load and backing services share CPU 2")

    # The notes of its worker replace those that follow from the sets.
    planned = {"cpus": cpus, "cpu_layout": {"service": "1 core"}, "cpu_notes": ["From the plan."]}
    with unit_of_work() as session:
        session.execute(update(Host).where(Host.id == host_id).values(fingerprint=planned))
    shown = document(client.get(f"{HOSTS}/{HOST}"))["cpus"]
    assert (shown["layout"], shown["sharing"]) == ({"service": "1 core"}, ["From the plan."])


def test_all_is_well(client: TestClient, host_id: UUID) -> None:
    assert document(client.get(HEALTH)) == {
        "status": "ok",
        "database": "ok",
        "broker": "ok",
        "hosts": [{"name": HOST, "status": "ok", "state": "idle", "disk_shortage": None}],
        "parts": [],
        "load_generator": None,
        "database_disk_shortage": None,
        "backup": None,
        "version": VERSION,
        "statistics_version": STATISTICS_VERSION,
        "schema_problem": None,
        "detail": None,
    }


def test_an_installation_needs_a_worker_that_is_online(client: TestClient) -> None:
    def read_health(status: int) -> dict[str, Any]:
        # Callers share a reading for a second.
        get_readings.cache_clear()
        return document(client.get(HEALTH), status)

    without = read_health(503)
    with unit_of_work() as session:
        host_id = add_host(session).id
    go_offline(host_id)
    lost = read_health(503)
    with unit_of_work() as session:
        add_host(session, "bench-02")
    one_of_two = read_health(200)

    assert (without["status"], without["hosts"]) == ("down", [])
    assert without["detail"] == lost["detail"] == "Down: bench host (no worker is online)."
    assert lost["hosts"] == [
        {"name": HOST, "status": "down", "state": "offline", "disk_shortage": None}
    ]
    assert [host["status"] for host in one_of_two["hosts"]] == ["down", "ok"]


def test_a_broker_that_is_down_is_named(
    client: TestClient, host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
        forget_cached()
        health = document(client.get(HEALTH), 503)
    forget_cached()

    assert (health["status"], health["broker"], health["database"]) == ("down", "down", "ok")
    assert health["detail"] == "Down: broker."


def test_a_database_that_is_down_is_named(
    client: TestClient, host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
        forget_cached()
        with TestClient(create_app(), HERE, client=LOOPBACK) as other:
            health = document(other.get(HEALTH), 503)
            told = problem(other.get("/api/v1/runs"), 503, "unavailable")
    forget_cached()

    assert (health["status"], health["database"], health["broker"]) == ("down", "down", "ok")
    assert health["detail"] == "Down: database."
    assert "The database does not answer" in told["detail"]
    assert document(client.get(HEALTH))["status"] == "ok"


@pytest.fixture
def stopping_worker(database: Settings) -> PartState:
    return write_stopped_worker(Layout(database.data), "This worker does not start.")


def test_a_part_that_keeps_stopping_is_listed_with_its_log_for_callers_with_rights(
    client: TestClient, stopping_worker: PartState, request: pytest.FixtureRequest
) -> None:
    [part] = client.get(HEALTH).json()["parts"]
    assert part["name"] == "worker"
    assert part["status"] == "down"
    assert part["restarts"] == 7
    assert part["reason"] == "ended with exit code 1"
    assert part["last_lines"] == ["This worker does not start."]

    request.getfixturevalue("token")
    [part] = client.get(HEALTH).json()["parts"]
    assert part["reason"] == "ended with exit code 1"
    assert part["last_lines"] == []


def test_an_unreadable_state_does_not_break_health(
    client: TestClient, stopping_worker: PartState, database: Settings
) -> None:
    Layout(database.data).part_states.write_text("{")
    assert client.get(HEALTH).json()["parts"] == []


def test_a_load_generator_that_is_being_built_is_reported(
    client: TestClient, database: Settings
) -> None:
    assert client.get(HEALTH).json()["load_generator"] is None
    file = LoadGeneratorBuildFile(Layout(database.data).load_generator_build)
    file.write(0.5)
    try:
        build = client.get(HEALTH).json()["load_generator"]
        assert build == {"host": database.bench_host, "remaining_seconds": 0}
    finally:
        file.remove()
