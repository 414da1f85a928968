"""A worker needs only the credentials of its bench host to measure a run."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.orm import Session

from backend.core.catalog.repository import get_host
from backend.core.db import make_engine
from backend.core.operations.bench_hosts.credentials import create_credentials
from backend.core.queue import get_redis
from tools.benchmarks.api import describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import is_true_within, list_remains


@pytest.fixture
def engine(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """The database of the stack, whose Redis this process uses too."""
    monkeypatch.setenv("REDIS_URL", stack.redis_url)
    stack.use_here()
    get_redis.cache_clear()
    engine = make_engine(stack.database_url)
    yield engine
    engine.dispose()
    get_redis.cache_clear()


@pytest.fixture
def own_worker(stack: Stack, engine: Engine) -> Iterator[str]:
    """Restart the worker with credentials of its own; yield the name of its users."""
    stack.stop("worker")
    with Session(engine) as session, session.begin():
        credentials = create_credentials(session, get_host(session, stack.settings.bench_host))
    database = make_url(stack.database_url).set(
        username=credentials.database_user, password=credentials.database_password
    )
    broker = urlsplit(stack.redis_url)
    signed_in = f"{credentials.redis_user}:{credentials.redis_password}"
    netloc = f"{signed_in}@{broker.hostname}:{broker.port}"
    stack.start_worker(
        {
            "DATABASE_URL": database.render_as_string(hide_password=False),
            "REDIS_URL": broker._replace(netloc=netloc).geturl(),
        }
    )
    yield credentials.database_user
    stack.kill("worker")
    stack.start_worker()


def count_connections(engine: Engine, username: str) -> int:
    query = text("SELECT count(*) FROM pg_stat_activity WHERE usename = :name")
    with engine.connect() as connection:
        return connection.scalar(query, {"name": username}) or 0


def read_log(stack: Stack) -> str:
    return (stack.layout.logs / "worker.log").read_text()


def test_a_run_is_measured_with_the_credentials_of_a_host(
    stack: Stack, engine: Engine, own_worker: str
) -> None:
    begin = len(read_log(stack))
    run = stack.api.await_run(stack.create_run([cell("go-nethttp")], trials=2), 180)

    assert run["status"] == "succeeded", describe(run)
    assert [trial["attempt"] for trial in run["trials"]] == [1, 1]
    assert count_connections(engine, own_worker) > 0
    names = [event.name for event in stack.api.follow(run)]
    assert {"sample", "trial"} <= set(names)
    assert names[-1] == "end"
    assert is_true_within(30, lambda: is_finalized(engine, run["id"]))
    log = read_log(stack)[begin:]
    assert "permission" not in log.lower()
    assert "NOPERM" not in log
    # The dispatcher was notified, and did not find the run by itself.
    assert "gets its wake-up message later" not in log
    assert "Traceback" not in log
    assert list_remains(stack, run) == []


def is_finalized(engine: Engine, run_id: str) -> bool:
    query = text("SELECT finalized_at IS NOT NULL FROM run WHERE id = cast(:id AS uuid)")
    with engine.connect() as connection:
        return bool(connection.scalar(query, {"id": run_id}))
