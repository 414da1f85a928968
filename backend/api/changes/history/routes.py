"""GET /history, its change points, and the self-test of the detector."""

from typing import Annotated

from fastapi import Depends, Query, Response
from sqlalchemy.orm import Session

from backend.api.changes.history.reading import HistoryRequest, read_request
from backend.api.changes.history.schemas import (
    Detection,
    Detections,
    DetectorTest,
    DetectorTests,
    HistoryLoadOut,
    HistoryOut,
)
from backend.api.changes.history.views import (
    show_answer,
    show_changes,
    show_series,
)
from backend.api.deps import ResourcesDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.schemas import FrameworkRef, Name, ScenarioRef
from backend.core.changes.detection import DEFAULT, MIN_POINTS, Sensitivity
from backend.core.changes.history.service import ALL_LOADS
from backend.core.changes.history_changes import self_test_series
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.repository import list_measured_hosts
from backend.core.units import METRICS, Metric

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
        series=[None if test is None else DetectorTest.of(test) for test in tests],
    )
