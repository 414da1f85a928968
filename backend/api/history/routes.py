"""GET /history."""

from typing import Annotated

from fastapi import APIRouter, Query

from backend.api.deps import SessionDep, TrustedDep
from backend.api.history.schemas import History, HistoryPoint, HistorySeries
from backend.api.runs.views import framework_ref, scenario_ref
from backend.api.schemas import Name, problems
from backend.core.catalog import repository as catalog
from backend.core.comparison.history import Point, read_history
from backend.core.units import METRICS, Metric

router = APIRouter(prefix="/history", tags=["history"])


@router.get("", responses=problems(404, 422))
def get_history(
    session: SessionDep,
    trusted: TrustedDep,
    framework: Annotated[Name, Query(examples=["node"])],
    scenario: Annotated[Name, Query(examples=["hello"])],
    metric: Annotated[Metric, Query(description="See /metrics.")] = Metric.CPU_US_PER_REQUEST,
    host: Annotated[Name | None, Query(description="Only this bench host's points.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="Newest points.")] = 300,
) -> History:
    """All points of one framework × scenario, oldest first, a series for what may be compared."""
    found_framework = catalog.get_framework(session, framework)
    found_scenario = catalog.get_scenario(session, scenario)
    series = read_history(
        session, framework, scenario, metric, host=host, limit=limit, with_unlisted=trusted
    )
    info = METRICS[metric]
    return History(
        framework=framework_ref(found_framework),
        scenario=scenario_ref(found_scenario),
        metric=metric,
        unit=info.unit,
        direction=info.direction,
        series=[
            HistorySeries(
                host=one.host,
                runtime=one.runtime,
                profile=one.profile,
                parameters=one.parameters,
                points=[_point(point) for point in one.points],
            )
            for one in series
        ],
    )


def _point(point: Point) -> HistoryPoint:
    return HistoryPoint(
        run_id=point.run_id,
        run_slug=point.run_slug,
        cell_id=point.cell_id,
        at=point.at,
        estimate=point.estimate.estimate,
        low=point.estimate.low,
        high=point.estimate.high,
        n=point.estimate.n,
        barred=point.barred,
        framework_digest=point.framework_digest,
        host_digest=point.host_digest,
    )
