"""PATCH /hosts/{name}: operators pause, resume and rename bench hosts."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
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


def test_a_renamed_host_keeps_its_runs_its_queue_and_its_schedules(
    client: TestClient, operator: Headers, host_id: UUID
) -> None:
    with unit_of_work() as session:
        add_host(session, OTHER)
        session.get_one(Host, host_id).joined_at = datetime.now(UTC)

    def add_schedule(**fields: object) -> str:
        asked = {"name": "Nightly", "cron": "0 2 * * *", "run": body(**fields)}
        made = client.post("/api/v1/schedules", json=asked, headers=operator)
        return str(document(made, 201)["id"])

    def read_run(schedule_id: str) -> dict[str, Any]:
        shown = document(client.get(f"/api/v1/schedules/{schedule_id}", headers=operator))
        run: dict[str, Any] = shown["run"]
        return run

    on_host, on_other = add_schedule(host=HOST), add_schedule(host=OTHER)
    on_both, on_each = add_schedule(hosts=[OTHER, HOST]), add_schedule(hosts="each")
    with unit_of_work() as session:
        schedule = session.get_one(Schedule, UUID(on_other))
        schedule.request = replace(schedule.request, load_hosts=[HOST])
    token = {"name": "CI", "scope": "run", "owner": "me", "hosts": [HOST]}
    document(client.post("/api/v1/tokens", json=token, headers=operator), 201)
    run = document(client.post(RUNS, json=body(host=HOST), headers=operator), 202)

    change(client, operator, name="rack-7")

    assert document(client.get(f"/api/v1/runs/{run['id']}", headers=operator))["host"] == "rack-7"
    assert read_run(on_host)["host"] == "rack-7"
    load_run = read_run(on_other)
    assert (load_run["host"], load_run["load_hosts"]) == (OTHER, ["rack-7"])
    assert read_run(on_both)["hosts"] == [OTHER, "rack-7"]
    assert read_run(on_each)["hosts"] == "each"
    [listed] = document(client.get("/api/v1/tokens", headers=operator))["items"]
    assert listed["hosts"] == ["rack-7"]
    problem(client.get(f"{HOSTS}/{HOST}"), 404, "not_found")
    with unit_of_work() as session:
        assert list_waiting_queues(session) == [HOST]


def test_a_host_that_names_itself_and_a_name_in_use_are_refused(
    client: TestClient, operator: Headers, host_id: UUID
) -> None:
    def rename(name: str) -> Any:
        refused = client.patch(f"{HOSTS}/{HOST}", json={"name": name}, headers=operator)
        return problem(refused, 409, "conflict")["detail"]

    assert "TACHO_BENCH_HOST" in rename("rack-7")
    with unit_of_work() as session:
        add_host(session, OTHER)
        session.get_one(Host, host_id).joined_at = datetime.now(UTC)
    assert OTHER in rename(OTHER)
