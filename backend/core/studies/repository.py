"""SQL for the runs that reproduce studies. Never commits."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from backend.core.models import Run, Trial
from backend.core.runs.status import TrialStatus


def list_reproductions(
    session: Session, study: str, listed: Collection[str], limit: int
) -> Sequence[Run]:
    """Runs that reproduce a study and have one of these visibilities, newest first; with host."""
    query = (
        select(Run)
        .options(selectinload(Run.host), selectinload(Run.cells))
        .where(Run.study == study, Run.visibility.in_(listed))
        .order_by(Run.created_at.desc(), Run.id.desc())
        .limit(limit)
    )
    return session.scalars(query).all()


def count_reproductions(session: Session, listed: Collection[str]) -> dict[str, int]:
    """Study to how many runs reproduce it; studies without any are left out."""
    query = (
        select(Run.study, func.count())
        .where(Run.study.is_not(None), Run.visibility.in_(listed))
        .group_by(Run.study)
    )
    return {study: count for study, count in session.execute(query) if study is not None}


def find_best(session: Session, run_ids: Collection[UUID]) -> UUID | None:
    """Of these runs the newest that has a number, a full one before a quick one, ours before
    example data; None where none has.
    """
    has_number = select(Trial.run_id).where(Trial.status == TrialStatus.SUCCEEDED)
    query = select(Run.id).where(Run.id.in_(run_ids), Run.id.in_(has_number))
    order = (Run.example, Run.study_variant, Run.created_at.desc())
    return session.scalar(query.order_by(*order).limit(1))
