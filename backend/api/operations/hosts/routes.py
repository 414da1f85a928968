"""/hosts: bench hosts, and the decisions of operators about them."""

from typing import Annotated

from fastapi import Path, Response
from sqlalchemy.orm import Session

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.hosts.schemas import HostChange, HostOut, Reservation
from backend.api.operations.hosts.views import read_host, read_hosts
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.schemas import Name, Page
from backend.core.catalog import repository as catalog
from backend.core.operations.host_lifecycle import service as lifecycle
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.people.workspaces.service import reserve_host

router = NounRouter(prefix="/hosts", tags=["hosts"])

HostName = Annotated[Name, Path(examples=["bench-01"])]


@router.get(
    "",
    response_model=Page[HostOut],
    dependencies=[needs(Permission.OPEN)],
    responses=problems(422) | NOT_MODIFIED,
)
async def list_hosts(responder: ResponderDep) -> Response:
    """Return all bench hosts with their current work, also those that were revoked."""
    return await responder.respond(_show_list)


def _show_list(session: Session, viewer: Viewer) -> Page[HostOut]:
    return Page(items=read_hosts(session, viewer))


@router.get(
    "/{name}",
    response_model=HostOut,
    dependencies=[needs(Permission.OPEN)],
    responses=problems(404, 422) | NOT_MODIFIED,
)
async def get_host(responder: ResponderDep, name: HostName) -> Response:
    """Return a bench host."""
    return await responder.respond(_show_host, name)


def _show_host(session: Session, viewer: Viewer, name: str) -> HostOut:
    return read_host(session, catalog.get_host(session, name), viewer)


@router.patch(
    "/{name}",
    dependencies=[needs(Permission.OPERATE)],
    responses=problems(401, 403, 404, 409, 413, 422),
)
def change_host(
    session: SessionDep, viewer: ViewerDep, name: HostName, body: HostChange
) -> HostOut:
    """Pause, resume or rename a bench host, or let it leave.

    A host that leaves without a trial is revoked at once, as by `POST /hosts/{name}/revoke`. The
    response is 409 for a host that was revoked, and for the name and the leaving of a host that did
    not join with a key.
    """
    host = catalog.lock_host(session, name)
    if body.name is not None:
        lifecycle.rename_host(session, host, body.name)
    if body.is_paused is not None:
        change = lifecycle.pause_host if body.is_paused else lifecycle.resume_host
        change(session, host)
    if body.is_leaving is not None:
        change = lifecycle.let_host_leave if body.is_leaving else lifecycle.keep_host
        change(session, host)
    return read_host(session, host, viewer)


@router.post(
    "/{name}/revoke",
    dependencies=[needs(Permission.OPERATE)],
    responses=problems(401, 403, 404, 409, 422),
)
def revoke_host(session: SessionDep, viewer: ViewerDep, name: HostName) -> HostOut:
    """Take the credentials of a bench host away, and end its connections at once.

    Its runs that have not ended are cancelled. Its results stay, and it can join again with a new
    key. The response is 409 for a host that did not join with a key.
    """
    host = catalog.lock_host(session, name)
    lifecycle.revoke_host(session, host)
    return read_host(session, host, viewer)


@router.get(
    "/{name}/reservation",
    dependencies=[needs(Permission.OPERATE)],
    responses=problems(401, 403, 404, 422),
)
def get_reservation(session: SessionDep, name: HostName) -> Reservation:
    """Return the workspaces that may use a bench host."""
    return Reservation(workspaces=catalog.get_host(session, name).reserved_for)


@router.put(
    "/{name}/reservation",
    dependencies=[needs(Permission.OPERATE)],
    responses=problems(401, 403, 404, 413, 422),
)
def put_reservation(session: SessionDep, name: HostName, body: Reservation) -> Reservation:
    """Reserve a bench host for certain workspaces, or let all workspaces use it.

    Runs that are queued already still take place on it. A schedule whose workspace may not use its
    host any more misses its next run.
    """
    return Reservation(workspaces=reserve_host(session, name, body.workspaces).reserved_for)
