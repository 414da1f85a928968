"""Rankings that are read without the other results of a run."""

from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from backend.core.results.cell_summary import NEEDED_METRICS
from backend.core.results.run_results.service import read_rankings, read_run_results
from backend.core.runs.repository import get_run
from backend.core.units import MAIN_METRICS, Metric
from backend.tests.factories import add_host, ask_run, succeed_next


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

    for metric in (None, *Metric):
        found = read_rankings(session, run, metric, "node")

        assert [(item.metric, item.ranking, item.sentences) for item in found] == [
            (item.metric, item.ranking, item.sentences) for item in results.rank(metric, "node")
        ]


def test_only_the_metrics_of_the_ranking_are_loaded(session: Session, run_id: UUID) -> None:
    run = get_run(session, str(run_id))

    def list_loaded(metric: Metric | None) -> set[Metric]:
        (ranking,) = read_rankings(session, run, metric)
        names = {name for cell in ranking.group.cells for name in cell.estimates}
        return names - NEEDED_METRICS

    assert list_loaded(Metric.LATENCY_P50_MS) == {Metric.LATENCY_P50_MS}
    assert set() < list_loaded(None) <= MAIN_METRICS
