"""GET /leaderboard: who is best at a scenario on a host, as far as one can tell."""

import math
from typing import Annotated

from fastapi import APIRouter, Query

from backend.api.deps import SessionDep, TrustedDep
from backend.api.leaderboard.schemas import LeaderboardOut, ProfileChoice
from backend.api.leaderboard.views import apart_out, entry_out, result_item
from backend.api.runs.views import scenario_ref
from backend.api.schemas import Name, problems
from backend.core.catalog import repository as catalog
from backend.core.comparison.leaderboard import (
    Question,
    Weights,
    list_measured,
    read_leaderboard,
)
from backend.core.comparison.standings import find_latest_host, list_standings
from backend.core.errors import InvalidRequest
from backend.core.units import METRICS, Direction, Metric, ProfileKind, RuntimeKind

router = APIRouter(prefix="/leaderboard", tags=["leaderboard"])

WeightsParameter = Annotated[
    str | None,
    Query(
        max_length=1000,
        examples=["cpu_us_per_request:2,latency_p99_ms:1"],
        description="A composite instead of one metric: the weighted geometric mean of each "
        "trial's metrics, those where higher is better inversely.",
    ),
]


@router.get("", responses=problems(404, 422))
def get_leaderboard(
    session: SessionDep,
    trusted: TrustedDep,
    scenario: Annotated[Name, Query(examples=["hello"])],
    host: Annotated[
        Name | None, Query(description="Default: that of the newest valid result.")
    ] = None,
    profile: Annotated[
        Name | None, Query(description="Default: the one of most frameworks.")
    ] = None,
    runtime: RuntimeKind | None = None,
    metric: Metric = Metric.CPU_US_PER_REQUEST,
    weights: WeightsParameter = None,
    board: Annotated[
        str | None,
        Query(
            pattern="^[0-9a-f]{12}$",
            description="Default: of all ways of measuring, that of most frameworks.",
        ),
    ] = None,
) -> LeaderboardOut:
    """Each framework's latest valid result. Ranked together is only what was measured alike."""
    found_scenario = catalog.get_scenario(session, scenario)
    wanted = parse_weights(weights)
    answer = LeaderboardOut(
        scenario=scenario_ref(found_scenario),
        host=host,
        profile=profile,
        kind=None,
        runtime=runtime,
        parameters={},
        board=None,
        metric=metric,
        weights=dict(wanted),
        unit="" if wanted else METRICS[metric].unit,
        direction=Direction.LOWER if wanted else METRICS[metric].direction,
        entries=[],
        apart=[],
        barred=[],
        profiles=[],
    )
    if host is None:
        found_host = find_latest_host(session, scenario, with_unlisted=trusted)
    else:
        found_host = catalog.get_host(session, host)
    if found_host is None:
        return answer
    known = list_standings(session, scenario, found_host.id, with_unlisted=trusted)
    measured = list_measured(known)
    chosen = profile or next(
        (one.profile for one in measured if runtime in (None, one.runtime)), None
    )
    answer.host = found_host.name
    answer.profile = chosen
    answer.profiles = [ProfileChoice.model_validate(one._asdict()) for one in measured]
    if chosen is None:
        return answer
    asked = Question(
        profile=chosen,
        runtime=runtime,
        metric=metric,
        weights=wanted,
        board=board,
    )
    found = read_leaderboard(session, known, asked)
    if found is None:
        return answer
    alike = found.entries[0].result.cell
    answer.board, answer.runtime = found.board, alike.runtime
    answer.kind, answer.parameters = ProfileKind(alike.kind), alike.parameters
    answer.entries = [
        entry_out(entry, metric, is_composite=bool(wanted)) for entry in found.entries
    ]
    answer.apart = [apart_out(one) for one in found.apart]
    answer.barred = [result_item(one) for one in found.barred]
    return answer


def parse_weights(text: str | None) -> Weights:
    """`cpu_us_per_request:2,latency_p99_ms:1`; raises InvalidRequest naming every fault."""
    found: dict[Metric, float] = {}
    problems: list[dict[str, str]] = []
    for part in (text or "").split(","):
        name, _, figure = part.strip().partition(":")
        if not name:
            continue
        try:
            metric = Metric(name)
        except ValueError:
            problems.append(_fault(f"{name!r} is no metric; GET /api/v1/metrics lists them."))
            continue
        try:
            weight = float(figure or "1")
        except ValueError:
            weight = math.nan
        if not 0 < weight <= 1000:
            problems.append(_fault(f"{part!r} has no weight above 0 and up to 1000; mend it."))
        elif metric in found:
            problems.append(_fault(f"{name!r} is there twice; give it one weight."))
        else:
            found[metric] = weight
    if problems:
        raise InvalidRequest(f"weights: {problems[0]['detail']}", problems)
    return found


def _fault(detail: str) -> dict[str, str]:
    return {"field": "weights", "detail": detail}
