"""SQL of leaderboards: the results of frameworks by board. Never commits."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from backend.core.models import CellSummary, Host
from backend.core.results.repository import is_listed


class BoardResult(NamedTuple):
    """The latest result of a framework on a board, valid or excluded."""

    cell_id: UUID
    framework: str
    at: datetime
    excluded: bool
    board: str
    profile: str
    runtime: str


def list_board_results(
    session: Session, scenario: str, host_id: UUID, *, with_unlisted: bool
) -> Sequence[BoardResult]:
    """Return the latest valid and the latest excluded result of each framework and board."""
    groups = (
        CellSummary.profile,
        CellSummary.framework,
        CellSummary.excluded,
        CellSummary.board,
    )
    latest = (
        select(
            CellSummary.cell_id,
            CellSummary.framework,
            CellSummary.at,
            CellSummary.excluded,
            CellSummary.board,
            CellSummary.profile,
            CellSummary.runtime,
        )
        .where(
            CellSummary.scenario == scenario,
            CellSummary.host_id == host_id,
            is_listed(with_unlisted=with_unlisted),
        )
        .ext(distinct_on(*groups))
        .order_by(*groups, CellSummary.at.desc(), CellSummary.cell_id.desc())
    )
    return [BoardResult(*row) for row in session.execute(latest)]


class Newest(NamedTuple):
    """Scenario and bench host of the newest valid result."""

    scenario: str
    host: Host


def find_newest(
    session: Session, scenario: str | None, host: str | None, *, with_unlisted: bool
) -> Newest | None:
    """Return scenario and bench host of the newest valid result; None if there is none."""
    query = (
        select(CellSummary.scenario, Host)
        .join(Host, Host.id == CellSummary.host_id)
        .where(CellSummary.excluded.is_(False), is_listed(with_unlisted=with_unlisted))
        .order_by(CellSummary.at.desc(), CellSummary.cell_id.desc())
        .limit(1)
    )
    if scenario is not None:
        query = query.where(CellSummary.scenario == scenario)
    if host is not None:
        query = query.where(Host.name == host)
    row = session.execute(query).one_or_none()
    return None if row is None else Newest(*row)
