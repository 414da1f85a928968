"""The dispatcher deletes old entries of the audit log."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.models import AuditEvent
from worker.dispatcher.tasks import tidy_audit

AGES_DAYS = (1, 45, 100)


@pytest.mark.parametrize(
    ("days", "left"), [("0", [1, 45, 100]), ("60", [1, 45]), ("", [1, 45, 100])]
)
def test_entries_older_than_the_setting_are_deleted(
    database: Settings, monkeypatch: pytest.MonkeyPatch, days: str, left: list[int]
) -> None:
    with unit_of_work() as session:
        session.add_all(
            AuditEvent(
                at=datetime.now(UTC) - timedelta(days=age),
                actor="Tacho",
                action="run.created",
                subject_type="run",
                subject_id="k3v9q2mx4d",
            )
            for age in AGES_DAYS
        )
    if days:
        monkeypatch.setenv("TACHO_AUDIT_DAYS", days)
    get_settings.cache_clear()

    tidy_audit()

    with unit_of_work() as session:
        times = session.scalars(select(AuditEvent.at).order_by(AuditEvent.at.desc())).all()
    assert [(datetime.now(UTC) - at).days for at in times] == left
    monkeypatch.undo()
    get_settings.cache_clear()
