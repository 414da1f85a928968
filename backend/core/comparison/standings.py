"""SQL of leaderboards: who has which results on which board. Never commits."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from backend.core.models import CellSummary, Host, Run
from backend.core.units import Purpose


class Standing(NamedTuple):
    """A framework's latest result on a board, barred or valid."""

    cell_id: UUID
    framework: str
    at: datetime
    barred: bool
    board: str


def list_standings(
    session: Session,
    scenario: str,
    host_id: UUID,
    profile: str,
    runtime: str | None,
    *,
    with_unlisted: bool,
) -> Sequence[Standing]:
    """Of each framework and board the latest valid and the latest barred result."""
    columns = (CellSummary.framework, CellSummary.barred, CellSummary.board)
    latest = (
        select(
            CellSummary.cell_id,
            CellSummary.framework,
            CellSummary.at,
            CellSummary.barred,
            CellSummary.board,
        )
        .join(Run, Run.id == CellSummary.run_id)
        .where(
            CellSummary.scenario == scenario,
            CellSummary.host_id == host_id,
            CellSummary.profile == profile,
            Run.purpose == Purpose.COMPARISON,
        )
        .ext(distinct_on(*columns))
        .order_by(*columns, CellSummary.at.desc(), CellSummary.cell_id.desc())
    )
    if runtime is not None:
        latest = latest.where(CellSummary.runtime == runtime)
    if not with_unlisted:
        latest = latest.where(Run.visibility == "public")
    return [Standing(*row) for row in session.execute(latest)]


class Board(NamedTuple):
    """A way in which a scenario was measured on a host, and of how many frameworks."""

    profile: str
    runtime: str
    frameworks: int
    at: datetime


def list_profiles_measured(
    session: Session, scenario: str, host_id: UUID, *, with_unlisted: bool
) -> Sequence[Board]:
    """Profiles and runtimes with valid results there, those of most frameworks first."""
    newest = func.max(CellSummary.at)
    # Grouped by framework and counted here: PostgreSQL sorts for a distinct count.
    query = (
        select(CellSummary.profile, CellSummary.runtime, newest)
        .join(Run, Run.id == CellSummary.run_id)
        .where(
            CellSummary.scenario == scenario,
            CellSummary.host_id == host_id,
            CellSummary.barred.is_(False),
            Run.purpose == Purpose.COMPARISON,
        )
        .group_by(CellSummary.profile, CellSummary.runtime, CellSummary.framework)
    )
    if not with_unlisted:
        query = query.where(Run.visibility == "public")
    found: dict[tuple[str, str], list[datetime]] = {}
    for profile, runtime, at in session.execute(query):
        found.setdefault((profile, runtime), []).append(at)
    boards = [Board(*key, len(times), max(times)) for key, times in found.items()]
    return sorted(boards, key=lambda one: (one.frameworks, one.at), reverse=True)


def find_latest_host(session: Session, scenario: str, *, with_unlisted: bool) -> Host | None:
    """The bench host of a scenario's newest valid result."""
    query = (
        select(Host)
        .join(CellSummary, CellSummary.host_id == Host.id)
        .join(Run, Run.id == CellSummary.run_id)
        .where(
            CellSummary.scenario == scenario,
            CellSummary.barred.is_(False),
            Run.purpose == Purpose.COMPARISON,
        )
        .order_by(CellSummary.at.desc())
        .limit(1)
    )
    if not with_unlisted:
        query = query.where(Run.visibility == "public")
    return session.scalars(query).first()
