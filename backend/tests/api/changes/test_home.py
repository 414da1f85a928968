"""GET /home: open incidents, the newest result of each schedule, and the queues of hosts."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from fastapi.testclient import TestClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from backend.core.changes.schedules.service import create_schedule
from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import Host, Run, ScheduledRun
from backend.core.statuses import ScheduledRunStatus, Visibility
from backend.core.units import Metric
from backend.tests.answers import document
from backend.tests.api.results.test_calibration import SAME
from backend.tests.api.results.test_calibration import measure as measure_calibration
from backend.tests.factories import HOST, add_host, ask_run, first_workspace
from backend.tests.histories import History

HOME = "/api/v1/home"
BUILDS = ({"node": "a" * 64}, {"node": "b" * 64})
FIRST = datetime(2026, 11, 1, tzinfo=UTC)


def add_schedule(session: Session, runs: list[Run], name: str = "Nightly") -> None:
    """Add a schedule that has started these runs, one a day."""
    request = RunRequest([CellRequest("node", "hello")], 1, host=HOST, visibility=Visibility.PUBLIC)
    schedule = create_schedule(
        session,
        first_workspace(session),
        name=name,
        cron="0 2 * * *",
        time_zone="UTC",
        request=request,
    )
    for day, run in enumerate(runs):
        run.finalized_at = run.finished_at = run.created_at
        run.is_scheduled = True
        session.add(
            ScheduledRun(
                schedule_id=schedule.id,
                due_at=FIRST + timedelta(days=day),
                host_id=run.host_id,
                run_id=run.id,
                status=ScheduledRunStatus.ARRIVED,
                is_watched=False,
            )
        )
    session.flush()


def get_schedule(client: TestClient) -> dict[str, Any]:
    (schedule,) = document(client.get(HOME))["schedules"]
    return dict(schedule)


def test_an_empty_installation_has_no_state(client: TestClient) -> None:
    assert document(client.get(HOME)) == {
        "open_incidents": 0, "incidents": [], "schedules": [], "hosts": [],
    }  # fmt: skip


def test_open_regressions_come_first_and_the_largest_first(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        for framework, level in (("node", 11.0), ("fastapi", 5.0), ("go-nethttp", 13.0)):
            history = History(session, host_id, (framework,))
            history.land(24, 10.0, BUILDS[0])
            history.land(6, level, BUILDS[1])

    home = document(client.get(HOME))
    first = document(client.get("/api/v1/incidents", params={"limit": 2}))
    rest = document(client.get("/api/v1/incidents", params={"limit": 2, "cursor": first["next"]}))

    assert home["open_incidents"] == 3
    slugs = [incident["framework"]["slug"] for incident in home["incidents"]]
    assert slugs == ["go-nethttp", "node", "fastapi"]
    paged = [item["framework"]["slug"] for item in (*first["items"], *rest["items"])]
    assert sorted(paged) == sorted(slugs)
    assert rest["next"] is None


def test_equal_results_of_a_schedule_show_no_shift(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        history = History(session, host_id, metrics=[Metric.CPU_US_PER_REQUEST])
        add_schedule(session, [history.add(10.0), history.add(10.1)])

    latest = get_schedule(client)["latest"]
    assert (latest["compared"], latest["shifts"]) == (1, [])


def test_the_newest_result_of_a_schedule_shows_its_change(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        history = History(session, host_id, metrics=[Metric.CPU_US_PER_REQUEST])
        add_schedule(session, [history.add(10.0), history.add(10.0), history.add(20.0)])

    schedule = get_schedule(client)

    latest = schedule["latest"]
    assert (schedule["name"], schedule["words"]) == ("Nightly", "At 02:00 every day")
    assert schedule["newest"]["status"] == "arrived"
    assert latest["compared"] == 1
    assert latest["previous_slug"] != latest["run"]["slug"]
    (shift,) = latest["shifts"]
    assert (shift["framework"]["slug"], shift["is_better"]) == ("node", False)
    assert shift["low"] < 2 < shift["high"]
    assert shift["text"].startswith(("1.9", "2."))


def test_results_of_a_schedule_are_compared_with_the_run_before_on_the_same_host(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        other_id = add_host(session, "bench-02").id
        here, there = (
            History(session, of, metrics=[Metric.CPU_US_PER_REQUEST]) for of in (host_id, other_id)
        )
        runs = [here.add(10.0), there.add(90.0), here.add(20.0), there.add(90.0)]
        add_schedule(session, runs)
        before = runs[0].slug

    latest = get_schedule(client)["latest"]

    # The result that differs is shown.
    assert (latest["previous_slug"], latest["compared"]) == (before, 1)
    assert [shift["is_better"] for shift in latest["shifts"]] == [False]


def test_a_difference_that_the_host_cannot_detect_is_not_a_shift(
    client: TestClient, host_id: UUID
) -> None:
    """Equal cells of the calibration differ by 18 %, and the results of the schedule by 8 %."""
    with unit_of_work() as session:
        history = History(session, host_id, metrics=[Metric.LATENCY_P99_MS])
        add_schedule(session, [history.add(10.0), history.add(10.8)])
        session.get_one(Host, host_id).fingerprint_digest = "as measured"
    assert len(get_schedule(client)["latest"]["shifts"]) == 1

    measure_calibration(host_id, [SAME] * 10, 5.0, digest="as measured")

    assert get_schedule(client)["latest"]["shifts"] == []
    with unit_of_work() as session:
        session.get_one(Host, host_id).fingerprint_digest = "of another kernel"
    assert len(get_schedule(client)["latest"]["shifts"]) == 1


def test_hidden_runs_of_a_schedule_are_left_out(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        hidden = History(session, host_id, visibility="private").add(10.0)
        add_schedule(session, [hidden])

    latest = get_schedule(client)["latest"]
    # A first result is compared with nothing.
    assert (latest["previous_slug"], latest["compared"], latest["shifts"]) == (None, 0, [])
    assert get_schedule(visitor)["latest"] is None


def test_a_run_that_has_no_verdicts_yet_is_not_the_newest_result(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        history = History(session, host_id)
        runs = [history.add(10.0), history.add(10.1)]
        add_schedule(session, runs)
        session.get_one(Run, runs[1].id).finalized_at = None
        missed = {"status": ScheduledRunStatus.MISSED, "reason": "host_offline"}
        session.execute(update(ScheduledRun).values(missed))

    schedule = get_schedule(client)
    assert schedule["latest"]["run"]["slug"] == runs[0].slug
    newest = schedule["newest"]
    assert (newest["status"], newest["reason"]) == ("missed", "host_offline")


def test_hosts_show_their_queue_and_the_expected_wait(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        ask_run(session, ["node", "fastapi"], count=3, visibility="unlisted")

    (host,) = document(client.get(HOME))["hosts"]

    assert (host["name"], host["queued_trials"], host["current_run"]) == (HOST, 6, None)
    # Six trials of at least 13 s each.
    assert host["wait_seconds"] > 6 * 13
    (seen,) = document(visitor.get(HOME))["hosts"]
    assert (seen["queued_trials"], seen["wait_seconds"]) == (0, 0)
