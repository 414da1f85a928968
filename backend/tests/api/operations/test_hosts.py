"""GET /hosts and /health: the activity of hosts, and parts that are down."""

from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, update

from backend.core.catalog.repository import OFFLINE_AFTER
from backend.core.db import unit_of_work
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.models import Host
from backend.core.units import RuntimeKind
from backend.main import create_app
from backend.tests.answers import document, problem
from backend.tests.api.conftest import HERE, LOOPBACK
from backend.tests.factories import HOST, add_host, ask_run, claim_next
from backend.tests.installation import forget_cached
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


def test_a_host_with_an_address_for_services_accepts_remote_load(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session, "a")
        add_host(session, "b").service_address = "192.0.2.1"

    items = document(client.get(HOSTS))["items"]

    assert [item["accepts_remote_load"] for item in items] == [False, True]


def test_hosts_are_listed_by_name_with_what_they_cannot_run(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session, "b", {"spring-mvc": "mvn is missing"})
        add_host(session, "a")

    items = document(client.get(HOSTS))["items"]

    assert [item["name"] for item in items] == ["a", "b"]
    assert items[1]["unavailable"] == {"spring-mvc": "mvn is missing"}


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


def test_a_host_shows_the_plan_of_its_worker(client: TestClient, host_id: UUID) -> None:
    note = "Service and load share the core of CPUs 0,4: the load generator takes CPU time."
    fingerprint = {
        "cpus": {"service": "0", "load": "4", "backing": "4"},
        "cpu_layout": {"service": "1 core, 1 of 2 threads"},
        "cpu_notes": [note],
    }
    with unit_of_work() as session:
        session.execute(update(Host).where(Host.id == host_id).values(fingerprint=fingerprint))

    shown = document(client.get(f"{HOSTS}/{HOST}"))["cpus"]

    assert (shown["layout"], shown["sharing"]) == (fingerprint["cpu_layout"], [note])


def test_a_host_shows_its_runtime_and_base_images_with_the_reason(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session, "processes")
        host = add_host(session, "containers")
        host.runtime = RuntimeKind.DOCKER
        host.runtime_reason = "TACHO_BASES=debian is set."
        host.fingerprint = {**host.fingerprint, "bases": "debian"}

    containers = document(client.get(f"{HOSTS}/containers"))
    processes = document(client.get(f"{HOSTS}/processes"))

    assert (containers["runtime"], containers["bases"]) == ("docker", "debian")
    assert containers["runtime_reason"] == "TACHO_BASES=debian is set."
    assert (processes["bases"], processes["runtime_reason"]) == (None, "")


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


def test_an_installation_without_a_worker_is_reported(client: TestClient) -> None:
    health = document(client.get(HEALTH), 503)

    assert (health["status"], health["hosts"]) == ("down", [])
    assert health["detail"] == "Down: bench host (no worker is online)."


def test_a_lost_worker_is_reported(client: TestClient, host_id: UUID) -> None:
    go_offline(host_id)

    health = document(client.get(HEALTH), 503)

    assert health["hosts"] == [
        {"name": HOST, "status": "down", "state": "offline", "disk_shortage": None}
    ]
    assert health["detail"] == "Down: bench host (no worker is online)."


def test_one_worker_of_two_is_enough(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        add_host(session, "bench-02")
    go_offline(host_id)

    health = document(client.get(HEALTH))

    assert [host["status"] for host in health["hosts"]] == ["down", "ok"]


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
