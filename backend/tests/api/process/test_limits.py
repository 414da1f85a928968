"""The API under more load than it can serve: it answers, or refuses immediately."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from threading import Thread
from uuid import UUID

import httpx2
import pytest

from backend.api.process.database import CONNECTIONS
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.main import create_app
from backend.tests.answers import problem
from backend.tests.asking import RUNS
from backend.tests.factories import ask_run
from backend.tests.locks import locked_runs
from backend.tests.serving import serve
from backend.tests.waiting import wait_for_blocked


def get_all(urls: Sequence[str]) -> list[httpx2.Response]:
    """Return the responses to simultaneous requests."""

    async def collect() -> list[httpx2.Response]:
        limits = httpx2.Limits(max_connections=len(urls))
        async with httpx2.AsyncClient(trust_env=False, timeout=60, limits=limits) as client:
            return await asyncio.gather(*map(client.get, urls))

    return asyncio.run(collect())


@pytest.fixture
def run_id(host_id: UUID) -> UUID:
    with unit_of_work() as session:
        return ask_run(session).id


def test_a_hundred_parallel_reads_of_a_run_are_all_answered(live_url: str, run_id: UUID) -> None:
    answers = get_all([f"{live_url}{RUNS}/{run_id}"] * 100)

    statuses = Counter(answer.status_code for answer in answers)
    assert set(statuses) <= {200, 503}
    assert statuses[200] >= 50
    for answer in answers:
        if answer.status_code == 503:
            assert answer.headers["Retry-After"].isdigit()
            problem(answer, 503, "unavailable")


def test_a_request_without_a_connection_is_refused_and_served_later(
    database: Settings, run_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.api.process.database._WAIT_SECONDS", 0.2)
    with serve(create_app()) as url:
        first: list[httpx2.Response] = []
        with locked_runs() as session:
            thread = Thread(target=lambda: first.extend(get_all([f"{url}{RUNS}"] * CONNECTIONS)))
            thread.start()
            wait_for_blocked(session, count=CONNECTIONS)
            (refused,) = get_all([f"{url}{RUNS}"])
        thread.join()
        (later,) = get_all([f"{url}{RUNS}"])

    problem(refused, 503, "unavailable")
    assert refused.headers["Retry-After"].isdigit()
    assert [answer.status_code for answer in (*first, later)] == [200] * (CONNECTIONS + 1)


def test_a_statement_that_takes_too_long_is_cancelled(
    database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACHO_STATEMENT_SECONDS", "0.2")
    get_settings.cache_clear()
    try:
        with serve(create_app()) as url, locked_runs():
            (answer,) = get_all([f"{url}{RUNS}"])
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()

    found = problem(answer, 503, "unavailable")
    assert "took too long" in found["detail"]
    assert answer.headers["Retry-After"].isdigit()
