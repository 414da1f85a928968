"""SQL for stored outcomes of runs. Never commits."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.models import Run


def list_without_outcome(session: Session, version: int, most: int) -> Sequence[UUID]:
    """Return finalized runs without an outcome of this version, locked until commit."""
    query = select(Run.id).where(Run.outcome_version < version, Run.finalized_at.is_not(None))
    query = query.order_by(Run.outcome_version, Run.created_at.desc()).limit(most)
    return session.scalars(query.with_for_update(skip_locked=True)).all()
