"""GET /health answers while Redis or the database hangs, and holds no request thread."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import httpx
import pytest
from sqlalchemy import text

from backend.api.process.shared_reading import SharedReading
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.platform.processes.programs import RunningProgram
from backend.tests.installation import forget_cached
from backend.tests.stopping import stopped
from backend.tests.waiting import LIMIT_S

HEALTH = "/api/v1/health"
CALLERS = 60


def health_threads() -> int:
    return sum(thread.name == "health" for thread in threading.enumerate())


def ask_many(url: str, count: int) -> list[httpx.Response]:
    with (
        httpx.Client(base_url=url, timeout=LIMIT_S, trust_env=False) as client,
        ThreadPoolExecutor(count) as pool,
    ):
        return list(pool.map(lambda _: client.get(HEALTH), range(count)))


def test_a_hanging_redis_is_down_and_uses_no_request_thread(
    live_url: str, host_id: UUID, own_redis: RunningProgram
) -> None:
    assert httpx.get(live_url + HEALTH, trust_env=False).status_code == 200
    forget_cached()
    most = 0
    with stopped(own_redis.pid), ThreadPoolExecutor(1) as pool:
        answers = pool.submit(ask_many, live_url, CALLERS)
        while not answers.done():
            most = max(most, health_threads())
            time.sleep(0.01)
        documents = [answer.json() for answer in answers.result()]

    assert {(document["broker"], document["database"]) for document in documents} == {
        ("down", "ok")
    }
    assert 1 <= most <= 3  # one for each of Redis, database and disk


def test_a_hanging_database_is_down_and_other_calls_continue(
    live_url: str, host_id: UUID, database: Settings
) -> None:
    """A lock on the table that health reads has the same effect as a stopped server."""
    forget_cached()
    with unit_of_work() as session:
        session.execute(text("LOCK TABLE host IN ACCESS EXCLUSIVE MODE"))
        answers = ask_many(live_url, CALLERS)
        assert health_threads() == 1
        # Forty request threads would be in use if each call held one.
        metrics = f"{live_url}/api/v1/metrics"
        assert httpx.get(metrics, timeout=LIMIT_S, trust_env=False).is_success
        # An overdue reading would wait for the lock.
        again = httpx.get(live_url + HEALTH, timeout=LIMIT_S, trust_env=False).json()

    documents = [answer.json() for answer in answers]
    assert {(item["broker"], item["database"]) for item in [*documents, again]} == {("ok", "down")}


def test_a_hanging_disk_delays_no_other_call(
    live_url: str, host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_free, metrics = threading.Event(), f"{live_url}/api/v1/metrics"

    def hang(_: Settings) -> str:
        is_free.wait()
        return ""

    forget_cached()
    with monkeypatch.context() as patch, ThreadPoolExecutor(1) as pool:
        patch.setattr("backend.api.operations.health.find_shortage", hang)
        asking = pool.submit(httpx.get, live_url + HEALTH, timeout=LIMIT_S, trust_env=False)
        while not health_threads():
            time.sleep(0.01)
        try:
            assert httpx.get(metrics, timeout=LIMIT_S, trust_env=False).is_success
            health = asking.result().json()
        finally:
            is_free.set()
    assert (health["status"], health["database_disk_shortage"]) == ("ok", None)
    forget_cached()


def test_a_reading_is_shared_until_it_is_old() -> None:
    calls: list[int] = []

    def read() -> int:
        calls.append(1)
        return len(calls)

    reading = SharedReading(read, limit_s=5, keep_s=0.2)

    async def ask() -> list[int]:
        first = await asyncio.gather(*(reading.get() for _ in range(20)))
        await asyncio.sleep(0.25)
        return [*first, await reading.get()]

    assert asyncio.run(ask()) == [1] * 20 + [2]
