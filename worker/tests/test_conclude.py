"""What follows from a run's end, in the database."""

from uuid import UUID

import pytest
from sqlalchemy import delete, select

from backend.core.comparison import summaries
from backend.core.db import unit_of_work
from backend.core.models import CellChart, CellMetric, CellSummary, Run
from backend.core.runs import service
from backend.core.units import Metric
from backend.tests.factories import add_host, ask_run, succeed_next
from worker.conclude import conclude_runs

pytestmark = pytest.mark.usefixtures("database")


def summarised() -> dict[str, tuple[int, bool]]:
    """Run title to how many of its cells are summed up and whether it is concluded."""
    with unit_of_work() as session:
        return {
            run.title: (
                len(session.scalars(select(CellSummary).where(CellSummary.run_id == run.id)).all()),
                run.concluded_at is not None,
            )
            for run in session.scalars(select(Run))
        }


def test_every_ended_run_is_concluded_once_and_no_other() -> None:
    with unit_of_work() as session:
        host_id = add_host(session).id
        ask_run(session, count=2, title="ended")
        for latency in (1.0, 4.0):
            succeed_next(session, host_id, [latency] * 5)
        session.execute(delete(CellSummary))
        service.cancel_run(session, ask_run(session, title="cancelled"))
        ask_run(session, title="waits")

    conclude_runs()
    conclude_runs()

    assert summarised() == {"ended": (1, True), "cancelled": (0, True), "waits": (0, False)}
    with unit_of_work() as session:
        p50 = session.scalars(
            select(CellMetric).where(CellMetric.metric == Metric.LATENCY_P50_MS)
        ).one()
        assert session.scalars(select(CellChart.cell_id)).all() == [p50.cell_id]
    assert p50.n == 2
    assert p50.low is not None
    assert p50.low < p50.estimate < (p50.high or 0)
    assert p50.estimate == pytest.approx(2.0, rel=0.01)
    assert p50.sd_log == pytest.approx(0.98, rel=0.01)


def test_one_run_that_cannot_be_concluded_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with unit_of_work() as session:
        host_id: UUID = add_host(session).id
        for title in ("first", "second"):
            ask_run(session, title=title)
            succeed_next(session, host_id)

    def refuse_first(session: object, run: Run) -> None:
        if run.title == "first":
            raise ValueError("cannot")

    monkeypatch.setattr("worker.conclude.write_summaries", refuse_first)
    conclude_runs()

    assert {title: done for title, (_, done) in summarised().items()} == {
        "first": False,
        "second": True,
    }
    monkeypatch.setattr("worker.conclude.write_summaries", summaries.write_summaries)
    conclude_runs()
    assert all(done for _, done in summarised().values())
