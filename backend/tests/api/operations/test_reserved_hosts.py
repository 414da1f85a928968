"""/hosts/{name}/reservation: only runs of certain workspaces may use a host."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.changes.schedules import service as schedules
from backend.core.db import unit_of_work
from backend.tests.accounts import add_member, add_workspace, sign_in
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS, body
from backend.tests.factories import HOST, add_host, ask_run, claim_next

HOSTS = "/api/v1/hosts"
OTHER = "bench-02"
Headers = dict[str, str]


@pytest.fixture
def operator(client: TestClient, host_id: UUID) -> Headers:
    """An operator who owns the first workspace. There are two hosts and two workspaces."""
    with unit_of_work() as session:
        add_host(session, OTHER)
        add_workspace(session, "web")
        return sign_in(session, add_member(session, is_operator=True))


@pytest.fixture
def web(operator: Headers) -> Headers:
    """The owner of the second workspace."""
    with unit_of_work() as session:
        return sign_in(session, add_member(session, "bo@example.org", workspace="web"))


def reserve(
    client: TestClient, headers: Headers, workspaces: Sequence[str] | None, host: str = HOST
) -> dict[str, Any]:
    address = f"{HOSTS}/{host}/reservation"
    return document(client.put(address, json={"workspaces": workspaces}, headers=headers))


def ask(client: TestClient, headers: Headers, **fields: Any) -> dict[str, Any]:
    return document(client.post(RUNS, json=body(**fields), headers=headers), 202)


def test_only_workspaces_of_the_reservation_may_use_a_host(
    client: TestClient, operator: Headers, web: Headers
) -> None:
    assert reserve(client, operator, ["web"]) == {"workspaces": ["web"]}

    refused = client.post(RUNS, json=body(host=HOST), headers=operator)
    assert faults(refused) == {
        "host": f"Host {HOST!r} is reserved for other workspaces; this workspace may use {OTHER}."
    }
    assert ask(client, operator)["host"] == OTHER
    assert ask(client, web, host=HOST)["host"] == HOST

    assert reserve(client, operator, None) == {"workspaces": None}
    read = client.get(f"{HOSTS}/{HOST}/reservation", headers=operator)
    assert document(read) == {"workspaces": None}
    assert ask(client, operator, host=HOST)["host"] == HOST


def test_members_read_whether_they_may_use_a_host(
    client: TestClient, visitor: TestClient, operator: Headers, web: Headers
) -> None:
    reserve(client, operator, ["web"])

    def read(of: TestClient, headers: Headers) -> list[tuple[bool, bool]]:
        items = document(of.get(HOSTS, headers=headers))["items"]
        queues = document(of.get("/api/v1/home", headers=headers))["hosts"]
        assert [each["is_usable"] for each in items] == [each["is_usable"] for each in queues]
        return [(each["is_reserved"], each["is_usable"]) for each in items]

    assert read(client, operator) == [(True, False), (False, True)]
    assert read(client, web) == [(True, True), (False, True)]
    assert read(visitor, {}) == [(True, False), (False, True)]
    # The names of workspaces are for operators.
    assert '"web"' not in visitor.get(HOSTS).text
    problem(client.get(f"{HOSTS}/{HOST}/reservation", headers=web), 403, "forbidden")


def test_a_workspace_without_any_host_reads_whom_to_ask(
    client: TestClient, operator: Headers
) -> None:
    for host in (HOST, OTHER):
        reserve(client, operator, ["web"], host)

    for path, asked in (
        (RUNS, body()),
        (RUNS, body(host=HOST)),
        ("/api/v1/studies/wrk-flavours/reproduce", {"variant": "quick"}),
    ):
        told = problem(client.post(path, json=asked, headers=operator), 503, "unavailable")
        assert told["detail"].startswith("All bench hosts are reserved for other workspaces.")
    study = document(client.get("/api/v1/studies/wrk-flavours", headers=operator))
    assert study["host"] is None


def test_presets_and_studies_plan_for_hosts_that_the_workspace_may_use(
    client: TestClient, operator: Headers, web: Headers
) -> None:
    with unit_of_work() as session:
        add_host(session, OTHER, unavailable={"node": "node is missing"})
    reserve(client, operator, ["web"])

    def frameworks(headers: Headers) -> list[str]:
        preset = document(client.get("/api/v1/presets/first-look", headers=headers))
        return [framework["slug"] for framework in preset["frameworks"]]

    assert "node" in frameworks(web)
    assert "node" not in frameworks(operator)
    study = document(client.get("/api/v1/studies/wrk-flavours", headers=operator))
    assert study["host"] == OTHER


def test_queued_runs_still_take_place_but_a_schedule_misses_its_run(
    client: TestClient, operator: Headers, host_id: UUID
) -> None:
    with unit_of_work() as session:
        run = ask_run(session, host=HOST)
    asked = {"name": "Nightly", "cron": "0 2 * * *", "time_zone": "UTC", "run": body(host=HOST)}
    made = document(client.post("/api/v1/schedules", json=asked, headers=operator), 201)
    reserve(client, operator, ["web"])

    with unit_of_work() as session:
        assert claim_next(session, host_id).run_id == run.id
        due = datetime.fromisoformat(made["next_times"][0])
        schedules.start_due(session, UUID(made["id"]), due)

    shown = document(client.get(f"/api/v1/schedules/{made['id']}", headers=operator))
    [missed] = shown["scheduled_runs"]
    assert missed["status"] == "missed"
    assert "is reserved for other workspaces" in missed["detail"]
    again = client.post("/api/v1/schedules", json=asked, headers=operator)
    assert list(faults(again)) == ["run.host"]


def test_a_reservation_names_existing_workspaces(client: TestClient, operator: Headers) -> None:
    address = f"{HOSTS}/{HOST}/reservation"

    for workspaces, field in ((["web", "ops"], "workspaces.1"), ([], "workspaces")):
        refused = client.put(address, json={"workspaces": workspaces}, headers=operator)
        assert list(faults(refused)) == [field]

    assert list(faults(client.put(address, json={}, headers=operator))) == ["workspaces"]
    nowhere = client.put(
        f"{HOSTS}/bench-99/reservation", json={"workspaces": None}, headers=operator
    )
    problem(nowhere, 404, "not_found")


def test_a_workspace_with_a_reserved_host_is_not_deleted(
    client: TestClient, operator: Headers
) -> None:
    """Otherwise all workspaces could use the host."""
    reserve(client, operator, ["web"])

    told = problem(client.delete("/api/v1/workspaces/web", headers=operator), 409, "conflict")
    assert told["detail"].startswith(f"Host {HOST!r} is reserved for workspace 'web'.")
    reserve(client, operator, None)
    assert client.delete("/api/v1/workspaces/web", headers=operator).status_code == 204


def test_reservations_and_limits_are_in_the_audit_log(
    client: TestClient, operator: Headers
) -> None:
    reserve(client, operator, ["web"])
    limits = {"max_queued_trials": 5}
    document(client.patch("/api/v1/workspaces/web", json=limits, headers=operator))

    items = document(client.get("/api/v1/installation-audit", headers=operator))["items"]

    changes = {item["action"]: (item["before"], item["after"]) for item in items}
    assert changes["host.changed"] == (
        {"name": HOST, "reserved_for": None},
        {"name": HOST, "reserved_for": ["web"]},
    )
    assert changes["workspace.changed"][1]["max_queued_trials"] == 5
