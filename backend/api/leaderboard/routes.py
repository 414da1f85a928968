"""GET /leaderboard: the frameworks of a scenario on a host, ranked."""

import math
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy.orm import Session

from backend.api.deps import LargeRead, SessionDep, TrustedDep
from backend.api.http.problems import problems
from backend.api.leaderboard.schemas import LeaderboardOut, ProfileChoice
from backend.api.leaderboard.views import apart_out, entries_out, result_item
from backend.api.schemas import Name
from backend.api.views import scenario_ref
from backend.core.catalog import repository as catalog
from backend.core.errors import InvalidRequest, NotFound
from backend.core.leaderboard.entries import Weights
from backend.core.leaderboard.repository import BoardResult, find_newest, list_board_results
from backend.core.leaderboard.service import (
    LeaderboardQuery,
    list_measured,
    read_leaderboard,
)
from backend.core.models import Host, Scenario
from backend.core.results.repository import list_measured_hosts
from backend.core.units import METRICS, Direction, Metric, ProfileKind, RuntimeKind

router = APIRouter(prefix="/leaderboard", tags=["leaderboard"])

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


@router.get("", dependencies=[LargeRead], responses=problems(404, 422))
def get_leaderboard(
    session: SessionDep,
    trusted: TrustedDep,
    scenario: Annotated[
        Name | None,
        Query(examples=["hello"], description="Default: the value of the newest valid result."),
    ] = None,
    host: Annotated[
        Name | None, Query(description="Default: the value of the newest valid result.")
    ] = None,
    profile: Annotated[
        Name | None, Query(description="Default: the profile with the most frameworks.")
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
            description="Default: the host with results of the most frameworks.",
        ),
    ] = None,
) -> LeaderboardOut:
    """Rank the latest valid result of each framework, all measured under the same conditions."""
    wanted = parse_weights(weights)
    found_scenario, found_host = _find_scenario_and_host(session, scenario, host, trusted)
    known: Sequence[BoardResult] = []
    if found_host is not None:
        known = list_board_results(
            session, found_scenario.slug, found_host.id, with_unlisted=trusted
        )
    measured = list_measured(known)
    chosen = profile or next(
        (item.profile for item in measured if runtime in (None, item.runtime)), None
    )
    found = None
    if chosen is not None:
        query = LeaderboardQuery(
            profile=chosen, runtime=runtime, metric=metric, weights=wanted, board=board
        )
        found = read_leaderboard(session, known, query)
    shown = found.metric if found else metric or Metric.CPU_US_PER_REQUEST
    alike = found.entries[0].result.cell if found else None
    return LeaderboardOut(
        scenario=scenario_ref(found_scenario),
        host=found_host.name if found_host else None,
        hosts=list(list_measured_hosts(session, found_scenario.slug, with_unlisted=trusted)),
        profile=chosen,
        kind=ProfileKind(alike.kind) if alike else None,
        runtime=alike.runtime if alike else runtime,
        parameters=alike.parameters if alike else {},
        board=found.board if found else None,
        metric=shown,
        weights=dict(wanted),
        unit="" if wanted else METRICS[shown].unit,
        direction=Direction.LOWER if wanted else METRICS[shown].direction,
        entries=entries_out(found.entries, shown, is_composite=bool(wanted)) if found else [],
        apart=[apart_out(item) for item in found.apart] if found else [],
        excluded=[result_item(item) for item in found.excluded] if found else [],
        profiles=[ProfileChoice.model_validate(item._asdict()) for item in measured],
    )


def _find_scenario_and_host(
    session: Session, scenario: str | None, host: str | None, trusted: bool
) -> tuple[Scenario, Host | None]:
    """Return the requested scenario and bench host, or those of the newest valid result.

    Without any result, return the first scenario of the catalogue and no host. Raises NotFound.
    """
    chosen_scenario = None if scenario is None else catalog.get_scenario(session, scenario)
    chosen_host = None if host is None else catalog.get_host(session, host)
    if chosen_scenario and chosen_host:
        return chosen_scenario, chosen_host
    newest = find_newest(session, scenario, host, with_unlisted=trusted)
    found_host = chosen_host or (newest.host if newest else None)
    if chosen_scenario is None and newest is not None:
        chosen_scenario = catalog.get_scenario(session, newest.scenario)
    found_scenario = chosen_scenario or next(iter(catalog.list_scenarios(session)), None)
    if found_scenario is None:
        raise NotFound("The catalogue has no scenario.")
    return found_scenario, found_host


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
