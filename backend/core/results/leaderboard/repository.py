"""SQL of leaderboards: the results of frameworks by board. Never commits."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from backend.core.documents import StoredCellWarning
from backend.core.models import CellSummary, Host, Run, Trial
from backend.core.people.access.viewer import Viewer
from backend.core.results.repository import counts_for
from backend.core.statuses import RunStatus
from backend.core.units import Purpose


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
    session: Session, scenario: str, host_id: UUID, *, viewer: Viewer
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
            counts_for(viewer),
        )
        .ext(distinct_on(*groups))
        .order_by(*groups, CellSummary.at.desc(), CellSummary.cell_id.desc())
    )
    return [BoardResult(*row) for row in session.execute(latest)]


class BoardEntry(NamedTuple):
    """The latest valid result of a framework on a board.

    `verdicts` has only `ok` if nothing speaks against the result.
    """

    scenario: str
    host_id: UUID
    host_digest: str
    profile: str
    runtime: str
    board: str
    at: datetime
    verdicts: Sequence[StoredCellWarning]


def list_board_entries(
    session: Session, scenario: str | None, host: str | None, *, viewer: Viewer
) -> Sequence[BoardEntry]:
    """Return the latest valid result of each framework on each board.

    Args:
        scenario, host: only results of these; None for all.
    """
    groups = (
        CellSummary.scenario,
        CellSummary.host_id,
        CellSummary.profile,
        CellSummary.framework,
        CellSummary.board,
    )
    # Only the index is read for this; the other columns are needed for the latest results alone.
    latest = (
        select(CellSummary.cell_id)
        .where(CellSummary.excluded.is_(False), counts_for(viewer))
        .ext(distinct_on(*groups))
        .order_by(*groups, CellSummary.at.desc(), CellSummary.cell_id.desc())
    )
    if scenario is not None:
        latest = latest.where(CellSummary.scenario == scenario)
    if host is not None:
        latest = latest.where(CellSummary.host_id.in_(select(Host.id).where(Host.name == host)))
    query = select(
        CellSummary.scenario,
        CellSummary.host_id,
        CellSummary.host_digest,
        CellSummary.profile,
        CellSummary.runtime,
        CellSummary.board,
        CellSummary.at,
        CellSummary.verdicts,
    ).where(CellSummary.cell_id.in_(latest))
    return [BoardEntry(*row) for row in session.execute(query)]


def list_calibration_runs(session: Session, host_ids: Collection[UUID]) -> list[tuple[UUID, UUID]]:
    """Return host and id of each succeeded calibration run of these hosts."""
    query = select(Run.host_id, Run.id).where(
        Run.host_id.in_(host_ids),
        Run.purpose == Purpose.CALIBRATION,
        Run.status == RunStatus.SUCCEEDED,
    )
    return [(host_id, run_id) for host_id, run_id in session.execute(query)]


def list_host_digests(session: Session, run_ids: Collection[UUID]) -> dict[UUID, set[str]]:
    """Return the digests of the states in which the host of each run was during its trials."""
    digest = Trial.environment["host_digest"].astext
    query = (
        select(Trial.run_id, digest)
        .where(Trial.run_id.in_(run_ids), digest.is_not(None))
        .distinct()
    )
    found: dict[UUID, set[str]] = {run_id: set() for run_id in run_ids}
    for run_id, state in session.execute(query):
        found[run_id].add(str(state))
    return found
