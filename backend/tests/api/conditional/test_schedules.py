"""The list of schedules changes with a schedule, one of its runs, or a host."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Executable, delete, update

from backend.core.db import unit_of_work
from backend.core.models import Host, Run, Schedule, ScheduledRun
from backend.core.statuses import RunStatus, ScheduledRunStatus, Visibility
from backend.tests.answers import document
from backend.tests.api.changes.test_schedules import SCHEDULES, create
from backend.tests.api.conditional.test_documents import revalidate
from backend.tests.asking import body

pytestmark = pytest.mark.usefixtures("host_id")


def execute(statement: Executable) -> None:
    with unit_of_work() as session:
        session.execute(statement)


@pytest.fixture
def schedule(client: TestClient) -> str:
    """Address of a schedule of public runs that has started one."""
    one = f"{SCHEDULES}/{create(client, run=body(visibility='public'))['id']}"
    document(client.post(f"{one}/run"), 202)
    return one


CHANGES: dict[str, Callable[[TestClient, str], object]] = {
    "a new schedule": lambda client, _: create(client),
    "another name": lambda client, own: client.patch(own, json={"name": "Weekly"}),
    "a pause": lambda client, own: client.patch(own, json={"enabled": False}),
    "a deleted schedule": lambda client, own: client.delete(own),
    "another time": lambda *_: execute(
        update(Schedule).values(next_at=datetime.now(UTC) + timedelta(hours=1))
    ),
    "a result": lambda *_: execute(update(ScheduledRun).values(status=ScheduledRunStatus.ARRIVED)),
    "a deleted scheduled run": lambda *_: execute(delete(ScheduledRun)),
    "a status of a run": lambda *_: execute(update(Run).values(status=RunStatus.RUNNING)),
    "a summary of a run": lambda *_: execute(update(Run).values(summary="Node.js is fastest.")),
    "another name of a host": lambda *_: execute(update(Host).values(name="bench-99")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_shows_at_once(client: TestClient, schedule: str, change: str) -> None:
    first = client.get(SCHEDULES)

    CHANGES[change](client, schedule)

    second = revalidate(client, SCHEDULES, first)
    assert document(second)["items"] != document(first)["items"]
    assert second.headers["etag"] != first.headers["etag"]


def test_a_scheduled_run_shows_at_once(client: TestClient) -> None:
    one = f"{SCHEDULES}/{create(client)['id']}"
    first = client.get(SCHEDULES)

    slug = document(client.post(f"{one}/run"), 202)["slug"]

    assert slug not in first.text
    assert slug in revalidate(client, SCHEDULES, first).text


def test_visitors_get_schedules_of_their_own(
    client: TestClient, visitor: TestClient, schedule: str
) -> None:
    create(client, run=body(visibility="private"))
    own, public = client.get(SCHEDULES), visitor.get(SCHEDULES)
    assert (len(document(own)["items"]), len(document(public)["items"])) == (2, 1)
    assert revalidate(visitor, SCHEDULES, own).status_code == 200

    slug = started_run(document(public))
    execute(update(Run).values(visibility=Visibility.PRIVATE))
    assert slug not in revalidate(visitor, SCHEDULES, public).text


def test_an_overdue_schedule_starts_now(client: TestClient, schedule: str) -> None:
    first = client.get(SCHEDULES)
    execute(update(Schedule).values(next_at=datetime.now(UTC) - timedelta(minutes=1)))

    overdue = revalidate(client, SCHEDULES, first)
    (item,) = document(overdue)["items"]

    next_at = datetime.fromisoformat(item["next_times"][0])
    assert datetime.now(UTC) - next_at < timedelta(seconds=30)


def started_run(shown: dict[str, Any]) -> str:
    """Return the slug of the newest run of the first schedule."""
    slug = shown["items"][0]["scheduled_runs"][0]["run_slug"]
    assert slug
    return str(slug)
