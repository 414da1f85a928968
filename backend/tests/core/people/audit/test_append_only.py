"""The database keeps the audit log as it was written, except for entries older than 30 days."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session

from backend.core.models import AuditEvent
from backend.core.people.audit import repository
from backend.core.people.audit.repository import AuditFilter

REFUSED = "Entries of the audit log cannot be changed"


def add_entry(session: Session, days: float) -> None:
    session.add(
        AuditEvent(
            at=datetime.now(UTC) - timedelta(days=days),
            actor="ada@example.org",
            action="run.created",
            subject_type="run",
            subject_id="k3v9q2mx4d",
        )
    )
    session.flush()


@pytest.fixture
def log(session: Session) -> Session:
    """A session that has written a new entry and old ones."""
    for days in (0, 29, 31, 400):
        add_entry(session, days)
    return session


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_event SET actor = 'nobody'",
        "UPDATE audit_event SET actor = 'nobody' WHERE at < now() - interval '1 year'",
        "DELETE FROM audit_event",
        "DELETE FROM audit_event WHERE at > now() - interval '30 days'",
        "TRUNCATE audit_event",
    ],
)
def test_entries_cannot_be_changed_or_removed(log: Session, statement: str) -> None:
    savepoint = log.begin_nested()
    with pytest.raises(ProgrammingError, match=REFUSED):
        log.execute(text(statement))
    savepoint.rollback()

    entries = repository.list_events(log, AuditFilter(workspace_id=None), None, 10)
    assert [entry.actor for entry in entries] == ["ada@example.org"] * 4


def test_entries_older_than_30_days_can_be_deleted(log: Session) -> None:
    assert repository.delete_old(log, timedelta(days=90)) == 1
    assert repository.delete_old(log, timedelta(days=30)) == 1
    assert len(repository.list_events(log, AuditFilter(workspace_id=None), None, 10)) == 2
