"""The dispatcher starts each due schedule once and reports missing results."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import select, update

from backend.core.changes.finalization.service import finalize_runs
from backend.core.changes.schedules import service
from backend.core.changes.webhooks.service import create_webhook
from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import (
    Framework,
    Host,
    Run,
    Schedule,
    ScheduledRun,
    Slo,
    WebhookDelivery,
)
from backend.core.numbers import use_plain_spaces
from backend.core.results.slos import create_slo
from backend.core.runs.progress import OVERHEAD_SECONDS
from backend.core.statuses import WebhookEvent
from backend.core.units import Metric, Purpose
from backend.tests.factories import (
    HOST,
    add_host,
    ask_run,
    fail_next,
    first_workspace,
    succeed_next,
)
from backend.tests.rows import count_wake_up_messages
from worker.dispatcher.schedules import tick

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def host_id(database: object) -> UUID:
    with unit_of_work() as session:
        create_webhook(
            session,
            first_workspace(session),
            url="https://example.org/hook",
            events=[WebhookEvent.SCHEDULE_MISSED],
            description="",
        )
        return add_host(session).id


def schedule_nightly(
    due_ago: timedelta | None = timedelta(seconds=1),
    *,
    cron: str = "0 2 * * *",
    time_zone: str = "UTC",
    parameters: dict[str, int] | None = None,
) -> UUID:
    """Create a nightly schedule that was due this long ago; None for a schedule not yet due."""
    asked = RunRequest(
        cells=[CellRequest("node", "hello", parameters=parameters or {})], trials=1, host=HOST
    )
    with unit_of_work() as session:
        schedule = service.create_schedule(
            session,
            first_workspace(session),
            name="Nightly",
            cron=cron,
            time_zone=time_zone,
            request=asked,
        )
        if due_ago is not None:
            schedule.next_at = datetime.now(UTC) - due_ago
        return schedule.id


def scheduled_runs() -> list[ScheduledRun]:
    with unit_of_work() as session:
        return list(session.scalars(select(ScheduledRun).order_by(ScheduledRun.due_at)))


def runs() -> list[Run]:
    with unit_of_work() as session:
        return list(session.scalars(select(Run).order_by(Run.created_at)))


def missed_reasons() -> list[str]:
    """Return the reasons of misses in the messages to webhooks."""
    with unit_of_work() as session:
        bodies = session.scalars(select(WebhookDelivery.body).order_by(WebhookDelivery.id))
        return [json.loads(body)["data"]["scheduled_run"]["reason"] for body in bodies]


def test_a_due_schedule_starts_once_and_its_result_is_recorded(host_id: UUID) -> None:
    schedule_nightly()
    schedule_nightly(None)

    with ThreadPoolExecutor(4) as pool:
        for _ in range(4):
            pool.submit(tick)

    (run,) = runs()
    assert (run.title, run.status) == ("Nightly", "queued")
    assert count_wake_up_messages(HOST) == 1
    (scheduled_run,) = scheduled_runs()
    assert (scheduled_run.status, scheduled_run.run_id) == ("waiting", run.id)
    with unit_of_work() as session:
        succeed_next(session, host_id)
    tick()
    tick()
    assert scheduled_runs()[0].status == "arrived"
    assert len(runs()) == 1
    assert missed_reasons() == []


def test_missed_times_run_once_and_are_reported(host_id: UUID) -> None:
    schedule_id = schedule_nightly(timedelta(days=3))
    with unit_of_work() as session:
        schedule = session.get_one(Schedule, schedule_id)
        assert schedule.next_at is not None
        schedule.next_at = schedule.next_at.replace(hour=2, minute=0, second=0, microsecond=0)

    tick()
    tick()

    assert len(runs()) == 1
    (scheduled_run,) = scheduled_runs()
    assert scheduled_run.skipped in {2, 3}
    assert datetime.now(UTC) - scheduled_run.due_at < timedelta(days=1)
    assert missed_reasons() == ["tacho_down"]
    with unit_of_work() as session:
        next_at = session.get_one(Schedule, schedule_id).next_at
    assert next_at is not None
    assert next_at > datetime.now(UTC)


def test_a_time_in_an_hour_that_autumn_repeats_starts_once(host_id: UUID) -> None:
    schedule_id = schedule_nightly(cron="30 2 * * *", time_zone="Europe/Berlin")
    first_half_past_two = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    with unit_of_work() as session:
        session.get_one(Schedule, schedule_id).next_at = first_half_past_two

    with unit_of_work() as session:
        service.start_due(session, schedule_id, first_half_past_two + timedelta(minutes=40))

    with unit_of_work() as session:
        schedule = session.get_one(Schedule, schedule_id)
        assert schedule.next_at == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)
    assert [(run.due_at, run.skipped) for run in scheduled_runs()] == [(first_half_past_two, 0)]
    assert missed_reasons() == []


def test_a_lost_host_is_reported_once_and_runs_do_not_accumulate(host_id: UUID) -> None:
    schedule_id = schedule_nightly()
    tick()
    with unit_of_work() as session:
        session.execute(update(Host).values(seen_at=Host.seen_at - timedelta(minutes=11)))

    tick()
    tick()

    assert (scheduled_runs()[0].status, scheduled_runs()[0].reason) == ("missed", "host_offline")
    assert missed_reasons() == ["host_offline"]
    with unit_of_work() as session:
        session.execute(update(ScheduledRun).values(due_at=ScheduledRun.due_at - timedelta(days=1)))
        session.get_one(Schedule, schedule_id).next_at = datetime.now(UTC)
    tick()
    assert len(runs()) == 1
    assert missed_reasons() == ["host_offline", "previous_unfinished"]
    with unit_of_work() as session:
        session.execute(update(Host).values(seen_at=Host.seen_at + timedelta(minutes=11)))
        succeed_next(session, host_id)
    tick()
    assert [run.status for run in scheduled_runs()] == ["late", "missed"]


def test_a_run_that_takes_too_long_is_overdue(host_id: UUID) -> None:
    schedule_nightly()
    tick()
    (waiting,) = scheduled_runs()
    assert waiting.expected_by is not None
    margin = waiting.expected_by - datetime.now(UTC)
    assert timedelta(minutes=15) < margin < timedelta(minutes=40)
    with unit_of_work() as session:
        session.execute(update(ScheduledRun).values(expected_by=datetime.now(UTC)))

    tick()

    assert missed_reasons() == ["overdue"]


def test_the_expected_duration_includes_all_trials_that_wait_on_the_host(
    host_id: UUID,
) -> None:
    minute = {"warm_up_seconds": 5, "duration_seconds": 60}
    longer = {"warm_up_seconds": 5, "duration_seconds": 300}
    with unit_of_work() as session:
        elsewhere = add_host(session, "bench-02")
        ask_run(session, host=HOST, count=20, parameters=minute)
        ask_run(session, host=HOST, purpose=Purpose.CONFIRMATION, parameters=longer)
        ask_run(session, host=elsewhere.name, count=20, parameters=minute)
        fail_next(session, host_id)
    schedule_nightly(parameters={"warm_up_seconds": 2, "duration_seconds": 5})

    tick()

    (waiting,) = scheduled_runs()
    assert waiting.expected_by is not None
    queued = 19 * (5 + 60 + OVERHEAD_SECONDS) + (5 + 300 + OVERHEAD_SECONDS)
    foreseen = timedelta(seconds=2 * (queued + 2 + 5 + OVERHEAD_SECONDS), minutes=15)
    assert abs(waiting.expected_by - datetime.now(UTC) - foreseen) < timedelta(seconds=30)


def test_a_run_that_cannot_start_is_reported_and_the_next_time_is_planned(host_id: UUID) -> None:
    schedule_id = schedule_nightly()
    with unit_of_work() as session:
        session.execute(update(Framework).where(Framework.slug == "node").values(present=False))
    try:
        tick()
    finally:
        with unit_of_work() as session:
            session.execute(update(Framework).values(present=True))

    (scheduled_run,) = scheduled_runs()
    assert (scheduled_run.status, scheduled_run.reason) == ("missed", "refused")
    assert "There is no framework 'node'" in scheduled_run.detail
    assert missed_reasons() == ["refused"]
    with unit_of_work() as session:
        next_at = session.get_one(Schedule, schedule_id).next_at
    assert next_at is not None
    assert next_at > datetime.now(UTC)


def test_a_scheduled_result_beyond_a_limit_is_reported_once(host_id: UUID) -> None:
    with unit_of_work() as session:
        workspace_id = first_workspace(session)
        events = [WebhookEvent.LIMIT_MISSED]
        url = "https://example.org/limits"
        create_webhook(session, workspace_id, url=url, events=events, description="")
        for metric, limit in ((Metric.LATENCY_P99_MS, 0.5), (Metric.LATENCY_P50_MS, 1000.0)):
            slo = Slo(scenario="hello", parameters={}, metric=metric, limit=limit)
            slo.workspace_id = workspace_id
            create_slo(session, slo)
    schedule_nightly()
    tick()
    with unit_of_work() as session:
        ask_run(session, title="By hand")
        succeed_next(session, host_id)
        succeed_next(session, host_id)

    finalize_runs()

    with unit_of_work() as session:
        (body,) = session.scalars(select(WebhookDelivery.body))
    message = json.loads(body)
    assert message["type"] == "limit.missed"
    assert use_plain_spaces(message["text"]) == (
        "Nightly: Latency p99 of Node.js on Hello is 2.99 ms; the limit is at most 0.500 ms."
    )
    (missed,) = message["data"]["limits"]
    assert (missed["framework"], missed["metric"], missed["limit"]) == (
        "node",
        "latency_p99_ms",
        0.5,
    )
    assert message["data"]["run"]["title"] == message["data"]["schedule"]["name"] == "Nightly"
