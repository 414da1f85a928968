"""Log lines of worker and dispatcher about a run have its id and that of its request."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import select

from backend.core.changes.finalization.service import finalize_runs
from backend.core.db import unit_of_work
from backend.core.log_context import AddLogFields, current_log_fields, log_fields
from backend.core.models import Trial
from backend.core.statuses import TrialStatus
from backend.tests.factories import HOST, add_host, ask_run, succeed_next
from worker.bench_host.host_lease import WorkerLease
from worker.bench_host.taker import HostSignals, TrialTaker
from worker.runtime.process import ProcessRuntime
from worker.tests.stages.contexts import make_bench

REQUEST = "0193a1c2-0000-7000-8000-000000000001"

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """The log, with the fields of each record."""
    added = AddLogFields()
    caplog.handler.addFilter(added)
    with caplog.at_level(logging.INFO):
        yield caplog
    caplog.handler.removeFilter(added)


@pytest.fixture
def host_id() -> UUID:
    """A bench host with a run that a request of the API began."""
    with unit_of_work() as session:
        host_id = add_host(session).id
        with log_fields(request_id=REQUEST):
            ask_run(session)
        return host_id


def find_fields(lines: pytest.LogCaptureFixture, text: str) -> list[dict[str, str]]:
    """Return the ids of each line with a text."""
    names = ("request_id", "run_id", "trial_id")
    return [
        {name: record.__dict__[name] for name in names if name in record.__dict__}
        for record in lines.records
        if text in record.getMessage()
    ]


def test_lines_of_a_trial(host_id: UUID, tmp_path: Path) -> None:
    runtime = ProcessRuntime(tmp_path / "k6", tmp_path, {})
    # As a host that joined, it does not wait for a dispatcher.
    bench = replace(make_bench(runtime), host_id=host_id, queue=HOST, is_joined=True)
    lease = WorkerLease(HOST, tmp_path)
    assert lease.keep()
    found: dict[str, str] = {}

    taker = TrialTaker(
        bench,
        lease,
        lambda: False,
        HostSignals("", HOST).listen,
        lambda _: found.update(current_log_fields()),
    )
    assert taker.run_next()
    lease.release()

    with unit_of_work() as session:
        (trial,) = session.scalars(select(Trial)).all()
    assert trial.status == TrialStatus.SUCCEEDED
    assert found == {
        "request_id": REQUEST,
        "run_id": str(trial.run_id),
        "trial_id": str(trial.id),
    }
    assert current_log_fields() == {}


def test_lines_of_a_finalization(host_id: UUID, lines: pytest.LogCaptureFixture) -> None:
    with unit_of_work() as session:
        run_id = succeed_next(session, host_id).run_id

    finalize_runs()

    assert find_fields(lines, "finalized") == [{"request_id": REQUEST, "run_id": str(run_id)}]
