"""GET /history, its change points, and the self-test of the detector."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Response
from sqlalchemy.orm import Session

from backend.api.changes.history.schemas import (
    Detection,
    Detections,
    DetectorTests,
    HistoryAnswerOut,
    HistoryChange,
    HistoryEvent,
    HistoryLimit,
    HistoryLoadOut,
    HistoryOut,
    HistorySeries,
)
from backend.api.deps import ResourcesDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.schemas import FrameworkRef, Name, ScenarioRef
from backend.core.catalog import repository as catalog
from backend.core.changes.detection import DEFAULT, MIN_POINTS, Sensitivity
from backend.core.changes.history.service import (
    ALL_LOADS,
    EnvironmentEvent,
    HistoryLoad,
    Series,
    choose_load,
    find_usual_metric,
    list_events,
    list_loads,
    read_history,
)
from backend.core.changes.history_answer import HistoryAnswer, answer_history
from backend.core.changes.history_changes import (
    SeenChange,
    find_all_changes,
    match_known_changes,
    self_test_series,
)
from backend.core.changes.history_limits import LimitState, judge_limits
from backend.core.changes.repository import list_changes_like
from backend.core.models import Framework, Scenario
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.repository import list_measured_hosts
from backend.core.results.slos import list_slos
from backend.core.units import METRICS, Metric


def show_series(
    series: Series,
    framework: FrameworkRef,
    changes: Sequence[SeenChange],
    events: Sequence[EnvironmentEvent],
    limits: Sequence[LimitState],
) -> HistorySeries:
    return HistorySeries.of(
        series,
        framework=framework,
        changes=show_changes(series, changes),
        events=[HistoryEvent.of(event, at=series.points[event.index].at) for event in events],
        limits=[HistoryLimit.of(limit) for limit in limits],
    )


def show_answer(series: Sequence[Series], answer: HistoryAnswer) -> HistoryAnswerOut:
    return HistoryAnswerOut.of(answer, framework=series[answer.series].framework)


def show_changes(series: Series, changes: Sequence[SeenChange]) -> list[HistoryChange]:
    return [
        HistoryChange.of(
            change.point,
            at=series.points[change.point.index].at,
            run_slug=series.points[change.point.index].run_slug,
            known=change.known,
        )
        for change in changes
    ]


@dataclass(frozen=True)
class HistoryRequest:
    """A request for histories, as its query describes it.

    Attributes:
        load: key of a load, or `all`; None for the load with the most valid points.
        limit: number of newest points per framework.
    """

    frameworks: tuple[str, ...]
    scenario: str
    metric: Metric | None
    load: str | None
    host: str | None
    limit: int
    sensitivity: Sensitivity


@dataclass(frozen=True)
class ReadHistory:
    """A history with the selected load and its series.

    Attributes:
        load: None for all loads.
        changes, events, limits: of each series.
    """

    request: HistoryRequest
    frameworks: dict[str, Framework]
    scenario: Scenario
    metric: Metric
    loads: Sequence[HistoryLoad]
    load: HistoryLoad | None
    series: Sequence[Series]
    changes: Sequence[Sequence[SeenChange]]
    events: Sequence[Sequence[EnvironmentEvent]]
    limits: Sequence[Sequence[LimitState]]

    def list_answers(self) -> list[HistoryAnswer]:
        """Return whether each framework has become faster or slower."""
        names = {slug: framework.name for slug, framework in self.frameworks.items()}
        return answer_history(
            self.series,
            self.changes,
            self.events,
            names,
            self.metric,
            self.request.sensitivity,
        )


def read_request(session: Session, request: HistoryRequest, viewer: Viewer) -> ReadHistory:
    """Return the history that a request names.

    Raises:
        NotFound: there is no such framework or scenario.
        InvalidRequest: there is no such load.
    """
    frameworks = {slug: catalog.get_framework(session, slug) for slug in request.frameworks}
    scenario = catalog.get_scenario(session, request.scenario)
    loads, load, metric = _choose(session, request, viewer)
    series = read_history(
        session,
        list(frameworks),
        scenario.slug,
        metric,
        load=load,
        host=request.host,
        limit=request.limit,
        viewer=viewer,
    )
    known = list_changes_like(session, series, scenario.slug, metric, viewer)
    changes = [
        match_known_changes(line, find_all_changes(line, request.sensitivity), own)
        for line, own in zip(series, known, strict=True)
    ]
    events = list_events(session, series)
    slos = list_slos(session, viewer.workspace, [scenario.slug]) if viewer.workspace else []
    limits = [judge_limits(slos, line, scenario.slug, metric) for line in series]
    return ReadHistory(
        request, frameworks, scenario, metric, loads, load, series, changes, events, limits
    )


def _choose(
    session: Session, request: HistoryRequest, viewer: Viewer
) -> tuple[Sequence[HistoryLoad], HistoryLoad | None, Metric]:
    """Return the loads with results in the metric, the selected load, and the metric."""
    frameworks = list(dict.fromkeys(request.frameworks))

    def count(metric: Metric | None) -> list[HistoryLoad]:
        return list_loads(
            session,
            frameworks,
            request.scenario,
            metric,
            host=request.host,
            viewer=viewer,
        )

    loads = count(request.metric)
    load = choose_load(loads, request.load)
    if request.metric is not None:
        return loads, load, request.metric
    metric = find_usual_metric(
        session,
        frameworks,
        request.scenario,
        load=load,
        host=request.host,
        viewer=viewer,
    )
    return count(metric), load, metric


router = NounRouter(
    prefix="/history",
    tags=["history"],
    responses=problems(404, 422) | NOT_MODIFIED,
    dependencies=[needs(Permission.OPEN)],
)

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


async def parse_request(
    framework: Frameworks,
    scenario: Annotated[Name, Query(examples=["hello"])],
    metric: Annotated[
        Metric | None,
        Query(
            description="A metric of GET /metrics. Default: the main metric for the load of the "
            "newest result."
        ),
    ] = None,
    load: Annotated[
        str | None,
        Query(
            pattern=f"^([0-9a-f]{{12}}|{ALL_LOADS})$",
            description=f"Key of a load of `loads`, or `{ALL_LOADS}`. Default: the load with the "
            "most valid points.",
        ),
    ] = None,
    host: Annotated[Name | None, Query(description="Only points of this bench host.")] = None,
    limit: Annotated[
        int, Query(ge=1, le=1000, description="Number of newest points per framework.")
    ] = 300,
    p_value: PValue = DEFAULT.p_value,
) -> HistoryRequest:
    """Return the request that the query of a path below /history describes."""
    return HistoryRequest(
        tuple(framework), scenario, metric, load, host, limit, Sensitivity(p_value)
    )


RequestDep = Annotated[HistoryRequest, Depends(parse_request)]


@router.get("", response_model=HistoryOut)
async def get_history(responder: ResponderDep, request: RequestDep) -> Response:
    """Return the points of framework × scenario, oldest first. Comparable results form a series."""
    return await responder.respond_in_turn(_show_history, request)


@router.get("/changes", response_model=Detections)
async def get_detections(responder: ResponderDep, request: RequestDep) -> Response:
    """Return only the answers and the change points, to preview another sensitivity."""
    return await responder.respond_in_turn(_show_detections, request)


@router.get("/self-test", response_model=DetectorTests)
async def get_self_test(
    responder: ResponderDep, resources: ResourcesDep, request: RequestDep
) -> Response:
    """Test the detector on these series, with inserted steps of +5 % and on pure noise."""
    return await responder.respond_in_turn(_test_detector, request, gate=resources.analysing)


def _show_history(session: Session, viewer: Viewer, request: HistoryRequest) -> HistoryOut:
    found = read_request(session, request, viewer)
    info = METRICS[found.metric]
    slug = found.scenario.slug
    lines = zip(found.series, found.changes, found.events, found.limits, strict=True)
    return HistoryOut(
        scenario=ScenarioRef.of(found.scenario),
        answers=[show_answer(found.series, answer) for answer in found.list_answers()],
        loads=[HistoryLoadOut.of(load) for load in found.loads],
        load=found.load.key if found.load else None,
        hosts=list(list_measured_hosts(session, slug, viewer=viewer)),
        metric=found.metric,
        unit=info.unit,
        direction=info.direction,
        p_value=request.sensitivity.p_value,
        min_points=MIN_POINTS,
        series=[
            show_series(
                line, FrameworkRef.of(found.frameworks[line.framework]), changes, events, limits
            )
            for line, changes, events, limits in lines
        ],
    )


def _show_detections(session: Session, viewer: Viewer, request: HistoryRequest) -> Detections:
    found = read_request(session, request, viewer)
    return Detections(
        p_value=request.sensitivity.p_value,
        answers=[show_answer(found.series, answer) for answer in found.list_answers()],
        series=[
            Detection(changes=show_changes(line, seen))
            for line, seen in zip(found.series, found.changes, strict=True)
        ],
    )


def _test_detector(session: Session, viewer: Viewer, request: HistoryRequest) -> DetectorTests:
    found = read_request(session, request, viewer)
    tests = [self_test_series(line, request.sensitivity) for line in found.series]
    return DetectorTests(
        p_value=request.sensitivity.p_value,
        series=tests,
    )
