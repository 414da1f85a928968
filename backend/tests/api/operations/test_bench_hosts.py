"""PATCH /hosts/{name}: operators pause, resume and rename bench hosts."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.models import Host, Schedule
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.repository import list_waiting_queues
from backend.tests.accounts import add_member, sign_in
from backend.tests.answers import document, problem
from backend.tests.asking import RUNS, body
from backend.tests.factories import HOST, add_host, ask_run, claim_next
from backend.tests.rows import count_wake_up_messages

HOSTS = "/api/v1/hosts"
OTHER = "bench-02"
Headers = dict[str, str]


@pytest.fixture
def operator(host_id: UUID) -> Headers:
    with unit_of_work() as session:
        return sign_in(session, add_member(session, is_operator=True))


def change(client: TestClient, headers: Headers, **fields: object) -> object:
    return document(client.patch(f"{HOSTS}/{HOST}", json=fields, headers=headers))


def test_a_paused_host_finishes_its_trial_and_takes_no_new_one(
    client: TestClient, operator: Headers, host_id: UUID
) -> None:
    with unit_of_work() as session:
        ask_run(session, count=2)
        claim_next(session, host_id)
    change(client, operator, is_paused=True)

    shown = document(client.get(f"{HOSTS}/{HOST}", headers=operator))
    assert (shown["status"], shown["state"], shown["queued_trials"]) == ("paused", "busy", 2)
    with unit_of_work() as session:
        assert trials.claim_next(session, host_id) is None
        assert list_waiting_queues(session) == []


def test_a_paused_host_takes_runs_that_wait_until_it_is_resumed(
    client: TestClient, operator: Headers, host_id: UUID
) -> None:
    change(client, operator, is_paused=True)
    run = document(client.post(RUNS, json=body(host=HOST), headers=operator), 202)
    assert document(client.get(f"{HOSTS}/{HOST}", headers=operator))["state"] == "paused"
    sent = count_wake_up_messages(HOST)

    change(client, operator, is_paused=False)

    assert count_wake_up_messages(HOST) > sent
    with unit_of_work() as session:
        assert str(claim_next(session, host_id).run_id) == run["id"]


def test_a_run_without_a_host_prefers_a_host_that_is_not_paused(
    client: TestClient, operator: Headers
) -> None:
    with unit_of_work() as session:
        add_host(session, OTHER)
        ask_run(session, host=OTHER, count=5)
    change(client, operator, is_paused=True)

    run = document(client.post(RUNS, json=body(), headers=operator), 202)

    assert run["host"] == OTHER


def test_a_renamed_host_keeps_its_runs_and_its_queue(
    client: TestClient, operator: Headers, host_id: UUID
) -> None:
    with unit_of_work() as session:
        session.get_one(Host, host_id).joined_at = datetime.now(UTC)
    asked = {"name": "Nightly", "cron": "0 2 * * *", "time_zone": "UTC", "run": body(host=HOST)}
    made = document(client.post("/api/v1/schedules", json=asked, headers=operator), 201)
    token = {"name": "CI", "scope": "run", "owner": "me", "hosts": [HOST]}
    document(client.post("/api/v1/tokens", json=token, headers=operator), 201)
    run = document(client.post(RUNS, json=body(host=HOST), headers=operator), 202)

    change(client, operator, name="rack-7")

    assert document(client.get(f"/api/v1/runs/{run['id']}", headers=operator))["host"] == "rack-7"
    schedule = client.get(f"/api/v1/schedules/{made['id']}", headers=operator)
    assert document(schedule)["host"] == "rack-7"
    [listed] = document(client.get("/api/v1/tokens", headers=operator))["items"]
    assert listed["hosts"] == ["rack-7"]
    problem(client.get(f"{HOSTS}/{HOST}"), 404, "not_found")
    with unit_of_work() as session:
        assert list_waiting_queues(session) == [HOST]


def test_schedules_with_load_from_a_renamed_host_get_its_new_name(
    client: TestClient, operator: Headers, host_id: UUID
) -> None:
    with unit_of_work() as session:
        add_host(session, OTHER)
        session.get_one(Host, host_id).joined_at = datetime.now(UTC)
    asked = {"name": "Nightly", "cron": "0 2 * * *", "time_zone": "UTC", "run": body(host=OTHER)}
    made = document(client.post("/api/v1/schedules", json=asked, headers=operator), 201)
    with unit_of_work() as session:
        schedule = session.get_one(Schedule, UUID(made["id"]))
        schedule.request = replace(schedule.request, load_hosts=[HOST])

    change(client, operator, name="rack-7")

    with unit_of_work() as session:
        request = session.get_one(Schedule, UUID(made["id"])).request
    assert (request.host, list(request.load_hosts)) == (OTHER, ["rack-7"])


def test_schedules_on_several_hosts_follow_a_rename(
    client: TestClient, operator: Headers, host_id: UUID
) -> None:
    with unit_of_work() as session:
        add_host(session, OTHER)
        session.get_one(Host, host_id).joined_at = datetime.now(UTC)
    named, each = (
        document(
            client.post(
                "/api/v1/schedules",
                json={"name": "Nightly", "cron": "0 2 * * *", "run": body(hosts=hosts)},
                headers=operator,
            ),
            201,
        )
        for hosts in ([OTHER, HOST], "each")
    )

    change(client, operator, name="rack-7")

    shown = document(client.get(f"/api/v1/schedules/{named['id']}", headers=operator))
    assert shown["run"]["hosts"] == [OTHER, "rack-7"]
    shown = document(client.get(f"/api/v1/schedules/{each['id']}", headers=operator))
    assert shown["run"]["hosts"] == "each"


def test_a_host_that_names_itself_is_not_renamed(client: TestClient, operator: Headers) -> None:
    refused = client.patch(f"{HOSTS}/{HOST}", json={"name": "rack-7"}, headers=operator)

    assert "TACHO_BENCH_HOST" in problem(refused, 409, "conflict")["detail"]


def test_two_hosts_never_have_the_same_name(
    client: TestClient, operator: Headers, host_id: UUID
) -> None:
    with unit_of_work() as session:
        add_host(session, OTHER)
        session.get_one(Host, host_id).joined_at = datetime.now(UTC)

    refused = client.patch(f"{HOSTS}/{HOST}", json={"name": OTHER}, headers=operator)

    assert OTHER in problem(refused, 409, "conflict")["detail"]


def test_pauses_are_in_the_audit_log(client: TestClient, operator: Headers) -> None:
    change(client, operator, is_paused=True)

    items = document(client.get("/api/v1/installation-audit", headers=operator))["items"]

    [entry] = [item for item in items if item["action"] == "host.changed"]
    assert (entry["before"], entry["after"]) == (
        {"name": HOST, "is_paused": False},
        {"name": HOST, "is_paused": True},
    )
