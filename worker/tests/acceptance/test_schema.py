"""A worker whose database gets a newer schema returns its trial, and waits."""

import httpx
from sqlalchemy import text

from backend.core.db import make_engine
from backend.tests.revisions import other_revision
from tools.benchmarks.api import describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import is_true_within, list_remains


def read_statuses(stack: Stack) -> set[str]:
    """Return the statuses of all trials that have not ended, by SQL: the API answers 503."""
    engine = make_engine(stack.database_url)
    with engine.connect() as connection:
        ended = "('succeeded', 'failed', 'cancelled')"
        query = text(f"SELECT status FROM trial WHERE status NOT IN {ended}")  # noqa: S608
        statuses = set(connection.scalars(query))
    engine.dispose()
    return statuses


def is_served(stack: Stack) -> bool:
    """Return whether the API has noticed that the schema is its own again."""
    try:
        stack.api.get("/hosts")
    except httpx.HTTPStatusError:
        return False
    return True


def test_a_migration_returns_the_running_trial_and_stops_claims(stack: Stack) -> None:
    load = cell("go-nethttp", duration_seconds=60)
    run = stack.api.await_stage(stack.create_run([load]), frozenset({"measuring"}), 90)
    log = stack.layout.logs / "worker.log"

    with other_revision(stack.database_url):
        assert is_true_within(60, lambda: read_statuses(stack) == {"queued"})
        assert "This part waits. A newer version of Tacho" in log.read_text()
        assert is_true_within(20, lambda: list_remains(stack, run) == [])
        # A wake-up message of the dispatcher of the newer version changes nothing.
        assert read_statuses(stack) == {"queued"}

    assert is_true_within(60, lambda: is_served(stack))
    run = stack.api.await_stage(run, frozenset({"measuring"}), 90)
    (trial,) = run["trials"]
    assert (trial["attempt"], trial["retried_failures"]) == (2, []), describe(run)
    assert stack.api.get(f"/hosts/{stack.settings.bench_host}")["state"] == "busy"
    stack.api.cancel_run(run)
    stack.api.await_run(run, 60)
