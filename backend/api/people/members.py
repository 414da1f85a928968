"""/members, /membership: the members of the workspace of the request, and their roles."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path
from pydantic import AliasPath, Field

from backend.api.deps import CallerDep, SessionDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import Page, RequestBody
from backend.core.bodies import Schema
from backend.core.people.access.permissions import Permission
from backend.core.people.workspaces import repository, service
from backend.core.statuses import Role


class MemberPatch(RequestBody):
    role: Role


class MemberOut(Schema):
    user_id: UUID
    email: str = Field(validation_alias=AliasPath("user", "email"), examples=["ada@example.org"])
    name: str = Field(validation_alias=AliasPath("user", "name"), examples=["Ada Lovelace"])
    role: Role
    created_at: datetime = Field(description="Time at which the user became a member.")


router = NounRouter(tags=["members"])

UserId = Annotated[UUID, Path(examples=["01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e"])]


@router.get("/members", dependencies=[needs(Permission.VIEW)], responses=problems(401, 403))
def list_members(session: SessionDep, workspace_id: WorkspaceDep) -> Page[MemberOut]:
    """Return the members of the workspace, ordered by name."""
    members = repository.list_members(session, workspace_id)
    return Page(items=[MemberOut.of(member) for member in members])


@router.delete(
    "/membership",
    status_code=204,
    dependencies=[needs(Permission.VIEW)],
    responses=problems(401, 403, 404, 409, 413),
)
def leave_workspace(session: SessionDep, caller: CallerDep, workspace_id: WorkspaceDep) -> None:
    """Leave the workspace. This revokes your personal tokens for it. The last owner stays."""
    caller.require(Permission.ACCOUNT)
    assert caller.person is not None
    service.remove_member(session, workspace_id, caller.person.id)


@router.patch(
    "/members/{user_id}",
    dependencies=[needs(Permission.OWN)],
    responses=problems(401, 403, 404, 409, 413, 422),
)
def change_member(
    session: SessionDep, workspace_id: WorkspaceDep, user_id: UserId, body: MemberPatch
) -> MemberOut:
    """Change the role of a member. It applies from the next request of the member."""
    return MemberOut.of(service.change_role(session, workspace_id, user_id, body.role))


@router.delete(
    "/members/{user_id}",
    status_code=204,
    dependencies=[needs(Permission.OWN)],
    responses=problems(401, 403, 404, 409, 413, 422),
)
def remove_member(session: SessionDep, workspace_id: WorkspaceDep, user_id: UserId) -> None:
    """Remove a member, and revoke the member's personal tokens for this workspace."""
    service.remove_member(session, workspace_id, user_id)
