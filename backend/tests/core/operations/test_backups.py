"""When a backup is due, and how the last attempts are reported."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.orm import Session

from backend.core.models import Backup
from backend.core.operations import backups

DAY = timedelta(hours=24)
BEGIN = datetime(2026, 11, 25, 3, tzinfo=UTC)


def add(session: Session, started_at: datetime, error: str | None = None) -> None:
    """Store an attempt that took a minute."""
    session.add(
        Backup(
            started_at=started_at,
            ended_at=started_at + timedelta(minutes=1),
            error=error,
            next_at=started_at + DAY,
        )
    )
    session.flush()


def test_without_an_attempt_a_backup_is_due(session: Session) -> None:
    assert backups.find_due_time(session, DAY) is None
    assert backups.read_backup_state(session, BEGIN, is_on=True) is None


@pytest.mark.parametrize("every", [DAY, timedelta(hours=1)])
def test_the_time_between_backups_counts_from_start_to_start(
    session: Session, every: timedelta
) -> None:
    add(session, BEGIN)

    assert backups.find_due_time(session, every) == BEGIN + every


def test_a_failure_is_repeated_soon_and_reported(session: Session) -> None:
    add(session, BEGIN)
    add(session, BEGIN + DAY, "The disk is full.")

    failed_at = BEGIN + DAY + timedelta(minutes=1)
    assert backups.find_due_time(session, DAY) == failed_at + backups.RETRY_AFTER
    state = backups.read_backup_state(session, failed_at, is_on=True)
    assert state is not None
    assert state.succeeded_at == BEGIN + timedelta(minutes=1)
    assert (state.failed_at, state.error) == (failed_at, "The disk is full.")


def test_a_success_ends_the_report_of_a_failure(session: Session) -> None:
    add(session, BEGIN, "The disk is full.")
    add(session, BEGIN + timedelta(minutes=15))

    state = backups.read_backup_state(session, BEGIN + timedelta(hours=1), is_on=True)

    assert state is not None
    assert (state.failed_at, state.error) == (None, None)


@pytest.mark.parametrize(("late", "is_overdue"), [(1, False), (3, True)])
def test_a_backup_that_does_not_come_is_overdue(
    session: Session, late: int, is_overdue: bool
) -> None:
    add(session, BEGIN)

    state = backups.read_backup_state(session, BEGIN + DAY + timedelta(hours=late), is_on=True)

    assert state is not None
    assert state.is_overdue is is_overdue


@pytest.mark.parametrize("error", [None, "The disk is full."])
def test_backups_that_were_switched_off_are_not_overdue(
    session: Session, error: str | None
) -> None:
    add(session, BEGIN, error)

    # Another part may still make them, with settings of its own.
    state = backups.read_backup_state(session, BEGIN + DAY, is_on=False)
    assert state is not None
    assert not state.is_overdue

    late = BEGIN + DAY + timedelta(hours=3)
    assert backups.read_backup_state(session, late, is_on=False) is None


def test_only_the_newest_attempts_are_stored(session: Session) -> None:
    for hour in range(5):
        add(session, BEGIN + timedelta(hours=hour))

    backups.delete_old(session, 2)

    assert session.query(Backup).count() == 2
    latest = backups.find_latest(session)
    assert latest is not None
    assert latest.started_at == BEGIN + timedelta(hours=4)
