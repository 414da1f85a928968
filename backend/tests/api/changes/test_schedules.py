"""/schedules: runs by the clock."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from backend.core.catalog.repository import get_host
from backend.core.changes.schedules import service
from backend.core.db import unit_of_work
from backend.core.models import Run, Schedule
from backend.core.statuses import TokenScope
from backend.tests.accounts import add_token
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS, body
from backend.tests.factories import HOST, add_host

SCHEDULES = "/api/v1/schedules"
pytestmark = pytest.mark.usefixtures("host_id")


def asked(**fields: Any) -> dict[str, Any]:
    return {"name": "Nightly", "cron": "0 2 * * *", "time_zone": "UTC", "run": body(), **fields}


def create(client: TestClient, **fields: Any) -> dict[str, Any]:
    return document(client.post(SCHEDULES, json=asked(**fields)), 201)


def test_a_schedule_shows_its_run_and_its_next_times(client: TestClient) -> None:
    made = create(client, run=body(trials=3))

    assert (made["words"], made["enabled"], made["host"]) == ("At 02:00 every day", True, HOST)
    assert (made["run"]["trials"], made["run"]["host"]) == (3, HOST)
    times = [datetime.fromisoformat(time) for time in made["next_times"]]
    assert len(times) == 3
    assert all(time > datetime.now(UTC) and time.hour == 2 for time in times)
    assert made["scheduled_runs"] == []
    assert document(client.get(SCHEDULES))["items"] == [made]
    assert document(client.get(f"{SCHEDULES}/{made['id']}")) == made
    # The run that it shows is a valid body of POST /runs.
    assert document(client.post(RUNS, json=made["run"]), 202)


def test_an_overdue_schedule_starts_now(client: TestClient) -> None:
    made = create(client)
    with unit_of_work() as session:
        overdue = datetime.now(UTC) - timedelta(minutes=1)
        session.get_one(Schedule, UUID(made["id"])).next_at = overdue

    shown = document(client.get(f"{SCHEDULES}/{made['id']}"))

    (on_home,) = document(client.get("/api/v1/home"))["schedules"]
    for next_at in (shown["next_times"][0], on_home["next_at"]):
        assert datetime.now(UTC) - datetime.fromisoformat(next_at) < timedelta(seconds=30)


def test_lists_of_runs_can_leave_out_the_runs_of_schedules(client: TestClient) -> None:
    run = {"cells": [{"framework": "node", "scenario": "hello"}], "trials": 1}
    by_person = document(client.post(RUNS, json=run), 202)["slug"]
    made = create(client)
    by_schedule = document(client.post(f"{SCHEDULES}/{made['id']}/run"), 202)["slug"]

    def list_slugs(**query: str) -> list[str]:
        return [item["slug"] for item in document(client.get(RUNS, params=query))["items"]]

    assert list_slugs() == [by_schedule, by_person]
    assert list_slugs(scheduled="false") == [by_person]
    assert list_slugs(scheduled="true") == [by_schedule]


def test_pausing_and_resuming(client: TestClient) -> None:
    one = f"{SCHEDULES}/{create(client)['id']}"

    paused = document(client.patch(one, json={"enabled": False}))
    renamed = document(client.patch(one, json={"name": "Weekly", "cron": "0 3 * * SUN"}))
    resumed = document(client.patch(one, json={"enabled": True}))

    assert (paused["enabled"], paused["next_times"]) == (False, [])
    assert (renamed["name"], renamed["enabled"]) == ("Weekly", False)
    assert resumed["words"] == "At 03:00 on Sunday"
    assert {datetime.fromisoformat(time).weekday() for time in resumed["next_times"]} == {6}
    timing = {"cron": "0 3 * * SUN", "time_zone": "UTC"}
    preview = document(client.get("/api/v1/schedule-times", params=timing))
    assert preview["words"] == resumed["words"]
    assert preview["next_times"][:3] == resumed["next_times"]
    assert client.delete(one).status_code == 204
    problem(client.get(one), 404, "not_found")


def test_run_now_starts_a_scheduled_run_only_once_at_a_time(client: TestClient) -> None:
    made = create(client, name="Nightly")
    one = f"{SCHEDULES}/{made['id']}"

    run = document(client.post(f"{one}/run"), 202)
    again = problem(client.post(f"{one}/run"), 409, "conflict")

    assert (run["title"], run["host"]) == ("Nightly", HOST)
    assert run["slug"] in again["detail"]
    (scheduled_run,) = document(client.get(one))["scheduled_runs"]
    assert (scheduled_run["status"], scheduled_run["run_slug"]) == ("waiting", run["slug"])
    assert (scheduled_run["run_status"], scheduled_run["run_summary"]) == ("queued", None)
    with unit_of_work() as session:
        session.scalars(select(Run)).one().summary = "Node.js needs the least CPU per request"
    (ended,) = document(client.get(one))["scheduled_runs"]
    assert ended["run_summary"] == "Node.js needs the least CPU per request"
    client.delete(one)
    assert document(client.get(f"{RUNS}/{run['slug']}"))["status"] == "queued"


def test_invalid_schedules_are_refused(client: TestClient) -> None:
    made = document(client.post(SCHEDULES, json=asked()), 201)
    cases: list[tuple[str, dict[str, Any]]] = [
        ("cron", {"cron": "every night"}),
        ("time_zone", {"time_zone": "Berlin"}),
        ("name", {"name": ""}),
        ("run.cells.0.framework", {"run": body({"framework": "nodejs", "scenario": "hello"})}),
        ("run.host", {"run": body(host="bench-99")}),
        ("run.hosts", {"run": body(hosts=[HOST, "bench-99"])}),
        ("run.cells", {"run": {"cells": []}}),
    ]
    for field, change in cases:
        assert field in faults(client.post(SCHEDULES, json=asked(**change)))
        assert field in faults(client.patch(f"{SCHEDULES}/{made['id']}", json=change))
    assert document(client.get(SCHEDULES))["items"] == [made]


def test_anonymous_visitors_see_schedules_of_public_runs(
    client: TestClient, visitor: TestClient
) -> None:
    ids = {
        visibility: create(client, run=body(visibility=visibility))["id"]
        for visibility in ("private", "unlisted", "public")
    }

    shown = [item["id"] for item in document(visitor.get(SCHEDULES))["items"]]

    assert shown == [ids["public"]]
    problem(visitor.get(f"{SCHEDULES}/{ids['private']}"), 404, "not_found")
    assert document(visitor.get(f"{SCHEDULES}/{UUID(ids['unlisted'])}"))
    problem(visitor.delete(f"{SCHEDULES}/{ids['public']}"), 401, "unauthorized")


@pytest.mark.parametrize("schedule", ["public", "unlisted"])
def test_scheduled_runs_have_the_visibility_of_their_run(
    client: TestClient, visitor: TestClient, schedule: str
) -> None:
    one = f"{SCHEDULES}/{create(client, run=body(visibility=schedule))['id']}"
    slug = document(client.post(f"{one}/run"), 202)["slug"]
    come_due_meanwhile(UUID(one.rpartition("/")[2]))

    for visibility in ("public", "unlisted", "private"):
        document(client.patch(f"{RUNS}/{slug}", json={"visibility": visibility}))
        is_public = visibility == "public"

        for reader, sees in ((client, True), (visitor, is_public)):
            shown = reader.get(one)
            missed, started = document(shown)["scheduled_runs"]

            assert (slug in shown.text) is sees
            assert (started["run_slug"], started["run_status"]) == (
                (slug, "queued") if sees else (None, None)
            )
            assert (missed["reason"], slug in missed["detail"]) == ("previous_unfinished", sees)
        assert (slug in visitor.get(SCHEDULES).text) is (schedule == "public" and is_public)


def come_due_meanwhile(schedule_id: UUID) -> None:
    """The next time arrives while the run has not ended."""
    soon = datetime.now(UTC) + timedelta(seconds=1)
    with unit_of_work() as session:
        session.get_one(Schedule, schedule_id).next_at = soon
    with unit_of_work() as session:
        service.start_due(session, schedule_id, soon)


@pytest.fixture
def second_host(host_id: UUID) -> str:
    """Name of a further host."""
    with unit_of_work() as session:
        return add_host(session, "bench-02").name


def list_scheduled(client: TestClient, made: dict[str, Any]) -> list[tuple[str, str]]:
    """Return host and status of the scheduled runs of a schedule."""
    shown = document(client.get(f"{SCHEDULES}/{made['id']}"))["scheduled_runs"]
    return [(scheduled_run["host"], scheduled_run["status"]) for scheduled_run in shown]


def test_a_schedule_may_measure_on_several_hosts(client: TestClient, second_host: str) -> None:
    made = create(client, run=body(hosts=[second_host, HOST, second_host]))

    assert made["host"] == f"{second_host}, {HOST}"
    assert (made["run"]["host"], made["run"]["hosts"]) == (None, [second_host, HOST])
    # The run that it shows is a valid body of POST /runs.
    assert document(client.post(RUNS, json=made["run"]), 202)
    run = document(client.post(f"{SCHEDULES}/{made['id']}/run"), 202)
    group = document(client.get(f"/api/v1/run-groups/{run['group']['slug']}"))
    assert [(run["host"], run["title"]) for run in group["runs"]] == [
        (second_host, "Nightly"),
        (HOST, "Nightly"),
    ]
    assert list_scheduled(client, made) == [(second_host, "waiting"), (HOST, "waiting")]
    again = problem(client.post(f"{SCHEDULES}/{made['id']}/run"), 409, "conflict")
    assert run["slug"] in again["detail"]


def test_a_host_whose_run_has_not_ended_does_not_stop_the_others(
    client: TestClient, second_host: str
) -> None:
    made = create(client, run=body(hosts=[HOST, second_host]))
    first = document(client.post(f"{SCHEDULES}/{made['id']}/run"), 202)
    document(client.post(f"{RUNS}/{first['slug']}/cancel"))

    second = document(client.post(f"{SCHEDULES}/{made['id']}/run"), 202)

    assert second["host"] == HOST
    assert second["group"]["slug"] != first["group"]["slug"]
    assert list_scheduled(client, made)[:2] == [(HOST, "waiting"), (second_host, "missed")]


def test_each_host_is_chosen_when_the_runs_start(client: TestClient, second_host: str) -> None:
    made = create(client, run=body(hosts="each"))
    assert made["host"] == "each host"

    def pause(host: str) -> None:
        with unit_of_work() as session:
            get_host(session, host).paused_at = datetime.now(UTC)

    pause(second_host)
    document(client.post(f"{SCHEDULES}/{made['id']}/run"), 202)
    assert list_scheduled(client, made) == [(HOST, "waiting")]

    pause(HOST)
    come_due_meanwhile(UUID(made["id"]))
    missed, _ = document(client.get(f"{SCHEDULES}/{made['id']}"))["scheduled_runs"]
    assert (missed["host"], missed["reason"]) == (None, "refused")
    assert "paused" in missed["detail"]


def test_a_token_for_certain_hosts_adds_no_later_hosts(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        script = add_token(session, None, TokenScope.MANAGE, hosts=[HOST])

    made = visitor.post(SCHEDULES, json=asked(run=body(hosts="each")), headers=script)

    assert document(made, 201)["run"]["hosts"] == [HOST]
