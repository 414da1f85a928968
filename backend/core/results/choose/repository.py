"""SQL of choosing: the latest results of some frameworks. Never commits."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from backend.core.documents import Parameters
from backend.core.models import CellSummary
from backend.core.people.access.viewer import Viewer
from backend.core.results.repository import counts_for
from backend.core.units import ProfileKind, RuntimeKind


class BoardConditions(NamedTuple):
    """The conditions that results must share to be compared."""

    host_id: UUID
    profile: str
    runtime: RuntimeKind
    board: str


class KnownResult(NamedTuple):
    """The latest valid, or the latest excluded, result of a framework under some conditions."""

    cell_id: UUID
    conditions: BoardConditions
    framework: str
    kind: ProfileKind
    parameters: Parameters
    excluded: bool
    trials: int
    at: datetime


def list_latest_results(
    session: Session, scenario: str, frameworks: Collection[str], *, viewer: Viewer
) -> Sequence[KnownResult]:
    """Return the latest valid and the latest excluded result of each framework and board."""
    groups = (
        CellSummary.host_id,
        CellSummary.profile,
        CellSummary.framework,
        CellSummary.excluded,
        CellSummary.board,
    )
    # Only the index is read for this; the other columns are needed for the latest results alone.
    latest = (
        select(CellSummary.cell_id)
        .where(
            CellSummary.scenario == scenario,
            CellSummary.framework.in_(frameworks),
            counts_for(viewer),
        )
        .ext(distinct_on(*groups))
        .order_by(*groups, CellSummary.at.desc(), CellSummary.cell_id.desc())
    )
    query = select(
        CellSummary.cell_id,
        CellSummary.host_id,
        CellSummary.profile,
        CellSummary.runtime,
        CellSummary.board,
        CellSummary.framework,
        CellSummary.kind,
        CellSummary.parameters,
        CellSummary.excluded,
        CellSummary.trials_succeeded,
        CellSummary.at,
    ).where(CellSummary.cell_id.in_(latest))
    return [
        KnownResult(
            row.cell_id,
            BoardConditions(row.host_id, row.profile, row.runtime, row.board),
            row.framework,
            row.kind,
            row.parameters,
            row.excluded,
            row.trials_succeeded,
            row.at,
        )
        for row in session.execute(query)
    ]
