"""The data of bench-scale is like data that Tacho stored itself."""

import pytest
from sqlalchemy import delete, func, select, update
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
    TrialHistogram,
    User,
)
from backend.core.results.cell_summary import write_summaries
from backend.core.runs import repository as runs
from backend.core.runs.status import RUN_ENDS, TRIAL_ENDS
from backend.core.runs.trials import repository as trials
from backend.core.statuses import RunStatus
from backend.tests.factories import add_host, ask_run, claim_next, succeed
from backend.tests.installation import sweep_up
from tools.benchmarks.many_runs.hosts import Delivered, count_trials
from tools.benchmarks.many_runs.seeding import seed
from tools.benchmarks.many_runs.size import (
    HOSTS,
    PEOPLE,
    QUEUED_PER_HOST,
    TRIALS_OF_MANY_HOSTS,
    Size,
)
from tools.benchmarks.many_runs.work import add_queue, remove_queue

_RUNS = 100


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


def test_seeded_data_is_complete_and_consistent_and_its_queues_can_be_made_again(
    size: Size,
) -> None:
    check_rows(size)
    check_queues()


def check_rows(size: Size) -> None:
    """Nothing is missing, and summaries agree with trials."""
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


def check_queues() -> None:
    """Each host has a queue, also after it was made a second time."""
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
        of_none = Trial.run_id.not_in(select(Run.id))
        assert session.scalars(select(Trial.id).where(of_none)).all() == []
        hosts = session.scalars(select(Host.queue).order_by(Host.queue)).all()
        assert trials.list_waiting_queues(session) == hosts


@pytest.mark.usefixtures("database")
def test_lost_and_doubled_trials_are_counted() -> None:
    delivered = Delivered()
    with unit_of_work() as session:
        host, run = add_host(session), ask_run(session, count=TRIALS_OF_MANY_HOSTS)
        for _ in range(TRIALS_OF_MANY_HOSTS):
            trial = claim_next(session, host.id)
            delivered.claims.append((1.0, str(trial.id), trial.attempt))
            succeed(session, trial)
            delivered.trials.append(str(trial.id))
    first, second, third, fourth = delivered.trials

    def count_faults() -> tuple[float, float]:
        counted = count_trials([run.id], delivered)
        return counted["trials_lost"], counted["trials_doubled"]

    assert count_faults() == (0, 0)
    delivered.trials.remove(first)
    assert count_faults() == (1, 0)
    delivered.trials.append(second)
    assert count_faults() == (1, 1)
    delivered.claims.append((1.0, third, 2))
    assert count_faults() == (1, 2)
    with unit_of_work() as session:
        session.execute(update(Trial).where(Trial.id == fourth).values(attempt=2))
        stored = delete(TrialHistogram).where(TrialHistogram.trial_id.in_((second, third)))
        session.execute(stored)
    assert count_faults() == (2, 3)
