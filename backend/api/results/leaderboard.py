"""GET /leaderboard: the frameworks of a scenario on a host, ranked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Query, Response
from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.results.comparisons.schemas import DifferenceOut, MetricRatioOut, ResultItem
from backend.api.results.comparisons.views import ratio_out, result_out
from backend.api.schemas import MetricSummary, Name, ScenarioRef
from backend.api.views import metric_summary
from backend.core.bodies import Schema
from backend.core.catalog import repository as catalog
from backend.core.errors import InvalidRequest, NotFound
from backend.core.measurement.statistics.estimate import Estimate
from backend.core.models import Host, Scenario
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.leaderboard.entries import Entry, Weights
from backend.core.results.leaderboard.repository import list_board_results
from backend.core.results.leaderboard.service import (
    BoardChoice,
    Leaderboard,
    LeaderboardLoad,
    LeaderboardQuery,
    OtherBoardResult,
    RankedInstead,
    list_boards,
    list_measured,
    read_leaderboard,
)
from backend.core.results.ranking.metric_words import COMPOSITE_WORDS, find_words
from backend.core.results.repository import list_measured_hosts
from backend.core.units import METRICS, Direction, Metric, ProfileKind, RuntimeKind


class EntryOut(Schema):
    result: ResultItem
    estimate: MetricSummary | None = Field(
        description="Null without the number. A composite has no unit; only its ratios are "
        "meaningful."
    )
    rank: int | None = Field(
        description="1 + the number of better frameworks (Holm-corrected). Null if the result has "
        "fewer than three trials, has a value of 0, or is the only one."
    )
    equivalent: list[str] = Field(description="Slugs of the frameworks that it is equivalent to.")
    undecided: list[str] = Field(
        description="Slugs of the frameworks from which it cannot be told apart yet."
    )
    to_best: MetricRatioOut | None = Field(
        description="Ratio to the best estimate. Null for the best framework."
    )
    coverage: float = Field(description="Share of the weights for which the framework has numbers.")
    missing: list[Metric] = Field(
        description="Metrics without a number. All metrics, if no single trial has all of them."
    )


class ApartOut(Schema):
    """A latest result that is not ranked here, and the differences in its conditions."""

    result: ResultItem
    board: str
    differences: list[DifferenceOut]
    ranked_instead: RankedInstead | None = Field(
        description="The run of the framework's result that is ranked here instead. Null if no "
        "result of the framework is ranked here."
    )


class ProfileChoice(Schema):
    profile: str
    runtime: str
    frameworks: int = Field(description="Number of frameworks with a valid result.")
    at: datetime = Field(description="Time of the newest result.")


class LeaderboardOut(Schema):
    scenario: ScenarioRef
    host: str | None = Field(description="Null if no host has a valid result.")
    hosts: list[str] = Field(description="Hosts with a result of the scenario, ordered by name.")
    profile: str | None
    kind: ProfileKind | None
    runtime: str | None
    parameters: dict[str, int]
    board: str | None = Field(
        description="Name of the conditions under which all ranked results were measured."
    )
    metric: Metric
    weights: dict[Metric, float] = Field(
        description="Weights of a composite. Empty for a single metric."
    )
    unit: str
    direction: Direction
    trusted: int = Field(
        description="Number of ranked results without a warning, which includes enough trials, on a"
        " host that was calibrated in the same state."
    )
    unwarned: int = Field(description="Number of ranked results without a warning.")
    sentences: list[str] = Field(
        description="The ranking in sentences that claim no more than the statistics allow. The"
        " first is the headline."
    )
    entries: list[EntryOut] = Field(
        description="Ordered by rank. Entries without the number are last."
    )
    apart: list[ApartOut]
    excluded: list[ResultItem] = Field(description="Frameworks without any valid result.")
    profiles: list[ProfileChoice] = Field(
        description="Other profiles and runtimes measured on this host."
    )


def entries_out(entries: Sequence[Entry], metric: Metric, *, is_composite: bool) -> list[EntryOut]:
    """Return the frameworks of a board with their values and ranks."""
    words = COMPOSITE_WORDS if is_composite else find_words(metric)
    return [
        EntryOut.of(
            entry,
            result=result_out(ResultItem, entry.result),
            estimate=_estimate(entry.estimate, metric, is_composite) if entry.estimate else None,
            to_best=ratio_out(entry.to_best, words) if entry.to_best else None,
        )
        for entry in entries
    ]


def _estimate(found: Estimate, metric: Metric, is_composite: bool) -> MetricSummary:
    if is_composite:
        return MetricSummary.of(found, unit="", direction=Direction.LOWER)
    return metric_summary(metric, found)


def apart_out(apart: OtherBoardResult) -> ApartOut:
    """A result of another board."""
    return ApartOut.of(apart, result=result_out(ResultItem, apart.result))


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


router = NounRouter(
    prefix="/leaderboard", tags=["leaderboard"], dependencies=[needs(Permission.OPEN)]
)

_MOST_TRUSTED = "of the board with the most results that can be trusted"

WeightsParameter = Annotated[
    str | None,
    Query(
        max_length=1000,
        examples=["cpu_us_per_request:2,latency_p99_ms:1"],
        description="Rank by several metrics with weights. The value is the weighted geometric "
        "mean of each trial's metrics. Metrics where higher is better count "
        "inversely.",
    ),
]


@router.get("", response_model=LeaderboardOut, responses=problems(404, 422) | NOT_MODIFIED)
async def get_leaderboard(
    responder: ResponderDep,
    scenario: Annotated[
        Name | None, Query(examples=["hello"], description=f"Default: the value {_MOST_TRUSTED}.")
    ] = None,
    host: Annotated[Name | None, Query(description=f"Default: the value {_MOST_TRUSTED}.")] = None,
    profile: Annotated[
        Name | None, Query(description=f"Default: the value {_MOST_TRUSTED}.")
    ] = None,
    runtime: RuntimeKind | None = None,
    metric: Annotated[
        Metric | None, Query(description="Default: the main metric of the load.")
    ] = None,
    weights: WeightsParameter = None,
    board: Annotated[
        str | None,
        Query(
            pattern="^[0-9a-f]{12}$",
            description="Default: the board with the most results that can be trusted.",
        ),
    ] = None,
) -> Response:
    """Rank the latest valid result of each framework, all measured under the same conditions."""
    wanted = LeaderboardRequest(
        scenario, host, profile, runtime, metric, tuple(parse_weights(weights).items()), board
    )
    return await responder.respond_in_turn(show_leaderboard, wanted)


def parse_weights(text: str | None) -> Weights:
    """Return the weights of `cpu_us_per_request:2,latency_p99_ms:1`.

    Raises:
        InvalidRequest: with every mistake.
    """
    found: dict[Metric, float] = {}
    problems: list[dict[str, str]] = []
    for part in (text or "").split(","):
        name, _, figure = part.strip().partition(":")
        if not name:
            continue
        try:
            metric = Metric(name)
        except ValueError:
            problems.append(_fault(f"{name!r} is not a metric; GET /api/v1/metrics lists all."))
            continue
        try:
            weight = float(figure or "1")
        except ValueError:
            weight = math.nan
        if not 0 < weight <= 1000:
            problems.append(_fault(f"{part!r} needs a weight above 0 and up to 1000."))
        elif metric in found:
            problems.append(_fault(f"{name!r} occurs twice. Use one weight for it."))
        else:
            found[metric] = weight
    if problems:
        raise InvalidRequest(f"weights: {problems[0]['detail']}", problems)
    return found


def _fault(detail: str) -> dict[str, str]:
    return {"field": "weights", "detail": detail}
