"""/slos: limits for the results of runs."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path
from pydantic import ConfigDict, Field

from backend.api.deps import SessionDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import Name, Page, RequestBody
from backend.core.bodies import Schema
from backend.core.models import Slo
from backend.core.people.access.permissions import Permission
from backend.core.results import slos
from backend.core.units import METRICS, Direction, Metric

Limit = Annotated[
    float,
    Field(
        gt=0,
        le=1e15,
        allow_inf_nan=False,
        strict=True,
        description="The limit in the unit of the metric: a maximum if lower is better, a minimum"
        " if higher is better.",
        examples=[50.0],
    ),
]


class SloIn(RequestBody):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"scenario": "hello", "metric": "latency_p99_ms", "limit": 50}]
        }
    )

    framework: Name | None = Field(None, examples=["node"], description="Default: all frameworks.")
    scenario: Name = Field(examples=["hello"])
    profile: Name | None = Field(
        None, examples=["rate-quick"], description="Default: all profiles."
    )
    parameters: dict[Name, Annotated[int, Field(ge=0, le=10**9, strict=True)]] = Field(
        default_factory=dict,
        max_length=20,
        examples=[{"rate_rps": 400}],
        description="The limit applies to loads with these values. Default: all loads.",
    )
    metric: Metric = Field(examples=["latency_p99_ms"])
    limit: Limit


class SloMove(RequestBody):
    limit: Limit


class SloOut(Schema):
    id: UUID
    framework: str | None
    scenario: str
    profile: str | None
    parameters: dict[str, int]
    metric: Metric
    limit: float
    unit: str = Field(examples=["ms"])
    direction: Direction
    created_at: datetime


def slo_out(slo: Slo) -> SloOut:
    info = METRICS[slo.metric]
    return SloOut.of(slo, unit=info.unit, direction=info.direction)


router = NounRouter(prefix="/slos", tags=["slos"])

SloId = Annotated[UUID, Path(examples=["01a1fee4-d5b3-77f1-a207-ce986863506b"])]


@router.get("", dependencies=[needs(Permission.VIEW)], responses=problems(401))
def list_slos(session: SessionDep, workspace_id: WorkspaceDep) -> Page[SloOut]:
    """Return all SLOs."""
    return Page(items=[slo_out(slo) for slo in slos.list_slos(session, workspace_id)])


@router.post(
    "",
    status_code=201,
    dependencies=[needs(Permission.MANAGE)],
    responses=problems(401, 409, 413, 422),
)
def create_slo(session: SessionDep, workspace_id: WorkspaceDep, body: SloIn) -> SloOut:
    """Create an SLO. It also applies to runs that have already ended."""
    slo = Slo(
        workspace_id=workspace_id,
        framework=body.framework,
        scenario=body.scenario,
        profile=body.profile,
        parameters=dict(body.parameters),
        metric=Metric(body.metric),
        limit=body.limit,
    )
    return slo_out(slos.create_slo(session, slo))


@router.patch(
    "/{slo_id}", dependencies=[needs(Permission.MANAGE)], responses=problems(401, 404, 413, 422)
)
def move_slo(
    session: SessionDep, workspace_id: WorkspaceDep, slo_id: SloId, body: SloMove
) -> SloOut:
    """Change the limit of an SLO."""
    slo = slos.get_slo(session, workspace_id, slo_id)
    slo.limit = body.limit
    return slo_out(slo)


@router.delete(
    "/{slo_id}", dependencies=[needs(Permission.MANAGE)], responses=problems(401, 404, 413, 422)
)
def delete_slo(session: SessionDep, workspace_id: WorkspaceDep, slo_id: SloId) -> SloOut:
    """Delete an SLO and return it."""
    slo = slos.get_slo(session, workspace_id, slo_id)
    session.delete(slo)
    session.flush()
    return slo_out(slo)
