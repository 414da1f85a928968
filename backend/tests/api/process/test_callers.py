"""Under more load than it can serve, the API answers or refuses immediately.

Each caller has a budget of computing time and a share of the slots of its own.
"""

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from uuid import UUID

import httpx2
import pytest

from backend.api.process import callers
from backend.api.process.callers import BURST_SECONDS, REFILL, ComputingTime
from backend.api.process.database import CONNECTIONS
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.errors import LimitExceeded
from backend.core.statuses import TokenScope
from backend.main import create_app
from backend.tests.accounts import add_member, add_token, sign_in
from backend.tests.answers import problem
from backend.tests.asking import RUNS
from backend.tests.factories import ask_run
from backend.tests.locks import locked_runs
from backend.tests.serving import serve
from backend.tests.waiting import wait_for_blocked


def test_the_time_refills_up_to_the_burst(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    computing = ComputingTime()
    computing.spend("ada", BURST_SECONDS - 1)
    computing.check("ada")
    computing.spend("ada", 2)
    with pytest.raises(LimitExceeded) as refused:
        computing.check("ada")
    computing.check("bob")
    computing.check(None)
    now += refused.value.retry_after_seconds
    computing.check("ada")
    assert computing.find_left("ada") == pytest.approx(1, abs=REFILL)
    now += 10_000
    assert computing.find_left("ada") == BURST_SECONDS


def test_the_longest_wait_is_bounded() -> None:
    computing = ComputingTime()
    for _ in range(100):
        computing.spend("ada", 60)
    with pytest.raises(LimitExceeded) as refused:
        computing.check("ada")

    assert refused.value.retry_after_seconds <= 22


@pytest.fixture
def limited(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx2.Client]:
    """A client of a server on which each caller may compute for ten milliseconds.

    Like a proxy, it names the address of the visitor.
    """
    monkeypatch.setattr(callers, "BURST_SECONDS", 0.01)
    monkeypatch.setattr(callers, "REFILL", 0.001)
    with serve(create_app()) as url, httpx2.Client(base_url=url, trust_env=False) as client:
        yield client


def come_from(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address}


def exhaust(client: httpx2.Client, headers: dict[str, str]) -> httpx2.Response:
    """Send requests until one is refused, and return its response."""
    for _ in range(200):
        answer = client.get(RUNS, headers=headers)
        if answer.status_code != 200:
            return answer
    raise AssertionError("The computing time does not end.")


def test_a_caller_without_computing_time_waits_and_others_do_not(limited: httpx2.Client) -> None:
    with unit_of_work() as session:
        ada = add_member(session)
        person, script = sign_in(session, ada), add_token(session, None, TokenScope.READ)
    here = come_from("198.51.100.7")
    refused = exhaust(limited, here)
    with locked_runs():
        # Refused before it reads runs: it would wait.
        again = limited.get(RUNS, headers=here)
    # People and tokens at the same address have time of their own.
    for own in (person, script):
        assert limited.get(RUNS, headers=here | own).status_code == 200
    of_person = exhaust(limited, here | person)
    other = limited.get(RUNS, headers=come_from("198.51.100.8"))

    found = problem(refused, 429, "limit_exceeded")
    assert "took too much computing time" in found["detail"]
    assert int(refused.headers["retry-after"]) == found["retry_after_seconds"] >= 1
    problem(again, 429, "limit_exceeded")
    problem(of_person, 429, "limit_exceeded")
    assert other.status_code == 200


def test_all_addresses_of_an_ipv6_network_share_their_time(limited: httpx2.Client) -> None:
    exhaust(limited, come_from("2001:db8:0:1::1"))

    assert limited.get(RUNS, headers=come_from("2001:db8:0:1::2")).status_code == 429
    assert limited.get(RUNS, headers=come_from("2001:db8:0:2::1")).status_code == 200


def test_the_local_owner_has_no_limit(limited: httpx2.Client) -> None:
    assert {limited.get(RUNS).status_code for _ in range(30)} == {200}


@pytest.fixture
def tokens(host_id: UUID) -> list[dict[str, str]]:
    with unit_of_work() as session:
        ask_run(session)
        return [add_token(session, None, TokenScope.READ) for _ in range(2)]


def get_all(urls: Sequence[str], headers: dict[str, str] | None = None) -> list[httpx2.Response]:
    """Return the responses to simultaneous requests."""

    async def collect() -> list[httpx2.Response]:
        limits = httpx2.Limits(max_connections=len(urls))
        async with httpx2.AsyncClient(
            trust_env=False, timeout=60, limits=limits, headers=headers
        ) as client:
            return await asyncio.gather(*map(client.get, urls))

    return asyncio.run(collect())


def get_statuses(urls: Sequence[str], headers: dict[str, str]) -> list[int]:
    return [answer.status_code for answer in get_all(urls, headers)]


@pytest.fixture
def _patient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Requests that wait for a lock do not end before the others were sent."""
    with monkeypatch.context() as patch:
        patch.setenv("TACHO_STATEMENT_SECONDS", "120")
        get_settings.cache_clear()
        yield
    get_settings.cache_clear()


@pytest.mark.usefixtures("_patient")
def test_one_caller_never_holds_all_slots(tokens: list[dict[str, str]]) -> None:
    greedy, modest = tokens
    first: list[int] = []
    with serve(create_app()) as url:
        urls = [f"{url}{RUNS}?limit={number}" for number in range(1, CONNECTIONS + 1)]
        with locked_runs() as session:
            thread = threading.Thread(target=lambda: first.extend(get_statuses(urls, greedy)))
            thread.start()
            wait_for_blocked(session, count=CONNECTIONS // 2)
            further = get_statuses(urls, greedy)
            # Retention reads no runs.
            others = get_statuses([f"{url}/api/v1/retention"] * 3, modest)
        thread.join()

    assert further == [429] * CONNECTIONS
    assert others == [200] * 3
    assert sorted(first) == [200] * (CONNECTIONS // 2) + [429] * (CONNECTIONS // 2)


@pytest.mark.usefixtures("_patient")
def test_a_request_without_a_connection_is_refused_and_served_later(
    database: Settings, host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.api.process.database._WAIT_SECONDS", 0.2)
    with unit_of_work() as session:
        ask_run(session)
    with serve(create_app()) as url:
        first: list[httpx2.Response] = []
        with locked_runs() as session:
            thread = threading.Thread(
                target=lambda: first.extend(get_all([f"{url}{RUNS}"] * CONNECTIONS))
            )
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
