"""Periodic tasks go on after the wall clock was set back."""

from datetime import timedelta
from pathlib import Path

import redis
from celery import Celery

from backend.core.queue import make_celery
from worker.dispatcher.app import app as dispatcher
from worker.dispatcher.scheduler import SteadyScheduler

_QUEUE = "steady-scheduler"
_PERIOD_S = 5.0


def _make(redis_url: str, folder: Path) -> SteadyScheduler:
    app: Celery = make_celery(redis_url)
    options = {"task": "periodic", "schedule": _PERIOD_S, "options": {"queue": _QUEUE}}
    app.conf.beat_schedule = {name: dict(options) for name in ("first", "second")}
    return SteadyScheduler(app, schedule_filename=str(folder / "schedule"))


def test_a_clock_that_was_set_back_delays_nothing(redis_url: str, tmp_path: Path) -> None:
    scheduler = _make(redis_url, tmp_path)
    scheduler.tick()
    for entry in scheduler.schedule.values():
        entry.last_run_at = entry.default_now() + timedelta(hours=1)

    assert scheduler.tick() <= _PERIOD_S
    for entry in scheduler.schedule.values():
        assert entry.last_run_at is not None
        assert entry.last_run_at <= entry.default_now()


def test_due_tasks_are_sent(redis_url: str, tmp_path: Path) -> None:
    scheduler = _make(redis_url, tmp_path)
    for entry in scheduler.schedule.values():
        entry.last_run_at = entry.default_now() - timedelta(hours=1)

    scheduler.tick()
    scheduler.tick()

    with redis.Redis.from_url(redis_url) as client:
        assert client.llen(_QUEUE) == 2


def test_the_dispatcher_uses_it() -> None:
    assert dispatcher.conf.beat_scheduler == "worker.dispatcher.scheduler:SteadyScheduler"
