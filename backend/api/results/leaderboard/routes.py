"""GET /leaderboard: the frameworks of a scenario on a host, ranked."""

import math
from typing import Annotated

from fastapi import Query, Response

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.results.leaderboard.reading import LeaderboardRequest, show_leaderboard
from backend.api.results.leaderboard.schemas import LeaderboardOut
from backend.api.schemas import Name
from backend.core.errors import InvalidRequest
from backend.core.people.access.permissions import Permission
from backend.core.results.leaderboard.entries import Weights
from backend.core.units import Metric, RuntimeKind

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
