"""/users: the users of the installation, for operators."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Request
from pydantic import Field, StrictBool
from sqlalchemy.orm import Session

from backend.addresses import join_page
from backend.api.access.origin import find_origin
from backend.api.deps import CallerDep, SessionDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.paging import Cursor, decode_cursor, encode_cursor
from backend.api.schemas import Name, Page, RequestBody
from backend.core.bodies import Schema
from backend.core.models import User
from backend.core.people.access.permissions import Permission
from backend.core.people.accounts import links, repository, service
from backend.core.statuses import Role


class RoleOut(Schema):
    """A user's role in a workspace."""

    workspace: str = Field(examples=["main"], description="Slug of the workspace.")
    role: Role


class UserOut(Schema):
    id: UUID
    email: str = Field(examples=["ada@example.org"])
    name: str = Field(examples=["Ada Lovelace"])
    is_operator: bool = Field(
        description="Whether the user manages hosts, users and workspaces of the installation."
    )
    created_at: datetime
    disabled_at: datetime | None = Field(
        description="Since when the user cannot sign in. Null if the user can."
    )
    last_seen_at: datetime | None = Field(
        description="Last request of a browser that is still signed in."
    )
    roles: list[RoleOut]


class UserPatch(RequestBody):
    is_operator: StrictBool | None = None
    disabled: StrictBool | None = Field(
        None, description="Disabling ends the user's sessions and stops the user's access tokens."
    )


class ResetLinkOut(Schema):
    url: str = Field(
        examples=["https://tacho.example/join#hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
        description="Give it to the user. It works once. No other response contains it.",
    )
    expires_at: datetime


router = NounRouter(prefix="/users", tags=["users"], dependencies=[needs(Permission.OPERATE)])

UserId = Annotated[UUID, Path(examples=["01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e"])]


@router.get("", responses=problems(401, 403, 422))
def list_users(
    session: SessionDep,
    search: Annotated[
        Name | None, Query(description="Part of the name or of the e-mail address.")
    ] = None,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> Page[UserOut]:
    """Return the users of the installation, oldest first."""
    after = decode_cursor(cursor) if cursor else None
    found = repository.list_users(session, search, after, limit + 1)
    page = found[:limit]
    return Page(
        items=_show(session, page),
        next=encode_cursor(page[-1].created_at, page[-1].id) if len(found) > limit else None,
    )


@router.patch("/{user_id}", responses=problems(401, 403, 404, 409, 413, 422))
def change_user(session: SessionDep, user_id: UserId, body: UserPatch) -> UserOut:
    """Make a user an operator or not, or disable or enable the user."""
    user = service.change_user(
        session, user_id, is_operator=body.is_operator, is_disabled=body.disabled
    )
    return _show(session, [user])[0]


@router.post(
    "/{user_id}/password-reset",
    status_code=201,
    responses=problems(401, 403, 404, 409, 413, 422),
)
def create_reset_link(
    request: Request, session: SessionDep, caller: CallerDep, user_id: UserId
) -> ResetLinkOut:
    """Create a link with which a user sets a new password within 24 hours."""
    user = repository.get_user(session, user_id)
    creator_id = None if caller.person is None else caller.person.id
    created = links.create_reset_link(session, user, creator_id)
    origin = find_origin(request)
    return ResetLinkOut(url=f"{origin}{join_page(created.key)}", expires_at=created.expires_at)


def _show(session: Session, users: Sequence[User]) -> list[UserOut]:
    ids = [user.id for user in users]
    roles = repository.list_roles(session, ids)
    last_uses = repository.get_last_uses(session, ids)
    return [
        UserOut.of(
            user,
            last_seen_at=last_uses.get(user.id),
            roles=[RoleOut(workspace=workspace, role=role) for workspace, role in roles[user.id]],
        )
        for user in users
    ]
