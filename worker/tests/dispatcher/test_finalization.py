"""Ended runs are finalized once, and failed attempts are repeated."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from sqlalchemy import delete, func, select, update

from backend.core.changes.finalization.service import finalize_runs
from backend.core.db import unit_of_work
from backend.core.models import CellChart, CellMetric, CellSummary, Run
from backend.core.results import cell_summary
from backend.core.runs import repository, service
from backend.core.runs.repository import pause_after
from backend.core.units import Metric
from backend.tests.factories import add_host, ask_run, succeed_next

pytestmark = pytest.mark.usefixtures("database")


def summarised() -> dict[str, tuple[int, bool]]:
    """Map run titles to the number of summarised cells and whether the run is finalized."""
    with unit_of_work() as session:
        return {
            run.title: (
                len(session.scalars(select(CellSummary).where(CellSummary.run_id == run.id)).all()),
                run.finalized_at is not None,
            )
            for run in session.scalars(select(Run))
        }


def test_only_ended_runs_are_finalized_and_only_once() -> None:
    with unit_of_work() as session:
        host_id = add_host(session).id
        ask_run(session, count=3, title="ended")
        for latency in (1.0, 2.0, 4.0):
            succeed_next(session, host_id, [latency] * 5)
        session.execute(delete(CellSummary))
        service.cancel_run(session, ask_run(session, title="cancelled"))
        ask_run(session, title="waits")

    finalize_runs()
    finalize_runs()

    assert summarised() == {"ended": (1, True), "cancelled": (0, True), "waits": (0, False)}
    with unit_of_work() as session:
        p50 = session.scalars(
            select(CellMetric).where(CellMetric.metric == Metric.LATENCY_P50_MS)
        ).one()
        assert session.scalars(select(CellChart.cell_id)).all() == [p50.cell_id]
    assert p50.n == 3
    assert p50.low is not None
    assert p50.low < p50.estimate < (p50.high or 0)
    assert p50.estimate == pytest.approx(2.0, rel=0.01)
    assert p50.sd_log == pytest.approx(0.693, rel=0.01)


def failures() -> dict[str, tuple[int, str | None]]:
    """Map run titles to the number of failed finalizations and the reason of the last."""
    with unit_of_work() as session:
        return {
            run.title: (run.finalization_attempts, run.finalization_error)
            for run in session.scalars(select(Run))
        }


def come_due() -> None:
    """End the pause of every run that could not be finalized."""
    with unit_of_work() as session:
        session.execute(update(Run).values(finalize_after=func.now()))


def test_a_failed_finalization_is_stored_and_retried_and_others_go_on(
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

    monkeypatch.setattr("backend.core.changes.finalization.service.write_summaries", refuse_first)
    finalize_runs()
    # Not due yet: it is not tried.
    finalize_runs()

    assert {title: done for title, (_, done) in summarised().items()} == {
        "first": False,
        "second": True,
    }
    with unit_of_work() as session:
        run_id = session.scalars(select(Run.id).where(Run.title == "first")).one()
    where = f"Search the dispatcher's log for {run_id}."
    reason = f"Finalization failed with an internal error. {where}"
    assert failures() == {"first": (1, reason), "second": (0, None)}

    come_due()
    finalize_runs()
    assert failures()["first"] == (2, reason)

    come_due()
    monkeypatch.setattr(
        "backend.core.changes.finalization.service.write_summaries", cell_summary.write_summaries
    )
    finalize_runs()
    assert all(done for _, done in summarised().values())
    assert failures()["first"] == (2, None)


def test_the_pause_between_attempts_grows_to_an_hour() -> None:
    pauses = [pause_after(attempts).total_seconds() for attempts in range(1, 100)]

    assert pauses[:3] == [10, 40, 160]
    assert pauses == sorted(pauses)
    assert pauses[-1] == 3600


def test_two_runs_of_one_host_are_finalized_one_after_another() -> None:
    """Two dispatchers that test a series at the same time would both find its change."""
    with unit_of_work() as session:
        host_id: UUID = add_host(session).id
        ids = [ask_run(session, title=title).id for title in ("first", "second")]
        for _ in ids:
            succeed_next(session, host_id)

    with ThreadPoolExecutor(1) as pool:
        with unit_of_work() as session:
            assert repository.claim_unfinalized(session, ids[0]) is not None
            # Another dispatcher goes on with runs of other hosts, and finds work left.
            assert pool.submit(finalize_runs).result(timeout=60) == (0, 0, 2)
        assert pool.submit(finalize_runs).result(timeout=60) == (2, 0, 0)


def test_dispatchers_finalize_runs_of_different_hosts_at_the_same_time() -> None:
    with unit_of_work() as session:
        run_ids = []
        for name in ("bench-01", "bench-02"):
            host_id: UUID = add_host(session, name).id
            run_ids.append(ask_run(session, host=name).id)
            succeed_next(session, host_id)

    with ThreadPoolExecutor(1) as pool, unit_of_work() as session:
        assert repository.claim_unfinalized(session, run_ids[0]) is not None
        assert pool.submit(finalize_runs).result(timeout=60) == (1, 0, 1)
