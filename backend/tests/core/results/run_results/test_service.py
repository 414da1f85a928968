"""Results of a run that are read: rankings without the other results, and what was stored."""

from uuid import UUID

import pytest
from sqlalchemy import inspect
from sqlalchemy.orm import Session

from backend.core.measurement.measurements import repository as measurements
from backend.core.models import CellSummary
from backend.core.results.cell_summary import summarise_run, write_summaries
from backend.core.results.run_results.answer.stored import write_outcome
from backend.core.results.run_results.service import read_rankings, read_run_results
from backend.core.runs.repository import get_run
from backend.core.units import Metric
from backend.tests.factories import add_host, ask_run, fail_next, succeed_next


@pytest.fixture
def run_id(session: Session) -> UUID:
    """A run in which Node has twice the latency of Go, with two trials each."""
    host_id = add_host(session).id
    run = ask_run(session, ("node", "go-nethttp"), count=2)
    (node, _) = run.cells
    for trial in sorted(run.trials, key=lambda trial: trial.position):
        latency_ms = 20.0 if trial.cell_id == node.id else 10.0
        succeed_next(session, host_id, [latency_ms * (1 + trial.repetition / 200)] * 10)
    return run.id


def test_rankings_are_those_of_the_complete_results(session: Session, run_id: UUID) -> None:
    run = get_run(session, str(run_id))
    results = read_run_results(session, run)

    for metric in (None, Metric.LATENCY_P99_MS, Metric.SUCCESS_RATIO):
        found = read_rankings(session, run, metric, "node")

        assert [(item.metric, item.ranking, item.sentences) for item in found] == [
            (item.metric, item.ranking, item.sentences) for item in results.rank(metric, "node")
        ]


@pytest.mark.parametrize("trials", [2, 3])
def test_stored_results_are_those_that_the_trials_give(session: Session, trials: int) -> None:
    host_id = add_host(session).id
    run = ask_run(session, ("node", "go-nethttp", "vertx"), count=trials)
    (lost, _, partly) = run.cells
    for trial in sorted(run.trials, key=lambda trial: trial.position):
        has_failed = trial.cell_id == lost.id or (trial.cell_id, trial.repetition) == (partly.id, 1)
        if has_failed:
            fail_next(session, host_id)
        else:
            succeed_next(session, host_id, [10.0 + trial.repetition] * 10)
    session.expire_all()
    ended = get_run(session, str(run.id))
    write_outcome(session, ended, write_summaries(session, ended))
    metrics = measurements.list_metrics(session, [trial.id for trial in ended.trials])
    computed = read_run_results(session, ended, summarise_run(ended, metrics)).cells

    stored = read_run_results(session, ended).cells

    assert all(inspect(cell.summary).persistent for cell in stored[1:])
    assert [cell.estimates for cell in stored] == [cell.estimates for cell in computed]
    assert [[*cell.estimates] for cell in stored] == [[*cell.estimates] for cell in computed]
    assert [cell.values for cell in stored] == [cell.values for cell in computed]
    assert [list_columns(cell.summary) for cell in stored] == [
        list_columns(cell.summary) for cell in computed
    ]


def list_columns(summary: CellSummary) -> dict[str, object]:
    return {column.key: getattr(summary, column.key) for column in inspect(CellSummary).columns}
