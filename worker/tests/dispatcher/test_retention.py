"""The dispatcher's tasks about partitions and retention."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from backend.core.changes.finalization.service import finalize_runs
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import Run, Sample, Trial
from backend.core.operations.retention import service, settings
from backend.core.operations.retention.periods import Periods
from backend.core.runs import dependents
from backend.core.runs.service import delete_run
from backend.platform.logs.monitoring import REGISTRY
from backend.tests.factories import add_host
from backend.tests.measured_runs import compare_two
from worker.dispatcher import retention
from worker.dispatcher.retention import remove


@pytest.fixture
def old_run(database: Settings) -> None:
    """A run that ended 100 days ago, with settings that keep seconds for 60 days."""
    with unit_of_work() as session:
        compare_two(session, add_host(session).id)
    finalize_runs()
    with unit_of_work() as session:
        run = session.scalars(select(Run)).one()
        run.finished_at = datetime.now(UTC) - timedelta(days=100)
        settings.change_installation(session, Periods(60, None))


def count_removals() -> float:
    return REGISTRY.get_sample_value("tacho_retention_removals_total") or 0


def count_seconds() -> int:
    with unit_of_work() as session:
        return session.scalar(select(func.count()).select_from(Sample)) or 0


@pytest.mark.usefixtures("old_run")
def test_one_turn_removes_what_is_due() -> None:
    assert count_seconds() == 20
    removals = count_removals()

    remove()

    assert count_seconds() == 0
    assert count_removals() == removals + 1
    with unit_of_work() as session:
        run = session.scalars(select(Run)).one()
        assert run.seconds_removed_at is not None
        assert not run.has_removed_rows


@pytest.mark.usefixtures("old_run")
def test_a_turn_ends_after_its_time_and_the_next_continues(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(retention, "TURN_SECONDS", 0.0)
        remove()
        assert count_seconds() == 20

    remove()

    assert count_seconds() == 0


@pytest.mark.usefixtures("old_run")
def test_a_month_in_use_is_dropped_later_and_other_rows_are_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PostgreSQL's own error for a lock that it waited for too long."""
    with monkeypatch.context() as patch:
        patch.setattr(service, "drop_months", wait_for_lock)
        remove()
    assert count_seconds() == 0

    tries: list[datetime] = []

    def find_none(_: Session, now: datetime) -> bool:
        tries.append(now)
        return False

    monkeypatch.setattr(service, "drop_months", find_none)
    remove()

    assert len(tries) == 1


def wait_for_lock(session: Session, _now: datetime) -> bool:
    """Wait for a lock that another transaction holds."""
    with unit_of_work() as other:
        other.execute(select(func.pg_advisory_xact_lock(1)))
        session.execute(select(func.set_config("lock_timeout", "10ms", True)))
        session.execute(select(func.pg_advisory_xact_lock(1)))
    return False


@pytest.mark.usefixtures("old_run")
def test_one_turn_deletes_the_trials_of_a_large_run_that_was_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dependents, "DELETED_AT_ONCE", 1)
    with unit_of_work() as session:
        delete_run(session, session.scalars(select(Run)).one())
    assert count_seconds() == 20

    remove()

    assert count_seconds() == 0
    with unit_of_work() as session:
        assert session.scalars(select(Trial)).all() == []


@pytest.mark.usefixtures("database")
def test_an_outage_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_session: Session) -> bool:
        raise OperationalError("SELECT 1", {}, Exception("the server closed the connection"))

    monkeypatch.setattr(service, "delete_removed_rows", fail)
    with pytest.raises(OperationalError):
        remove()
