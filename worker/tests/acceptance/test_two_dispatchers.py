"""Two dispatchers of one installation do everything once."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import func, select

from backend.core.changes.schedules import service as schedules
from backend.core.changes.webhooks.service import create_webhook
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import Run, Schedule, ScheduledRun, WebhookDelivery
from backend.core.queue import answers_dispatcher
from backend.core.statuses import DeliveryStatus, WebhookEvent
from backend.tests.factories import add_host, ask_run, first_workspace, succeed_next
from backend.tests.receiving import receiver
from worker.tests.acceptance.remains import is_true_within

_HOSTS = ("bench-01", "bench-02", "bench-03")
_RUNS_OF_EACH = 4
_SCHEDULES = 6
_LIMIT_S = 120
_NAMES = ("one", "two")


@contextmanager
def started(settings: Settings, name: str, log: Path, **variables: str) -> Iterator[None]:
    """Run a dispatcher within the context, which must end when it is asked to."""
    environment = {
        **os.environ,
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "TACHO_BENCH_HOST": name,
        "TACHO_LOG_LEVEL": "INFO",
        **variables,
    }
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "worker.dispatcher.app"],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            yield
            process.terminate()
            assert process.wait(_LIMIT_S) == 0
        finally:
            process.kill()
            process.wait()


def prepare(url: str) -> None:
    """End runs that are not finalized, and let schedules become due."""
    request = RunRequest([CellRequest("node", "hello")], trials=1, host=_HOSTS[0])
    with unit_of_work() as session:
        workspace_id = first_workspace(session)
        events = [WebhookEvent.RUN_FINISHED]
        create_webhook(session, workspace_id, url=url, events=events, description="")
        for host in _HOSTS:
            host_id = add_host(session, host).id
            for _ in range(_RUNS_OF_EACH):
                ask_run(session, host=host)
                succeed_next(session, host_id)
        for number in range(_SCHEDULES):
            schedule = schedules.create_schedule(
                session,
                workspace_id,
                name=f"Nightly {number}",
                cron="0 2 * * *",
                time_zone="UTC",
                request=request,
            )
            schedule.next_at = datetime.now(UTC) - timedelta(seconds=1)


def is_done() -> bool:
    """Return whether all ended runs are finalized, all schedules started and all messages sent."""
    with unit_of_work() as session:
        runs = select(func.count()).where(Run.finished_at.is_not(None), Run.finalized_at.is_(None))
        due = select(func.count()).where(Schedule.next_at <= func.now())
        sent = select(func.count()).where(WebhookDelivery.status == DeliveryStatus.DELIVERED)
        ended = len(_HOSTS) * _RUNS_OF_EACH
        return (session.scalar(runs), session.scalar(due), session.scalar(sent)) == (0, 0, ended)


def test_two_dispatchers_do_everything_once(
    database: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = [tmp_path / f"{name}.log" for name in _NAMES]
    with receiver() as target, ExitStack() as exits:
        allowed = target.url.split("/")[2]
        monkeypatch.setenv("TACHO_WEBHOOK_ALLOW", allowed)
        get_settings.cache_clear()
        exits.callback(get_settings.cache_clear)
        prepare(target.url)
        for name, log in zip(_NAMES, logs, strict=True):
            exits.enter_context(started(database, name, log, TACHO_WEBHOOK_ALLOW=allowed))
        for name in _NAMES:
            is_ready = partial(answers_dispatcher, database.redis_url, name)
            assert is_true_within(_LIMIT_S, is_ready)
        assert is_true_within(_LIMIT_S, is_done), [log.read_text()[-2000:] for log in logs]
        exits.close()

        received = Counter(got.headers["webhook-id"] for got in target.received)
    lines = [line for log in logs for line in log.read_text().splitlines()]
    finalized = Counter(line.split("run ")[1] for line in lines if line.endswith(" finalized"))
    assert len(finalized) == len(received) == len(_HOSTS) * _RUNS_OF_EACH
    assert set(finalized.values()) == set(received.values()) == {1}
    with unit_of_work() as session:
        of_schedules = session.scalars(select(ScheduledRun.schedule_id)).all()
        started_runs = session.scalars(select(Run.id).where(Run.is_scheduled)).all()
    assert len(set(of_schedules)) == len(of_schedules) == len(started_runs) == _SCHEDULES
