"""Which runs lose their seconds and logs, and what stays of them."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import Engine, func, select
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
from backend.core.statuses import (
    ChangeStatus,
    RemovalReason,
    RunStatus,
    StudyVariant,
)
from backend.tests.accounts import add_workspace
from backend.tests.factories import add_host, first_workspace
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


@pytest.mark.parametrize(
    ("seconds_days", "logs_days", "seconds", "logs"),
    [
        (None, None, 4, 4),
        (OLD_DAYS + 1, OLD_DAYS + 1, 4, 4),
        (KEPT_DAYS, None, 0, 4),
        (None, KEPT_DAYS, 4, 0),
    ],
    ids=["without a setting", "younger", "old seconds", "old logs"],
)
def test_rows_older_than_their_period_are_removed(
    run_id: UUID, seconds_days: int | None, logs_days: int | None, seconds: int, logs: int
) -> None:
    is_kept = bool(seconds and logs)
    keep_for(seconds_days, logs_days)

    assert (mark(), mark()) == (0 if is_kept else 1, 0)
    assert (count(Sample), count(TrialLog)) == (4, 4)
    for name, left, check in (("Seconds", seconds, check_seconds), ("Logs", logs, check_logs)):
        removed = pytest.raises(
            Gone, match=rf"{name} were removed on \d+ \w+ \d{{4}} by retention\."
        )
        with nullcontext() if left else removed:
            check(read(run_id))
    sweep()

    assert (count(Sample), count(TrialLog), count(TrialHistogram)) == (seconds, logs, 2)
    assert (find_removal(read(run_id)) is None) is is_kept
    assert read(run_id).removal_reason is (None if seconds else RemovalReason.RETENTION)
    assert not read(run_id).has_removed_rows


def is_kept(run_id: UUID, change: Callable[[Session, Run], object]) -> bool:
    """Return whether retention keeps an old run after this change."""
    keep_for(KEPT_DAYS, KEPT_DAYS)
    with unit_of_work() as session:
        change(session, session.get_one(Run, run_id))
    kept = mark() == 0
    return kept and read(run_id).seconds_removed_at is None


def reproduce_study(_: Session, run: Run) -> None:
    run.study, run.study_variant = "a-study", StudyVariant.QUICK


def make_example(_: Session, run: Run) -> None:
    run.example = True


def save_snapshot(session: Session, run: Run) -> None:
    session.add(
        Snapshot(
            hash="h",
            workspace_id=run.workspace_id,
            document="{}",
            run_ids=[run.id],
        )
    )


def reopen(_: Session, run: Run) -> None:
    run.finalized_at = None


@pytest.mark.parametrize("change", [reproduce_study, make_example, save_snapshot, reopen])
def test_runs_that_others_need_are_kept(
    run_id: UUID, change: Callable[[Session, Run], object]
) -> None:
    assert is_kept(run_id, change)


@pytest.mark.parametrize(
    ("status", "marked"),
    [
        (ChangeStatus.SUSPECTED, 0),
        (ChangeStatus.CONFIRMED, 0),
        (ChangeStatus.DISMISSED, 2),
        (ChangeStatus.HOST_DRIFT, 2),
    ],
)
def test_runs_before_and_after_a_change_are_kept(
    run_id: UUID, status: ChangeStatus, marked: int
) -> None:
    after_id = add_old_run()
    with unit_of_work() as session:
        before, after = (get_run(session, str(changed)) for changed in (run_id, after_id))
        add_change(session, before, after, status)
    keep_for(KEPT_DAYS, None)

    assert mark() == marked


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


def test_a_shorter_period_of_the_installation_applies_to_all_workspaces(run_id: UUID) -> None:
    keep_for(400, 400)
    with unit_of_work() as session:
        settings.change_workspace(session, first_workspace(session), Periods(300, 300))
    keep_for(KEPT_DAYS, KEPT_DAYS)

    assert mark() == 2
    assert read(run_id).seconds_removed_at is not None


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


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (reproduce_study, "reproduces a study"),
        (make_example, "is example data"),
        (reopen, "is not complete"),
    ],
)
def test_runs_that_need_their_seconds_are_not_archived(
    run_id: UUID, change: Callable[[Session, Run], object], reason: str
) -> None:
    with unit_of_work() as session:
        change(session, session.get_one(Run, run_id))
    with unit_of_work() as session, pytest.raises(Conflict, match=reason):
        service.archive_run(session, session.get_one(Run, run_id))


def test_rows_of_many_trials_are_deleted_in_small_steps(
    run_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "DELETED_TRIALS", 1)
    keep_for(KEPT_DAYS, KEPT_DAYS)
    mark()

    left = []
    for _ in range(3):
        with unit_of_work() as session:
            assert service.delete_removed_rows(session)
        left.append((count(Sample), count(TrialLog)))

    assert left == [(2, 2), (0, 0), (0, 0)]
    with unit_of_work() as session:
        assert not service.delete_removed_rows(session)


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
