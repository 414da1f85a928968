"""/guards/sources and /guards/requests: guards that bench hosts run for `tacho guard --on`."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Path, Request, Response
from pydantic import ConfigDict, Field, JsonValue

from backend.addresses import guard_page
from backend.api.deps import Receiving, SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import Page, RequestBody
from backend.core.bodies import Schema
from backend.core.documents import GuardFailure
from backend.core.errors import NotFound
from backend.core.models import Host, RequestedGuard
from backend.core.people.access.permissions import Permission
from backend.core.results.guard import requests, requests_repository
from backend.core.results.guard.document import GuardOrder, ServiceVersion
from backend.core.results.guard.sources import MOST_SOURCE_BYTES
from backend.core.runs.queue.host_activity import get_host_activity
from backend.core.statuses import GuardStatus, HostStatus
from backend.core.units import RuntimeKind

_DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_ID = "0197b3c4-5d6e-7f80-9a1b-2c3d4e5f6071"
_EXAMPLE: dict[str, JsonValue] = {
    "on": "bench-01",
    "runtimes": ["docker"],
    "service": "orders",
    "base": {"name": "origin/main", "commit": "3f2a9c41d0b87e6655e1f0a9b8c7d6e5f4a3b2c1"},
    "head": {"name": "the working tree"},
    "base_source": _DIGEST,
    "head_source": _DIGEST,
    "minutes": 20,
    "seed": 7,
}


class GuardRequestIn(RequestBody, GuardOrder):
    """The versions to compare, and how. Their archives must be stored."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    on: str = Field(requests.ANY_HOST, description="A bench host, or `any`.", max_length=200)
    runtimes: Annotated[tuple[RuntimeKind, ...], Field(min_length=1, max_length=2)] = Field(
        description="The runtimes for which `tacho.toml` describes the service."
    )


class GuardSourceOut(Schema):
    digest: str = Field(description="SHA-256 of the archive.", examples=[_DIGEST])
    size_bytes: int = Field(examples=[48231])


class GuardFailureOut(Schema):
    code: str = Field(examples=["not_measurable"])
    detail: str


class GuardRequestOut(Schema):
    id: UUID = Field(examples=[_ID])
    service: str = Field(examples=["orders"])
    status: GuardStatus
    host: str = Field(examples=["bench-01"])
    waits_for: str = Field(
        description="Why its host does not begin it; empty if the host will, or has begun it.",
        examples=["the host is offline"],
    )
    base: ServiceVersion
    head: ServiceVersion
    progress: list[str] = Field(description="Checks that have passed.")
    doing: str = Field(description="The present step.", examples=["browse: pair 3 of at most 20"])
    failure: GuardFailureOut | None = Field(description="Why it has no verdict.")
    slug: str | None = Field(description="The stored guard.", examples=["k3v9q2mx4d"])
    permalink: str | None = Field(examples=["/guards/k3v9q2mx4d"])
    created_at: datetime
    requested_by: str = Field(examples=["ann@example.org"])


def _request_out(session: SessionDep, guard: RequestedGuard) -> GuardRequestOut:
    host = session.get_one(Host, guard.host_id)
    order = GuardOrder.model_validate(guard.document)
    failure: GuardFailure | None = guard.failure
    has_ended = guard.status not in requests_repository.OPEN
    return GuardRequestOut.of(
        guard,
        host=host.name,
        waits_for="" if guard.status is not GuardStatus.QUEUED else _explain_wait(session, host),
        base=order.base,
        head=order.head,
        # Its host has written it, and the dispatcher has not read it yet.
        failure=GuardFailureOut(**failure) if failure and has_ended else None,
        permalink=None if guard.slug is None else guard_page(guard.slug),
    )


def _explain_wait(session: SessionDep, host: Host) -> str:
    activity = get_host_activity(session, None, host)
    if not activity.is_online:
        return "the host is offline"
    if activity.status is not HostStatus.READY:
        return f"the host is {activity.status.value}"
    return activity.shortage or ("the host is busy" if activity.is_busy else "")


router = NounRouter(prefix="/guards", tags=["guards"])

SourceDigest = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", examples=[_DIGEST])]
GuardId = Annotated[UUID, Path(examples=[_ID])]


async def _read_body(request: Request) -> bytes:
    return await request.body()


@router.get(
    "/sources/{digest}",
    dependencies=[needs(Permission.GUARD)],
    responses=problems(401, 403, 404, 422),
)
def get_guard_source(
    session: SessionDep, workspace_id: WorkspaceDep, digest: SourceDigest
) -> GuardSourceOut:
    """Return whether the workspace has an archive, so that nobody sends it again."""
    size = requests_repository.find_source_bytes(session, workspace_id, digest)
    if size is None:
        raise NotFound(f"This workspace has no archive {digest}.")
    return GuardSourceOut(digest=digest, size_bytes=size)


@router.put(
    "/sources/{digest}",
    dependencies=[needs(Permission.GUARD, body_bytes=MOST_SOURCE_BYTES), Receiving],
    responses=problems(401, 403, 408, 413, 422),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        }
    },
)
def put_guard_source(
    content: Annotated[bytes, Depends(_read_body)],
    session: SessionDep,
    workspace_id: WorkspaceDep,
    digest: SourceDigest,
) -> GuardSourceOut:
    """Store the files of a version as a tar.gz. They are removed when no guard needs them."""
    requests.store_source(session, workspace_id, digest, content)
    return GuardSourceOut(digest=digest, size_bytes=len(content))


@router.get("/requests", dependencies=[needs(Permission.VIEW)], responses=problems(401))
def list_guard_requests(session: SessionDep, workspace_id: WorkspaceDep) -> Page[GuardRequestOut]:
    """Return the guards of the workspace that wait for a bench host or run there, oldest first."""
    found = requests_repository.list_open(session, workspace_id)
    return Page(items=[_request_out(session, guard) for guard in found])


@router.post(
    "/requests",
    status_code=202,
    dependencies=[needs(Permission.GUARD)],
    responses=problems(401, 403, 409, 413, 422, 503),
)
def request_guard(
    session: SessionDep, workspace_id: WorkspaceDep, body: GuardRequestIn, response: Response
) -> GuardRequestOut:
    """Queue a guard on a bench host. Send the archives of both versions first."""
    order = GuardOrder.model_validate(body.model_dump(exclude={"runtimes"}))
    guard = requests.request_guard(session, workspace_id, order, body.runtimes)
    response.headers["Location"] = f"/api/v1/guards/requests/{guard.id}"
    return _request_out(session, guard)


@router.get(
    "/requests/{guard_id}",
    dependencies=[needs(Permission.VIEW)],
    responses=problems(401, 404, 422),
)
def get_guard_request(session: SessionDep, viewer: ViewerDep, guard_id: GuardId) -> GuardRequestOut:
    """Return a guard that was requested in a workspace of the caller."""
    return _request_out(session, requests.get_request(session, guard_id, viewer))


@router.post(
    "/requests/{guard_id}/cancel",
    dependencies=[needs(Permission.GUARD)],
    responses=problems(401, 403, 404, 422),
)
def cancel_guard_request(
    session: SessionDep, viewer: ViewerDep, workspace_id: WorkspaceDep, guard_id: GuardId
) -> GuardRequestOut:
    """Cancel a guard. If it runs, its host stops it within seconds."""
    return _request_out(session, requests.cancel_request(session, workspace_id, guard_id, viewer))
