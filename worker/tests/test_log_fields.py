"""Log lines of worker and dispatcher about a run have its id and that of its request."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, update

from backend.core.changes.finalization.service import finalize_runs
from backend.core.db import unit_of_work
from backend.core.log_context import AddLogFields, RunIds, current_log_fields, log_fields
from backend.core.models import Trial
from backend.tests.factories import add_host, ask_run, claim_next, succeed_next
from worker.bench.reservation import TrialReservation
from worker.bench_host import work as tasks
from worker.dispatcher.recovery import Recovery
from worker.pipeline.assignment import read_assignment
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


def test_lines_of_a_trial(host_id: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    with unit_of_work() as session:
        assignment = read_assignment(session, claim_next(session, host_id).id)
    found: dict[str, str] = {}
    monkeypatch.setattr(tasks, "_claim", lambda *_: assignment)
    monkeypatch.setattr(tasks, "_hand_over", lambda *_: None)
    monkeypatch.setattr(tasks, "run_trial", lambda *_: found.update(current_log_fields()))

    tasks._run_with(make_bench(SimpleNamespace()), TrialReservation(uuid4()))

    assert found == {
        "request_id": REQUEST,
        "run_id": str(assignment.run_id),
        "trial_id": str(assignment.trial_id),
    }
    assert current_log_fields() == {}


def test_lines_of_a_finalization(host_id: UUID, lines: pytest.LogCaptureFixture) -> None:
    with unit_of_work() as session:
        run_id = succeed_next(session, host_id).run_id

    finalize_runs()

    assert find_fields(lines, "finalized") == [{"request_id": REQUEST, "run_id": str(run_id)}]


def test_lines_of_a_lost_trial(host_id: UUID, lines: pytest.LogCaptureFixture) -> None:
    with unit_of_work() as session:
        trial = claim_next(session, host_id)
        past = func.now() - timedelta(seconds=1)
        session.execute(update(Trial).where(Trial.id == trial.id).values(lease_until=past))

    Recovery().check()

    (fields,) = find_fields(lines, "was lost with its worker, and is queued now")
    ids = {"run_id": str(trial.run_id), "trial_id": str(trial.id)}
    assert fields == {"request_id": REQUEST, **ids}


def test_a_run_without_a_request_has_only_its_own_id() -> None:
    run_id = UUID(int=1)

    assert RunIds(run_id, None).list_log_fields() == {"run_id": str(run_id)}
