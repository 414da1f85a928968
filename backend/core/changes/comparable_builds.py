"""SQL for the builds that a confirmation run may still compare. A bench host may run it."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import Select, and_, func, or_, select, union
from sqlalchemy.orm import Session

from backend.core.changes.detection import WINDOW_POINTS
from backend.core.changes.lifecycle import OPEN
from backend.core.documents import Builds
from backend.core.models import Cell, Change, Framework, Run, Trial
from backend.core.runs.status import RUN_ENDS
from backend.core.statuses import ChangeStatus, TrialStatus
from backend.core.units import Purpose


def list_comparable_builds(
    session: Session, host_id: UUID, frameworks: Collection[str]
) -> Sequence[Builds]:
    """Return the digests of builds, by program, of open changes and of the newest results.

    A new change is among the newest 30 points of its series, and its earlier build is that of one
    of the four points before it. Results that are not in a series are counted as well, so the
    newest `WINDOW_POINTS` are taken.

    Args:
        frameworks: slugs of the frameworks that the host has. Others cannot be measured again.
    """
    cells = union(_select_newest(host_id, frameworks), _select_changed(host_id)).subquery()
    query = (
        select(Trial.environment["builds"])
        .where(Trial.cell_id.in_(select(cells.c.id)), Trial.status == TrialStatus.SUCCEEDED)
        .distinct()
    )
    # Trials of older versions have no builds.
    return [builds for builds in session.scalars(query) if builds]


def _select_newest(host_id: UUID, frameworks: Collection[str]) -> Select[UUID]:
    """Select the newest cells of each combination that a history shows as one series."""
    age = func.row_number().over(
        partition_by=(
            Run.workspace_id,
            Run.load_hosts,
            Cell.framework_id,
            Cell.scenario_id,
            Cell.profile,
            Cell.parameters,
        ),
        order_by=(Run.created_at.desc(), Run.id.desc()),
    )
    aged = (
        select(Cell.id, age.label("age"))
        .join(Run, Run.id == Cell.run_id)
        .join(Framework, Framework.id == Cell.framework_id)
        .where(
            Run.host_id == host_id,
            Run.purpose == Purpose.COMPARISON,
            Run.status.in_(RUN_ENDS),
            Framework.slug.in_(frameworks),
        )
        .subquery()
    )
    return select(aged.c.id).where(aged.c.age <= WINDOW_POINTS)


def _select_changed(host_id: UUID) -> Select[UUID]:
    """Select the cells next to changes that need attention."""
    is_open = or_(
        Change.status.in_(OPEN),
        and_(Change.status == ChangeStatus.CONFIRMED, Change.acknowledged_at.is_(None)),
    )
    return (
        select(Cell.id)
        .join(Change, or_(Cell.id == Change.before_cell_id, Cell.id == Change.after_cell_id))
        .where(Change.host_id == host_id, is_open)
    )
