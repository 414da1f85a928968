"""GET /history, its change points, and the self-test of the detector."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from sqlalchemy.orm import Session

from backend.api.deps import Analysis, LargeRead, ListedDep, SessionDep, TrustedDep
from backend.api.history.schemas import Detection, Detections, DetectorTests, HistoryOut
from backend.api.history.views import show_changes, show_series, show_test
from backend.api.http.problems import problems
from backend.api.schemas import Name
from backend.api.views import framework_ref, scenario_ref
from backend.core.catalog import repository as catalog
from backend.core.changes.detection import DEFAULT, ChangePoint, Sensitivity
from backend.core.changes.history_changes import (
    SeenChange,
    find_all_changes,
    match_known_changes,
    self_test_series,
)
from backend.core.changes.repository import list_changes_like
from backend.core.history.service import (
    Series,
    find_usual_metric,
    list_events,
    read_history,
)
from backend.core.models import Framework, Scenario
from backend.core.results.repository import list_measured_hosts
from backend.core.units import METRICS, Metric

router = APIRouter(prefix="/history", tags=["history"])

Frameworks = Annotated[
    list[Name],
    Query(
        min_length=1,
        max_length=8,
        description="One or more frameworks. Repeat the parameter for each framework.",
    ),
]
PValue = Annotated[
    float,
    Query(
        ge=1e-9,
        le=0.05,
        description="Largest p-value of a change point. A smaller value finds fewer changes.",
    ),
]


@dataclass(frozen=True)
class HistoryRequest:
    """A request for histories, with the selected series."""

    frameworks: dict[str, Framework]
    scenario: Scenario
    metric: Metric
    sensitivity: Sensitivity
    series: list[Series]
    listed: Collection[str]


def read_history_request(
    session: SessionDep,
    trusted: TrustedDep,
    listed: ListedDep,
    framework: Frameworks,
    scenario: Annotated[Name, Query(examples=["hello"])],
    metric: Annotated[
        Metric | None,
        Query(
            description="A metric of GET /metrics. Default: the main metric for the load of the "
            "newest result."
        ),
    ] = None,
    host: Annotated[Name | None, Query(description="Only points of this bench host.")] = None,
    limit: Annotated[
        int, Query(ge=1, le=1000, description="Number of newest points per series.")
    ] = 300,
    p_value: PValue = DEFAULT.p_value,
) -> HistoryRequest:
    """Return the request that the query of a path below /history describes."""
    frameworks = {slug: catalog.get_framework(session, slug) for slug in framework}
    found_scenario = catalog.get_scenario(session, scenario)
    shown = metric or find_usual_metric(
        session, list(frameworks), scenario, host=host, with_unlisted=trusted
    )
    series = read_history(
        session,
        list(frameworks),
        scenario,
        shown,
        host=host,
        limit=limit,
        with_unlisted=trusted,
    )
    return HistoryRequest(frameworks, found_scenario, shown, Sensitivity(p_value), series, listed)


HistoryRequestDep = Annotated[HistoryRequest, Depends(read_history_request, scope="function")]


@router.get("", dependencies=[LargeRead], responses=problems(404, 422))
def get_history(session: SessionDep, trusted: TrustedDep, request: HistoryRequestDep) -> HistoryOut:
    """Return all points of framework × scenario, oldest first. Comparable results form a series."""
    scenario, metric = request.scenario, request.metric
    info = METRICS[metric]
    events = list_events(session, request.series)
    return HistoryOut(
        scenario=scenario_ref(scenario),
        hosts=list(list_measured_hosts(session, scenario.slug, with_unlisted=trusted)),
        metric=metric,
        unit=info.unit,
        direction=info.direction,
        p_value=request.sensitivity.p_value,
        series=[
            show_series(
                item,
                framework_ref(request.frameworks[item.framework]),
                _see(session, request, item, find_all_changes(item, request.sensitivity)),
                its_events,
            )
            for item, its_events in zip(request.series, events, strict=True)
        ],
    )


@router.get("/changes", dependencies=[LargeRead], responses=problems(404, 422))
def get_detections(session: SessionDep, request: HistoryRequestDep) -> Detections:
    """Return only the change points, to preview another sensitivity."""
    return Detections(
        p_value=request.sensitivity.p_value,
        series=[_detect(session, request, line) for line in request.series],
    )


@router.get("/self-test", dependencies=[Analysis], responses=problems(404, 422))
def get_self_test(request: HistoryRequestDep) -> DetectorTests:
    """Test the detector on these series, with inserted steps of +5 % and on pure noise."""
    return DetectorTests(
        p_value=request.sensitivity.p_value,
        series=[show_test(self_test_series(line, request.sensitivity)) for line in request.series],
    )


def _detect(session: Session, request: HistoryRequest, series: Series) -> Detection:
    begun = perf_counter()
    found = find_all_changes(series, request.sensitivity)
    milliseconds = (perf_counter() - begun) * 1000
    seen = _see(session, request, series, found)
    return Detection(changes=show_changes(series, seen), milliseconds=milliseconds)


def _see(
    session: Session, request: HistoryRequest, series: Series, found: Sequence[ChangePoint]
) -> list[SeenChange]:
    changes = list_changes_like(
        session, series, request.scenario.slug, request.metric, request.listed
    )
    return match_known_changes(series, found, changes)
