"""SQL for stored outcomes of runs, and for the changes that a run tests. Never commits."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.models import Change, Run


def list_without_outcome(session: Session, version: int, most: int) -> Sequence[UUID]:
    """Return finalized runs without an outcome of this version, locked until commit."""
    query = select(Run.id).where(Run.outcome_version < version, Run.finalized_at.is_not(None))
    query = query.order_by(Run.outcome_version, Run.created_at.desc()).limit(most)
    return session.scalars(query.with_for_update(skip_locked=True)).all()


def list_tested(session: Session, run_id: UUID) -> Sequence[Change]:
    """Return the changes that this confirmation run tested or tests, the largest shift first."""
    query = select(Change).where(Change.confirmation_run_id == run_id)
    size = func.abs(func.ln(Change.ratio))
    return session.scalars(query.order_by(size.desc(), Change.id)).all()
