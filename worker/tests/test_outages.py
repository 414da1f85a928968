"""The API's log when Redis or PostgreSQL is killed while event streams are open."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self
from uuid import UUID

import httpx
import pytest
from sqlalchemy.orm import Session

from backend.core.db import make_engine
from backend.core.queue import open_redis
from backend.core.runs.live.event_stream import RunStream, append_events
from backend.core.units import RuntimeKind
from backend.tests.factories import HOST, add_host, ask_run
from backend.tests.live_events import sample_event
from backend.tests.waiting import LIMIT_S
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.remains import is_true_within

pytestmark = pytest.mark.acceptance

_CLIENTS = 5
# The lines about beginning and end of the outage, for the database and for the streams.
_MOST_LINES = 4


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """Run PostgreSQL, Redis and the API as `tacho up` does, for this test only."""
    with Stack(tmp_path / "data", RuntimeKind.PROCESS, HOST, is_serving_only=True) as stack:
        yield stack


@pytest.fixture
def run_id(stack: Stack) -> UUID:
    """Create a queued run that no worker takes."""
    engine = make_engine(stack.database_url)
    with Session(engine) as session, session.begin():
        add_host(session)
        run_id = ask_run(session).id
    engine.dispose()
    return run_id


class Streams:
    """Run clients that follow a run. Each has received an event when the context begins."""

    def __init__(self, stack: Stack, run_id: UUID) -> None:
        self._stack = stack
        self._run_id = run_id
        self._open = ExitStack()

    def __enter__(self) -> Self:
        client = self._open.enter_context(httpx.Client(timeout=LIMIT_S, trust_env=False))
        url = f"{self._stack.url}/api/v1/runs/{self._run_id}/events"
        self._lines = [
            self._open.enter_context(client.stream("GET", url)).iter_lines()
            for _ in range(_CLIENTS)
        ]
        with open_redis(self._stack.redis_url) as redis:
            stream = RunStream(HOST, self._run_id)
            append_events(redis, [(stream, event := sample_event(7))])
        for lines in self._lines:
            assert next(line for line in lines if line == f"data: {event.model_dump_json()}")
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def read_to_end(self) -> None:
        """Return when the API has ended all streams."""

        def drain(lines: Iterator[str]) -> None:
            for _ in lines:
                pass

        with ThreadPoolExecutor(_CLIENTS) as pool:
            list(pool.map(drain, self._lines))


def follow_again(stack: Stack, run_id: UUID) -> None:
    """Open a stream like a browser that has lost its stream, and read it to its end."""
    url = f"{stack.url}/api/v1/runs/{run_id}/events"
    httpx.get(url, timeout=LIMIT_S, trust_env=False)


def read_health(stack: Stack) -> Any:
    return httpx.get(f"{stack.url}/api/v1/health", timeout=LIMIT_S, trust_env=False).json()


def read_log(stack: Stack) -> list[str]:
    return (stack.layout.logs / "api.log").read_text().splitlines()


def check_log(stack: Stack, before: list[str]) -> None:
    """Assert that the log has few lines, without a traceback or a library's messages."""
    lines = read_log(stack)[len(before) :]
    written = "\n".join(lines)
    assert "Traceback" not in written
    assert "unforeseen" not in written
    assert "sqlalche.me" not in written
    assert 1 <= len(lines) <= _MOST_LINES, written


def test_a_killed_redis_is_a_few_lines_in_the_log(stack: Stack, run_id: UUID) -> None:
    before = read_log(stack)
    with Streams(stack, run_id) as streams:
        stack.kill("broker")
        streams.read_to_end()
    for _ in range(3):
        follow_again(stack, run_id)
    check_log(stack, before)
    assert read_health(stack)["broker"] == "down"

    stack.start_redis()
    with Streams(stack, run_id):
        check_log(stack, before)


def test_a_killed_postgresql_is_a_few_lines_in_the_log(stack: Stack, run_id: UUID) -> None:
    before = read_log(stack)
    with Streams(stack, run_id) as streams:
        stack.kill("database")
        streams.read_to_end()
    for _ in range(3):
        follow_again(stack, run_id)
        answer = httpx.get(f"{stack.url}/api/v1/runs", timeout=LIMIT_S, trust_env=False)
        assert answer.status_code == 503
        assert "sql" not in answer.text.lower()
        assert read_health(stack)["database"] == "down"
    check_log(stack, before)

    stack.start_database()

    def is_back() -> bool:
        answer = httpx.get(f"{stack.url}/api/v1/runs", timeout=LIMIT_S, trust_env=False)
        return answer.status_code == 200

    assert is_true_within(30, is_back)
    with Streams(stack, run_id):
        check_log(stack, before)
