"""The data of bench-scale is like data that Tacho stored itself."""

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import (
    AuditEvent,
    CellMetric,
    CellSummary,
    Host,
    Incident,
    Membership,
    Run,
    Sample,
    ScheduledRun,
    Trial,
    User,
)
from backend.core.results.cell_summary import write_summaries
from backend.core.runs import repository as runs
from backend.core.runs.status import RUN_ENDS, TRIAL_ENDS
from backend.core.runs.trials import repository as trials
from backend.core.statuses import RunStatus
from backend.tests.installation import sweep_up
from tools.benchmarks.many_runs.seeding import seed
from tools.benchmarks.many_runs.size import HOSTS, PEOPLE, QUEUED_PER_HOST, Size
from tools.benchmarks.many_runs.work import add_queue, remove_queue

_RUNS = 200


@pytest.fixture
def size(database: Settings) -> Size:
    """A seeded installation, which was empty."""
    sweep_up()
    size = Size(_RUNS / 100_000)
    assert size.runs == _RUNS
    seed(size)
    return size


def count(session: Session, table: type) -> int:
    return session.scalar(select(func.count()).select_from(table)) or 0


def read_metrics(session: Session, run_id: object) -> list[tuple[object, ...]]:
    query = select(
        CellMetric.cell_id,
        CellMetric.metric,
        CellMetric.at,
        CellMetric.estimate,
        CellMetric.low,
        CellMetric.high,
        CellMetric.n,
        CellMetric.mean_log,
        CellMetric.sd_log,
    ).join(CellSummary, CellSummary.cell_id == CellMetric.cell_id)
    query = query.where(CellSummary.run_id == run_id)
    return [tuple(row) for row in session.execute(query.order_by(*query.selected_columns[:2]))]


def test_seeded_data_is_complete_and_summaries_agree_with_trials(size: Size) -> None:
    with unit_of_work() as session:
        # The calibration that the others are copies of is a further run.
        assert count(session, Run) == size.runs + 1
        assert (count(session, Host), count(session, User)) == (HOSTS, PEOPLE)
        assert count(session, Incident) == size.incidents
        assert count(session, AuditEvent) >= size.audit_events
        assert count(session, Membership) > PEOPLE
        assert count(session, ScheduledRun) > 0
        has_seconds = select(Sample.trial_id).where(Sample.trial_id == Trial.id).exists()
        removed = select(Run.id).where(Run.seconds_removed_at.is_not(None))
        assert session.scalars(removed).all()
        kept = select(func.count()).select_from(Trial).where(Trial.run_id.in_(removed), has_seconds)
        assert session.scalar(kept) == 0

        copied = session.scalars(
            select(Run)
            .where(Run.seconds_removed_at.is_not(None), Run.status == RunStatus.SUCCEEDED)
            .order_by(Run.created_at)
            .limit(3)
        ).all()
        for run in copied:
            stored = read_metrics(session, run.id)
            write_summaries(session, runs.get_run(session, str(run.id)))
            computed = read_metrics(session, run.id)
            assert len(stored) > 0
            assert [row[:3] for row in computed] == [row[:3] for row in stored]
            for known, new in zip(stored, computed, strict=True):
                assert new[3:] == pytest.approx(known[3:])


def test_each_host_has_a_queue_which_can_be_made_again(size: Size) -> None:
    del size
    for _ in range(2):
        with unit_of_work() as session:
            remove_queue(session)
            add_queue(session)
    with unit_of_work() as session:
        waiting = select(Run.host_id, func.count()).where(Run.status.not_in(RUN_ENDS))
        queues = session.execute(waiting.group_by(Run.host_id)).all()
        assert [number for _, number in queues] == [QUEUED_PER_HOST] * HOSTS
        of_ended = (
            select(Trial.id).join(Run, Run.id == Trial.run_id).where(Run.status.in_(RUN_ENDS))
        )
        assert session.scalars(of_ended.where(Trial.status.not_in(TRIAL_ENDS))).all() == []
        for host in session.scalars(select(Host)):
            assert trials.find_claimable(session, host.id) is not None
