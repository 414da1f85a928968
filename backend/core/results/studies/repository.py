"""SQL for the runs that reproduce studies. Never commits."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from backend.core.models import Run, Trial
from backend.core.people.access.viewer import Viewer
from backend.core.runs.visibility import is_listed
from backend.core.statuses import TrialStatus


def list_reproductions(session: Session, study: str, viewer: Viewer, limit: int) -> Sequence[Run]:
    """Return runs that the viewer sees that reproduce a study, newest first, with host."""
    query = (
        select(Run)
        .options(selectinload(Run.host), selectinload(Run.cells))
        .where(Run.study == study, is_listed(viewer))
        .order_by(Run.created_at.desc(), Run.id.desc())
        .limit(limit)
    )
    return session.scalars(query).all()


def count_reproductions(session: Session, viewer: Viewer) -> dict[str, int]:
    """Return the number of reproductions by study; studies without any are left out."""
    query = (
        select(Run.study, func.count())
        .where(Run.study.is_not(None), is_listed(viewer))
        .group_by(Run.study)
    )
    return {study: count for study, count in session.execute(query) if study is not None}


def find_best(session: Session, run_ids: Collection[UUID]) -> UUID | None:
    """Return the best of these runs that have results; None if no run has any.

    Full runs come before quick ones, own runs before example data, then newer runs first.
    """
    has_number = select(Trial.run_id).where(Trial.status == TrialStatus.SUCCEEDED)
    query = select(Run.id).where(Run.id.in_(run_ids), Run.id.in_(has_number))
    order = (Run.example, Run.study_variant, Run.created_at.desc())
    return session.scalar(query.order_by(*order).limit(1))
