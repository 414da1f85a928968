"""Trials of chosen months, in an installation of their own, whose partitions tests may change."""

from datetime import UTC, date, datetime
from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from backend.core.db import new_id
from backend.core.models import Host, Trial
from backend.tests.factories import HOST, add_host, ask_run, claim_next, put_measurements


def measure_in(session: Session, month: date) -> Trial:
    """Store a trial with two seconds, whose id is of the 10th day of a month."""
    host = session.scalars(select(Host).where(Host.name == HOST)).one_or_none()
    host = host or add_host(session)
    ask_run(session)
    trial = claim_next(session, host.id)
    moment = datetime(month.year, month.month, 10, tzinfo=UTC)
    lowest = UUID(str(session.scalar(select(func.first_id_at(moment)))))
    trial_id = UUID(int=lowest.int + new_id().int % 2**64)
    session.execute(
        text("UPDATE trial SET id = :new WHERE id = :old"), {"new": trial_id, "old": trial.id}
    )
    session.expunge(trial)
    trial = session.get_one(Trial, trial_id)
    put_measurements(session, trial, [1.0])
    return trial


def find_table(session: Session, trial_id: UUID) -> str | None:
    """Return the name of the partition that holds the seconds of a trial; None without seconds."""
    query = text("SELECT DISTINCT tableoid::regclass::text FROM sample WHERE trial_id = :id")
    found: str | None = session.scalar(query, {"id": trial_id})
    return found
