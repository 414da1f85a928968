"""A worker that loses its connection to the database for a minute continues its trial."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from backend.core.units import RuntimeKind
from worker.benchmarks.api import describe
from worker.benchmarks.socket_forwarder import SocketForwarder
from worker.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import list_remains
from worker.tests.acceptance.test_trials import check_series

_OUTAGE_SECONDS = 60.0
_DURATION_SECONDS = 30


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
