"""SQL for SLOs. Every function takes the caller's session and never commits."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.errors import NotFound
from backend.core.models import Slo


def list_slos(
    session: Session, workspace_id: UUID, scenarios: Collection[str] | None = None
) -> Sequence[Slo]:
    """Return all SLOs of a workspace, or those of these scenarios, ordered by scope."""
    query = select(Slo).where(Slo.workspace_id == workspace_id)
    query = query.order_by(Slo.scenario, Slo.metric, Slo.created_at, Slo.id)
    if scenarios is not None:
        query = query.where(Slo.scenario.in_(scenarios))
    return session.scalars(query).all()


def get_slo(session: Session, workspace_id: UUID, slo_id: UUID) -> Slo:
    """Return an SLO of a workspace; raise NotFound if there is none."""
    slo = session.get(Slo, slo_id)
    if slo is None or slo.workspace_id != workspace_id:
        raise NotFound(f"There is no SLO {str(slo_id)!r}.")
    return slo


def find_slo(session: Session, like: Slo) -> Slo | None:
    """Return the SLO for the same framework, scenario, profile and metric; None without one."""
    query = select(Slo).where(
        Slo.workspace_id == like.workspace_id,
        Slo.framework.is_not_distinct_from(like.framework),
        Slo.scenario == like.scenario,
        Slo.profile.is_not_distinct_from(like.profile),
        Slo.metric == like.metric,
    )
    return session.scalars(query.limit(1)).one_or_none()


def add_slo(session: Session, slo: Slo) -> Slo:
    """Add a new SLO."""
    session.add(slo)
    session.flush()
    return slo


def delete_slo(session: Session, slo: Slo) -> None:
    """Delete an SLO."""
    session.delete(slo)
    session.flush()
