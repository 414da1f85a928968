"""Read the leaderboard that a request names; missing parts come from the most trusted board."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from backend.api.results.comparisons.schemas import ResultItem
from backend.api.results.comparisons.views import result_out
from backend.api.results.leaderboard.schemas import LeaderboardOut, ProfileChoice
from backend.api.results.leaderboard.views import apart_out, entries_out
from backend.api.schemas import ScenarioRef
from backend.core.catalog import repository as catalog
from backend.core.errors import NotFound
from backend.core.models import Host, Scenario
from backend.core.people.access.viewer import Viewer
from backend.core.results.leaderboard.repository import list_board_results
from backend.core.results.leaderboard.service import (
    BoardChoice,
    Leaderboard,
    LeaderboardLoad,
    LeaderboardQuery,
    list_boards,
    list_measured,
    read_leaderboard,
)
from backend.core.results.repository import list_measured_hosts
from backend.core.units import METRICS, Direction, Metric, ProfileKind, RuntimeKind


@dataclass(frozen=True)
class LeaderboardRequest:
    """A request for a leaderboard, as its query describes it; None means the default."""

    scenario: str | None
    host: str | None
    profile: str | None
    runtime: RuntimeKind | None
    metric: Metric | None
    weights: tuple[tuple[Metric, float], ...]
    board: str | None


def show_leaderboard(
    session: Session, viewer: Viewer, wanted: LeaderboardRequest
) -> LeaderboardOut:
    """Return the leaderboard; raises NotFound for an unknown scenario or host."""
    scenario = None if wanted.scenario is None else catalog.get_scenario(session, wanted.scenario)
    host = None if wanted.host is None else catalog.get_host(session, wanted.host)
    boards = list_boards(session, wanted.scenario, wanted.host, viewer=viewer)
    board = next((item for item in boards if _is_wanted(item, wanted)), None)
    # Without a board that fits, the scenario and the host are those of the best other board.
    best = board or next(iter(boards), None)
    if best is not None:
        scenario = scenario or catalog.get_scenario(session, best.scenario)
        host = host or session.get_one(Host, best.host_id)
    if scenario is None:
        scenario = next(iter(catalog.list_scenarios(session)), None)
    if scenario is None:
        raise NotFound("The catalogue has no scenario.")
    known = list_board_results(session, scenario.slug, host.id, viewer=viewer) if host else []
    found = None
    if board is not None:
        query = LeaderboardQuery(
            profile=board.profile,
            runtime=wanted.runtime,
            metric=wanted.metric,
            weights=dict(wanted.weights),
            board=board.board,
        )
        found = read_leaderboard(session, known, query)
    hosts = list_measured_hosts(session, scenario.slug, viewer=viewer)
    return _show(wanted, scenario, host, hosts, list_measured(known), board, found)


def _is_wanted(board: BoardChoice, wanted: LeaderboardRequest) -> bool:
    return all(
        given is None or given == value
        for given, value in (
            (wanted.profile, board.profile),
            (wanted.runtime, board.runtime),
            (wanted.board, board.board),
        )
    )


def _show(
    wanted: LeaderboardRequest,
    scenario: Scenario,
    host: Host | None,
    hosts: Sequence[str],
    measured: Sequence[LeaderboardLoad],
    board: BoardChoice | None,
    found: Leaderboard | None,
) -> LeaderboardOut:
    metric = found.metric if found else wanted.metric or Metric.CPU_US_PER_REQUEST
    is_composite = bool(wanted.weights)
    alike = found.entries[0].result.summary if found else None
    return LeaderboardOut(
        scenario=ScenarioRef.of(scenario),
        host=host.name if host else None,
        hosts=list(hosts),
        profile=board.profile if board else wanted.profile,
        kind=ProfileKind(alike.kind) if alike else None,
        runtime=alike.runtime if alike else wanted.runtime,
        parameters=alike.parameters if alike else {},
        board=found.board if found else None,
        metric=metric,
        weights=dict(wanted.weights),
        unit="" if is_composite else METRICS[metric].unit,
        direction=Direction.LOWER if is_composite else METRICS[metric].direction,
        trusted=board.trusted if board else 0,
        unwarned=board.unwarned if board else 0,
        sentences=list(found.sentences) if found else [],
        entries=(entries_out(found.entries, metric, is_composite=is_composite) if found else []),
        apart=[apart_out(item) for item in found.apart] if found else [],
        excluded=[result_out(ResultItem, item) for item in found.excluded] if found else [],
        profiles=[ProfileChoice.of(item) for item in measured],
    )
