"""Which runs lose their seconds and logs, and what stays of them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import Engine, func, select, update
from sqlalchemy.orm import Session

from backend.core.changes.finalization.service import finalize_runs
from backend.core.config import Settings
from backend.core.db import make_engine, unit_of_work
from backend.core.errors import Conflict, Gone, InvalidRequest
from backend.core.measurement.measurements import partitions
from backend.core.measurement.measurements import repository as measurements
from backend.core.models import (
    Cell,
    CellChart,
    Change,
    Run,
    Sample,
    Snapshot,
    Trial,
    TrialHistogram,
    TrialLog,
)
from backend.core.operations.retention import service, settings
from backend.core.operations.retention.periods import Periods
from backend.core.results import cell_charts
from backend.core.runs.removal import check_logs, check_seconds, find_removal
from backend.core.runs.repository import get_run
from backend.core.statuses import ChangeStatus, RemovalReason, RunStatus, StudyVariant
from backend.tests.accounts import add_workspace
from backend.tests.factories import add_host
from backend.tests.measured_runs import compare_two
from backend.tests.months import find_table, measure_in
from backend.tests.stored_changes import add_change

NOW = datetime.now(UTC)
OLD_DAYS = 100
KEPT_DAYS = 60


@pytest.fixture
def run_id(database: Settings) -> UUID:
    """An old run with two trials, each with a log."""
    return add_old_run()


def add_old_run(workspace_id: UUID | None = None) -> UUID:
    """Store and finalize a run that ended 100 days ago."""
    with unit_of_work() as session:
        host = session.scalars(select(Run.host_id)).first() or add_host(session).id
        changes = {"workspace_id": workspace_id} if workspace_id else {}
        run = compare_two(session, host, trials=1, **changes)
        for trial in session.scalars(select(Trial).where(Trial.run_id == run.id)):
            measurements.put_logs(session, trial.id, {"build": "npm ci\n", "service": "ready\n"})
        run_id = run.id
    finalize_runs()
    with unit_of_work() as session:
        run = session.get_one(Run, run_id)
        run.finished_at = NOW - timedelta(days=OLD_DAYS)
    return run_id


def keep_for(seconds_days: int | None, logs_days: int | None) -> None:
    with unit_of_work() as session:
        settings.change_installation(session, Periods(seconds_days, logs_days))


def mark() -> int:
    with unit_of_work() as session:
        return service.mark_due(session, NOW)


def sweep() -> None:
    """Delete removed rows until none is left."""
    for _ in range(50):
        with unit_of_work() as session:
            if not service.delete_removed_rows(session):
                return
    raise AssertionError("rows are left after 50 steps")


def count(table: type[Sample] | type[TrialLog] | type[TrialHistogram]) -> int:
    with unit_of_work() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def read(run_id: UUID) -> Run:
    with unit_of_work() as session:
        return session.get_one(Run, run_id)


def test_rows_older_than_their_period_are_removed(run_id: UUID) -> None:
    assert mark() == 0
    keep_for(OLD_DAYS + 1, OLD_DAYS + 1)
    assert mark() == 0
    check_seconds(read(run_id))
    check_logs(read(run_id))
    assert find_removal(read(run_id)) is None

    keep_for(None, KEPT_DAYS)
    assert (mark(), mark()) == (1, 0)
    # The rows are deleted later, but nobody can read them any more.
    assert (count(Sample), count(TrialLog)) == (4, 4)
    with pytest.raises(Gone, match=r"Logs were removed on \d+ \w+ \d{4} by retention\."):
        check_logs(read(run_id))
    check_seconds(read(run_id))
    sweep()
    assert (count(Sample), count(TrialLog), count(TrialHistogram)) == (4, 0, 2)
    assert read(run_id).removal_reason is None

    keep_for(KEPT_DAYS, KEPT_DAYS)
    assert (mark(), mark()) == (1, 0)
    with pytest.raises(Gone, match=r"Seconds were removed on \d+ \w+ \d{4} by retention\."):
        check_seconds(read(run_id))
    sweep()
    assert (count(Sample), count(TrialLog), count(TrialHistogram)) == (0, 0, 2)
    assert read(run_id).removal_reason is RemovalReason.RETENTION
    assert not read(run_id).has_removed_rows


def reproduce_study(_: Session, run: Run) -> None:
    run.study, run.study_variant = "a-study", StudyVariant.QUICK


def make_example(_: Session, run: Run) -> None:
    run.example = True


def save_snapshot(session: Session, run: Run) -> None:
    session.add(Snapshot(hash="h", workspace_id=run.workspace_id, document="{}", run_ids=[run.id]))


def reopen(_: Session, run: Run) -> None:
    run.finalized_at = None


def test_runs_that_others_need_are_kept(run_id: UUID) -> None:
    changes = (reproduce_study, make_example, save_snapshot, reopen)
    needed = [add_old_run() for _ in changes]
    with unit_of_work() as session:
        for change, needed_id in zip(changes, needed, strict=True):
            change(session, session.get_one(Run, needed_id))
    keep_for(KEPT_DAYS, KEPT_DAYS)

    # The seconds and the logs of the run that nobody needs.
    assert mark() == 2

    assert read(run_id).seconds_removed_at is not None
    for kept in map(read, needed):
        assert (kept.seconds_removed_at, kept.logs_removed_at) == (None, None)


@pytest.mark.parametrize("end", [ChangeStatus.DISMISSED, ChangeStatus.HOST_DRIFT])
def test_runs_before_and_after_a_change_are_kept(run_id: UUID, end: ChangeStatus) -> None:
    after_id = add_old_run()
    with unit_of_work() as session:
        before, after = (get_run(session, str(changed)) for changed in (run_id, after_id))
        add_change(session, before, after)
    keep_for(KEPT_DAYS, None)

    for status in (ChangeStatus.SUSPECTED, ChangeStatus.CONFIRMED):
        set_status(status)
        assert mark() == 0
    set_status(end)
    assert mark() == 2


def set_status(status: ChangeStatus) -> None:
    with unit_of_work() as session:
        session.execute(update(Change).values(status=status))


def test_a_workspace_may_keep_less_than_the_installation_but_not_more(run_id: UUID) -> None:
    with unit_of_work() as session:
        other_id = add_workspace(session, "other").id
    in_other = add_old_run(other_id)
    keep_for(400, 400)
    with unit_of_work() as session:
        with pytest.raises(InvalidRequest, match="seconds_days: must be at most 400") as raised:
            settings.change_workspace(session, other_id, Periods(401, 30))
        assert [problem["field"] for problem in raised.value.problems] == ["seconds_days"]
        settings.change_workspace(session, other_id, Periods(KEPT_DAYS, None))

    assert mark() == 1

    assert read(in_other).seconds_removed_at is not None
    assert read(in_other).logs_removed_at is None
    assert read(run_id).seconds_removed_at is None


def test_an_archived_run_keeps_its_logs_and_its_charts(run_id: UUID) -> None:
    with unit_of_work() as session:
        cell_ids = [cell.id for cell in session.scalars(select(Cell))]
        before = cell_charts.read_charts(session, cell_ids)
        service.archive_run(session, session.get_one(Run, run_id))
        service.archive_run(session, session.get_one(Run, run_id))
    sweep()

    assert (count(Sample), count(TrialLog)) == (0, 4)
    removal = find_removal(read(run_id))
    assert removal is not None
    assert ", when the run was archived. Charts, estimates" in removal.seconds_note
    assert (removal.logs_at, removal.logs_note) == (None, "")
    with unit_of_work() as session:
        after = cell_charts.read_charts(session, cell_ids)
    assert [chart.bands for chart in after] == [chart.bands for chart in before]
    assert all(chart.seconds for chart in after)


def test_a_new_version_of_charts_keeps_what_only_seconds_could_give(run_id: UUID) -> None:
    with unit_of_work() as session:
        stored = {row.cell_id: row.bands for row in session.scalars(select(CellChart))}
        service.archive_run(session, session.get_one(Run, run_id))
    sweep()
    with unit_of_work() as session:
        for row in session.scalars(select(CellChart)):
            row.version, row.latency = 0, b""

    with unit_of_work() as session:
        assert cell_charts.write_missing_charts(session, 10) == 2
        assert cell_charts.write_missing_charts(session, 10) == 0
    with unit_of_work() as session:
        rows = session.scalars(select(CellChart)).all()
        assert {row.cell_id: row.bands for row in rows} == stored
        assert all(row.bands and row.latency for row in rows)


def test_charts_are_stored_before_the_seconds_are_removed(run_id: UUID) -> None:
    with unit_of_work() as session:
        for row in session.scalars(select(CellChart)):
            session.delete(row)
    keep_for(KEPT_DAYS, None)

    mark()
    sweep()

    with unit_of_work() as session:
        assert all(row.bands for row in session.scalars(select(CellChart)).all())
        assert len(session.scalars(select(CellChart)).all()) == 2


def test_runs_that_need_their_seconds_are_not_archived(run_id: UUID) -> None:
    for change, reason in (
        (reproduce_study, "reproduces a study"),
        (make_example, "is example data"),
        (reopen, "is not complete"),
    ):
        with unit_of_work() as session:
            run = session.get_one(Run, run_id)
            change(session, run)
            with pytest.raises(Conflict, match=reason):
                service.archive_run(session, run)
            session.rollback()


@pytest.fixture(scope="module")
def own_url(new_installation: Callable[[], str]) -> str:
    return new_installation()


@pytest.fixture
def engine(own_url: str) -> Iterator[Engine]:
    """An installation of its own, whose partitions tests may drop."""
    engine = make_engine(own_url)
    yield engine
    engine.dispose()


def finish(session: Session, trial: Trial) -> Run:
    """Make a run look as if it had ended and been finalized in the month of its trial."""
    run = session.get_one(Run, trial.run_id)
    run.status = RunStatus.SUCCEEDED
    run.finished_at = run.finalized_at = datetime.fromtimestamp((trial.id.int >> 80) / 1000, UTC)
    session.flush()
    return run


def test_a_month_is_dropped_when_no_run_needs_it(engine: Engine) -> None:
    month = partitions.first_of_month(NOW.date(), -5)
    with Session(engine) as session:
        session.execute(select(func.create_sample_partition(month)))
        trials = [measure_in(session, month) for _ in range(2)]
        runs = [finish(session, trial) for trial in trials]
        runs[1].example = True
        settings.change_installation(session, Periods(KEPT_DAYS, None))

        assert service.mark_due(session, NOW) == 1
        assert not service.drop_months(session, NOW)
        assert find_table(session, trials[0].id) == f"sample_{month:%Y_%m}"

        runs[1].example = False
        session.flush()
        assert service.mark_due(session, NOW) == 1
        assert service.drop_months(session, NOW)
        assert not service.drop_months(session, NOW)

        assert month not in partitions.list_partitions(session)
        assert [find_table(session, trial.id) for trial in trials] == [None, None]
        while service.delete_removed_rows(session):
            pass
        assert not any(session.scalars(select(Run.has_removed_rows)))
        session.rollback()


def test_the_present_month_is_never_dropped(engine: Engine) -> None:
    with Session(engine) as session:
        before = partitions.list_partitions(session)

        assert not service.drop_months(session, NOW)
        assert not partitions.drop_partition(session, partitions.first_of_month(NOW.date()))
        assert not partitions.drop_partition(session, partitions.first_of_month(NOW.date(), 2))

        assert partitions.list_partitions(session) == before
        session.rollback()
