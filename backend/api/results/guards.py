"""/guards: verdicts about changes of own services, which `tacho guard --publish` stores."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Path, Query, Response
from pydantic import ConfigDict, Field, JsonValue

from backend.addresses import guard_page
from backend.api.deps import LargeRead, SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.limits import RUN_BYTES
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.paging import Cursor, PageSize, decode_cursor, encode_cursor
from backend.api.schemas import Name, Page, RequestBody
from backend.core.bodies import Schema
from backend.core.catalog.own.service_file import ServiceName
from backend.core.measurement.statistics.guard import ChangeState
from backend.core.models import StoredGuard
from backend.core.people.access.permissions import Permission
from backend.core.results.guard import repository, service
from backend.core.results.guard.document import GuardedMetric, GuardReport, ServiceVersion
from backend.core.results.guard.history import ServiceHistory, build_histories
from backend.core.results.guard.report import list_differences, list_lines
from backend.core.statuses import GuardVerdict
from backend.core.units import RuntimeKind

_EXAMPLE: dict[str, JsonValue] = {
    "service": "orders",
    "base": {"name": "origin/main", "commit": "3f2a9c41d0b87e6655e1f0a9b8c7d6e5f4a3b2c1"},
    "head": {"name": "the working tree"},
    "loads": [
        {
            "load": "browse",
            "engine": "Tacho's sender",
            "responses": {"compared": 12, "equal": 12},
            "pairs": 9,
            "changes": [
                {
                    "metric": "cpu_us_per_request",
                    "state": "worse",
                    "limit": 0.03,
                    "pairs": 9,
                    "ratio": 1.079,
                    "low": 1.061,
                    "high": 1.098,
                    "base": 412.0,
                    "head": 444.5,
                }
            ],
        }
    ],
    "host": "ci-runner",
    "runtime": "docker",
    "minutes": 6.5,
    "most_minutes": 20,
    "command": "tacho guard --base 3f2a9c41d0 --seed 7",
}


class GuardIn(RequestBody, GuardReport):
    """A report of `tacho guard`. The verdict and its sentences follow from it."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})


class GuardSummaryOut(Schema):
    slug: str = Field(examples=["k3v9q2mx4d"])
    permalink: str = Field(examples=["/guards/k3v9q2mx4d"])
    service: str = Field(examples=["orders"])
    verdict: GuardVerdict
    headline: str = Field(
        description="The verdict in one sentence, without its full stop.",
        examples=["Slower, confirmed: CPU per request +7.9 % (+6.1 to +9.8) on browse"],
    )
    created_at: datetime
    requested_by: str = Field(
        description="E-mail address of the person, or name of the token.",
        examples=["ann@example.org"],
    )


class GuardOut(GuardSummaryOut):
    lines: list[str] = Field(
        description="Sentences that follow the headline, in the order of importance."
    )
    differences: list[str] = Field(
        description="The first differences between responses. They contain texts of the service."
    )
    report: GuardReport


class GuardedServiceOut(Schema):
    service: str = Field(examples=["orders"])
    guards: int = Field(description="Number of its stored guards.")
    slug: str = Field(description="The slug of the newest guard.", examples=["k3v9q2mx4d"])
    permalink: str = Field(examples=["/guards/k3v9q2mx4d"])
    verdict: GuardVerdict
    headline: str
    created_at: datetime


class CommitChangeOut(Schema):
    load: str = Field(examples=["browse"])
    change: GuardedMetric
    step: Literal[ChangeState.WORSE, ChangeState.BETTER] | None = Field(
        description="How the metric differs from the commit before. Null if their intervals"
        " overlap."
    )
    confirmed_by: str | None = Field(
        description="The guard of both commits that found the same.", examples=["k3v9q2mx4d"]
    )


class CommitPointOut(Schema):
    slug: str = Field(examples=["k3v9q2mx4d"])
    permalink: str = Field(examples=["/guards/k3v9q2mx4d"])
    measured_at: datetime
    head: ServiceVersion
    changes: list[CommitChangeOut]


class ServiceHistoryOut(Schema):
    reference: ServiceVersion
    host: str = Field(examples=["bench-01"])
    runtime: RuntimeKind
    points: list[CommitPointOut] = Field(description="Commits in the order of measuring.")


def _history_out(history: ServiceHistory) -> ServiceHistoryOut:
    points = [
        CommitPointOut.of(point, permalink=guard_page(point.slug)) for point in history.points
    ]
    return ServiceHistoryOut.of(history, points=points)


def _guard_out(guard: StoredGuard) -> GuardOut:
    report = service.read_report(guard)
    return GuardOut.of(
        guard,
        permalink=guard_page(guard.slug),
        lines=list_lines(report),
        differences=list_differences(report),
        report=report,
    )


def _guard_summary_out(guard: StoredGuard) -> GuardSummaryOut:
    return GuardSummaryOut.of(guard, permalink=guard_page(guard.slug))


router = NounRouter(prefix="/guards", tags=["guards"])

Slug = Annotated[Name, Path(examples=["k3v9q2mx4d"])]


@router.get("", dependencies=[needs(Permission.VIEW)], responses=problems(401, 422))
def list_guards(
    session: SessionDep,
    workspace_id: WorkspaceDep,
    service: Annotated[
        ServiceName | None, Query(description="Only guards of this service.", examples=["orders"])
    ] = None,
    cursor: Cursor = None,
    limit: PageSize = 20,
) -> Page[GuardSummaryOut]:
    """Return the stored guards of the workspace, newest first."""
    found = repository.list_guards(
        session,
        workspace_id,
        limit=limit + 1,
        service=service,
        before=decode_cursor(cursor) if cursor else None,
    )
    page = found[:limit]
    return Page(
        items=[_guard_summary_out(guard) for guard in page],
        next=encode_cursor(page[-1].created_at, page[-1].id) if len(found) > limit else None,
    )


@router.post(
    "",
    status_code=201,
    dependencies=[needs(Permission.GUARD, body_bytes=RUN_BYTES), LargeRead],
    responses=problems(401, 413, 422),
)
def store_guard(
    session: SessionDep, workspace_id: WorkspaceDep, body: GuardIn, response: Response
) -> GuardOut:
    """Store a report of `tacho guard`. Of 2,000 stored guards, a further one replaces the oldest
    of the same service.
    """
    guard = service.store_guard(session, workspace_id, body)
    response.headers["Location"] = f"/api/v1/guards/{guard.slug}"
    return _guard_out(guard)


@router.get("/services", dependencies=[needs(Permission.VIEW)], responses=problems(401))
def list_guarded_services(
    session: SessionDep, workspace_id: WorkspaceDep
) -> Page[GuardedServiceOut]:
    """Return all services with stored guards, each with its newest guard, ordered by name."""
    found = repository.list_services(session, workspace_id)
    return Page(
        items=[GuardedServiceOut.of(item, permalink=guard_page(item.slug)) for item in found]
    )


@router.get(
    "/history",
    dependencies=[needs(Permission.VIEW), LargeRead],
    responses=problems(401, 422),
)
def get_service_history(
    session: SessionDep,
    workspace_id: WorkspaceDep,
    service: Annotated[ServiceName, Query(examples=["orders"])],
) -> Page[ServiceHistoryOut]:
    """Return how the commits of a service that `tacho measure` stored compare with their
    reference, for each reference and host.
    """
    histories = build_histories(repository.list_measured(session, workspace_id, service))
    return Page(items=[_history_out(history) for history in histories])


@router.get(
    "/{slug}", dependencies=[needs(Permission.VIEW), LargeRead], responses=problems(401, 404, 422)
)
def get_guard(session: SessionDep, viewer: ViewerDep, slug: Slug) -> GuardOut:
    """Return a stored guard of the workspace, or of another workspace of the caller."""
    return _guard_out(repository.get_guard(session, slug, viewer))


@router.delete(
    "/{slug}", dependencies=[needs(Permission.MANAGE)], responses=problems(401, 404, 422)
)
def delete_guard(
    session: SessionDep, viewer: ViewerDep, workspace_id: WorkspaceDep, slug: Slug
) -> GuardSummaryOut:
    """Delete a stored guard and return it."""
    return _guard_summary_out(service.delete_guard(session, workspace_id, slug, viewer))
