"""SQL for runs as lists show them. Every function takes the caller's session and never commits."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, selectinload

from backend.core.access.viewer import Viewer
from backend.core.models import Cell, Framework, Host, Run, Scenario
from backend.core.runs.visibility import is_listed

# Lists show names only, without long documents. Joins take less time than further statements.
_IN_LISTS = (
    joinedload(Run.host, innerjoin=True).load_only(Host.name, Host.runtime, raiseload=True),
    selectinload(Run.cells).options(
        joinedload(Cell.framework, innerjoin=True).load_only(
            Framework.slug, Framework.name, Framework.colour, raiseload=True
        ),
        joinedload(Cell.scenario, innerjoin=True).load_only(
            Scenario.slug, Scenario.name, raiseload=True
        ),
    ),
)


def list_runs(session: Session, run_ids: Collection[UUID]) -> Sequence[Run]:
    """Return these runs, newest first, with host and cells but without trials."""
    query = select(Run).options(*_IN_LISTS).where(Run.id.in_(run_ids))
    return session.scalars(query.order_by(Run.created_at.desc(), Run.id.desc())).all()


def list_named(session: Session, slugs: Collection[str], viewer: Viewer) -> Sequence[Run]:
    """Return runs of these slugs that the viewer sees listed, with host and cells, newest first."""
    query = select(Run).options(*_IN_LISTS)
    query = query.where(Run.slug.in_(slugs), is_listed(viewer))
    return session.scalars(query.order_by(Run.created_at.desc(), Run.id.desc())).all()
