"""/schedules: runs by the clock."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.models import Schedule
from backend.core.schedules import service
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS, body
from backend.tests.factories import HOST

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


def test_a_schedule_may_measure_until_its_ranking_is_certain(client: TestClient) -> None:
    cells = [{"framework": name, "scenario": "hello"} for name in ("node", "go-nethttp")]

    made = create(client, run=body(*cells, until="ranked", max_minutes=10))

    run = made["run"]
    limits = (run["until"], run["max_trials"], run["max_minutes"])
    assert limits == ("ranked", 20, 10)
    assert run["trials"] is None
    # The run that it shows is a valid body of POST /runs.
    assert document(client.post(RUNS, json=run), 202)["goal"]["max_minutes"] == 10
    started = document(client.post(f"{SCHEDULES}/{made['id']}/run"), 202)
    assert document(client.get(f"{RUNS}/{started['slug']}"))["goal"]["until"] == "ranked"


def test_pausing_and_resuming(client: TestClient) -> None:
    one = f"{SCHEDULES}/{create(client)['id']}"

    paused = document(client.patch(one, json={"enabled": False}))
    renamed = document(client.patch(one, json={"name": "Weekly", "cron": "0 3 * * SUN"}))
    resumed = document(client.patch(one, json={"enabled": True}))

    assert (paused["enabled"], paused["next_times"]) == (False, [])
    assert (renamed["name"], renamed["enabled"]) == ("Weekly", False)
    assert resumed["words"] == "At 03:00 on Sunday"
    assert {datetime.fromisoformat(time).weekday() for time in resumed["next_times"]} == {6}
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
    assert scheduled_run["run_status"] == "queued"
    client.delete(one)
    assert document(client.get(f"{RUNS}/{run['slug']}"))["status"] == "queued"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"cron": "every night"}, "cron"),
        ({"cron": ""}, "cron"),
        ({"time_zone": "Berlin"}, "time_zone"),
        ({"name": ""}, "name"),
        ({"run": body({"framework": "nodejs", "scenario": "hello"})}, "run.cells.0.framework"),
        ({"run": body(host="bench-99")}, "run.host"),
        ({"run": {"cells": []}}, "run.cells"),
    ],
)
def test_invalid_schedules_are_refused(
    client: TestClient, change: dict[str, Any], field: str
) -> None:
    assert field in faults(client.post(SCHEDULES, json=asked(**change)))
    assert document(client.get(SCHEDULES))["items"] == []
    made = document(client.post(SCHEDULES, json=asked()), 201)
    assert field in faults(client.patch(f"{SCHEDULES}/{made['id']}", json=change))
    assert document(client.get(f"{SCHEDULES}/{made['id']}")) == made


def test_a_preview_of_times(client: TestClient) -> None:
    asked_for = {"cron": "30 1 * * MON", "time_zone": "Asia/Tokyo"}

    shown = document(client.get("/api/v1/schedule-times", params=asked_for))

    assert shown["words"] == "At 01:30 on Monday"
    assert {datetime.fromisoformat(time).strftime("%a %H:%M") for time in shown["next_times"]} == {
        "Sun 16:30"
    }


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


@pytest.mark.parametrize(
    ("schedule", "run", "is_shown"),
    [
        ("public", "public", True),
        ("public", "unlisted", False),
        ("public", "private", False),
        ("unlisted", "unlisted", False),
        ("unlisted", "private", False),
    ],
)
def test_scheduled_runs_have_the_visibility_of_their_run(
    client: TestClient, visitor: TestClient, schedule: str, run: str, is_shown: bool
) -> None:
    one = f"{SCHEDULES}/{create(client, run=body(visibility=schedule))['id']}"
    slug = document(client.post(f"{one}/run"), 202)["slug"]
    come_due_meanwhile(UUID(one.rpartition("/")[2]))
    document(client.patch(f"{RUNS}/{slug}", json={"visibility": run}))

    for reader, sees in ((client, True), (visitor, is_shown)):
        shown = reader.get(one)
        missed, started = document(shown)["scheduled_runs"]

        assert (slug in shown.text) is sees
        assert (started["run_slug"], started["run_status"]) == (
            (slug, "queued") if sees else (None, None)
        )
        assert (missed["reason"], slug in missed["detail"]) == ("previous_unfinished", sees)
    assert (slug in visitor.get(SCHEDULES).text) is (schedule == run == "public")


def come_due_meanwhile(schedule_id: UUID) -> None:
    """The next time arrives while the run has not ended."""
    soon = datetime.now(UTC) + timedelta(seconds=1)
    with unit_of_work() as session:
        session.get_one(Schedule, schedule_id).next_at = soon
    with unit_of_work() as session:
        service.start_due(session, schedule_id, soon)
