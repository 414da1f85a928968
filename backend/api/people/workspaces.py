"""/workspaces: all workspaces of the installation, for operators."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path, Response
from pydantic import Field, StringConstraints
from sqlalchemy.orm import Session

from backend.api.deps import CallerDep, SessionDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.schemas import Name, Page, RequestBody
from backend.core.bodies import Schema
from backend.core.models import Workspace
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.people.workspaces import repository, service
from backend.core.people.workspaces.slug import MAX_LENGTH, MIN_LENGTH, SLUG_PATTERN

WorkspaceName = Annotated[Name, StringConstraints(min_length=1), Field(examples=["Web team"])]
Slug = Annotated[
    str,
    StringConstraints(min_length=MIN_LENGTH, max_length=MAX_LENGTH, pattern=SLUG_PATTERN),
    Field(examples=["web-team"]),
]


# The largest number that the database stores.
MOST = 2**31 - 1
_DEFAULT = "Null: the limit of the installation. 0: no limit."
_QUEUED_TRIALS = f"Queued and running trials of the workspace. {_DEFAULT}"
_BENCH_MINUTES = f"Minutes of measuring of the workspace in 24 hours. {_DEFAULT}"


class WorkspaceIn(RequestBody):
    name: WorkspaceName
    slug: Slug | None = Field(
        None, description="Name in addresses and in the header Tacho-Workspace. Default: from name."
    )


Limit = Annotated[int, Field(ge=0, le=MOST, strict=True)]


class WorkspacePatch(RequestBody):
    """The values to change."""

    name: WorkspaceName | None = None
    max_queued_trials: Limit | None = Field(None, examples=[500], description=_QUEUED_TRIALS)
    max_bench_minutes: Limit | None = Field(None, examples=[240], description=_BENCH_MINUTES)


class WorkspaceOut(Schema):
    id: UUID
    slug: str = Field(examples=["web-team"])
    name: str
    created_at: datetime
    members: int = Field(description="Number of members.")
    max_queued_trials: int | None = Field(description=_QUEUED_TRIALS)
    max_bench_minutes: int | None = Field(description=_BENCH_MINUTES)
    runs: int = Field(description="Number of runs, of any visibility.")


router = NounRouter(
    prefix="/workspaces", tags=["workspaces"], dependencies=[needs(Permission.OPERATE)]
)

WorkspaceSlug = Annotated[Name, Path(examples=["main"])]


@router.get("", response_model=Page[WorkspaceOut], responses=problems(401, 403, 422) | NOT_MODIFIED)
async def list_workspaces(responder: ResponderDep) -> Response:
    """Return all workspaces, oldest first."""
    return await responder.respond(_show_list)


def _show_list(session: Session, _: Viewer) -> Page[WorkspaceOut]:
    return Page(items=_show(session, repository.list_workspaces(session)))


@router.post("", status_code=201, responses=problems(401, 403, 409, 413, 422))
def create_workspace(session: SessionDep, caller: CallerDep, body: WorkspaceIn) -> WorkspaceOut:
    """Create a workspace. A caller with an account becomes its owner."""
    workspace = service.create_workspace(
        session, name=body.name, slug=body.slug, owner_id=caller.actor.user_id
    )
    return _show(session, [workspace])[0]


@router.patch("/{slug}", responses=problems(401, 403, 404, 413, 422))
def change_workspace(
    session: SessionDep, slug: WorkspaceSlug, body: WorkspacePatch
) -> WorkspaceOut:
    """Change the name or limits of a workspace. Its slug stays, because links contain it."""
    changes = body.model_dump(exclude_unset=True)
    if body.name is None:
        changes.pop("name", None)
    return _show(session, [service.change_workspace(session, slug, changes)])[0]


@router.delete("/{slug}", status_code=204, responses=problems(401, 403, 404, 409, 413, 422))
def delete_workspace(session: SessionDep, slug: WorkspaceSlug) -> None:
    """Delete a workspace without runs, with its members, tokens, schedules and webhooks."""
    service.delete_workspace(session, slug)


def _show(session: Session, workspaces: Sequence[Workspace]) -> list[WorkspaceOut]:
    ids = [workspace.id for workspace in workspaces]
    members, runs = repository.count_members(session, ids), repository.count_runs(session, ids)
    return [
        WorkspaceOut.of(
            workspace, members=members.get(workspace.id, 0), runs=runs.get(workspace.id, 0)
        )
        for workspace in workspaces
    ]
