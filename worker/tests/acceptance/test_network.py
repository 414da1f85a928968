"""A worker without its database for a minute continues its trial; after longer, it repeats it."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, make_url, update
from sqlalchemy.orm import Session

from backend.core.db import make_engine
from backend.core.models import Trial
from backend.core.units import RuntimeKind
from tools.benchmarks.api import describe
from tools.benchmarks.socket_forwarder import SocketForwarder
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import is_true_within, list_remains
from worker.tests.acceptance.test_trials import check_series

_OUTAGE_SECONDS = 60.0
_DURATION_SECONDS = 30
# The database is back while the first attempt still sends load.
_LONG_DURATION_SECONDS = 45


@pytest.fixture
def process_stack(stack: Stack) -> Stack:
    """The database is independent of the runtime, so one runtime is enough."""
    if stack.runtime is not RuntimeKind.PROCESS:
        pytest.skip("measured in the process runtime")
    return stack


@pytest.fixture
def network(process_stack: Stack) -> Iterator[SocketForwarder]:
    """Restart the worker on the other side of a network. API and dispatcher are on this side."""
    url = make_url(process_stack.database_url)
    with SocketForwarder(Path(str(url.query["host"])) / ".s.PGSQL.5432") as network:
        far = url.set(host="127.0.0.1", port=network.port, query={})
        process_stack.stop("worker")
        process_stack.start_worker({"DATABASE_URL": far.render_as_string(hide_password=False)})
        yield network
        process_stack.stop("worker")
    process_stack.start_worker()


def test_a_trial_survives_a_network_that_fails_for_a_minute(
    process_stack: Stack, network: SocketForwarder
) -> None:
    stack = process_stack
    load = cell("go-nethttp", duration_seconds=_DURATION_SECONDS)
    run = stack.api.await_stage(stack.create_run([load]), frozenset({"measuring"}), 300)

    with network.cut():
        # The outage lasts a minute of real time: the leases are those of the database's clock.
        time.sleep(_OUTAGE_SECONDS)
        (trial,) = stack.api.get_run(run)["trials"]
        assert trial["status"] == "measuring"
    ended = stack.api.await_run(run, 60)

    assert ended["status"] == "succeeded", describe(ended)
    (trial,) = ended["trials"]
    assert (trial["attempt"], trial["retried_failures"]) == (1, [])
    check_series(stack.api, trial, duration_seconds=_DURATION_SECONDS)
    assert list_remains(stack, ended) == []


def test_a_trial_is_repeated_after_an_outage_that_is_longer_than_its_lease(
    process_stack: Stack, network: SocketForwarder
) -> None:
    stack = process_stack
    load = cell("go-nethttp", duration_seconds=_LONG_DURATION_SECONDS)
    run = stack.api.await_stage(stack.create_run([load]), frozenset({"measuring"}), 300)

    with network.cut():
        expire_leases(stack)
        assert is_true_within(
            _LONG_DURATION_SECONDS,
            lambda: [trial["status"] for trial in stack.api.get_run(run)["trials"]] == ["queued"],
        )
    ended = stack.api.await_run(run, 300)

    assert ended["status"] == "succeeded", describe(ended)
    (trial,) = ended["trials"]
    assert trial["attempt"] == 2
    (failure,) = trial["retried_failures"]
    assert (failure["code"], failure["cause"]) == ("worker_lost", "infrastructure")
    assert "the database did not answer" in failure["detail"]
    check_series(stack.api, trial, duration_seconds=_LONG_DURATION_SECONDS)
    assert list_remains(stack, ended) == []


def expire_leases(stack: Stack) -> None:
    """Let the leases of all trials end, as after 75 s without a renewal."""
    engine = make_engine(stack.database_url)
    with Session(engine) as session, session.begin():
        session.execute(
            update(Trial)
            .where(Trial.lease_until.is_not(None))
            .values(lease_until=func.now() - func.make_interval(0, 0, 0, 0, 0, 0, 1))
        )
    engine.dispose()
