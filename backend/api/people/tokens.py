"""/tokens: access tokens for the workspace of the request. No access token can create another."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Path
from pydantic import Field, StringConstraints

from backend.api.deps import CallerDep, SessionDep, WorkspaceDep, needs
from backend.api.http.follow_ups import follow_ups
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import Name, Page, RequestBody
from backend.core.bodies import Schema
from backend.core.catalog.own.service_file import ServiceName
from backend.core.errors import Conflict
from backend.core.people.access.permissions import Permission
from backend.core.people.tokens import repository, service
from backend.core.people.tokens.restrictions import Restrictions
from backend.core.statuses import TokenScope

Owner = Annotated[
    Literal["me", "workspace"],
    Field(
        description="me: the token never has more rights than your role, and stops when you leave."
        " workspace: it stays when its creator leaves; only owners manage it."
    ),
]
Names = Annotated[list[Name], Field(min_length=1, max_length=100)]


class TokenIn(RequestBody):
    name: Annotated[Name, StringConstraints(min_length=1)] = Field(examples=["Nightly CI"])
    scope: TokenScope
    owner: Owner = "me"
    days: int | None = Field(
        None,
        ge=1,
        le=3_650,
        strict=True,
        description="Number of days until it expires. Null: never.",
    )
    hosts: Names | None = Field(
        None,
        examples=[["bench-01"]],
        description="Names of the hosts that its runs may use. Null: all.",
    )
    frameworks: Names | None = Field(
        None,
        examples=[["node", "gin"]],
        description="Slugs of the frameworks that its runs may use. Null: all.",
    )
    services: Annotated[list[ServiceName], Field(min_length=1, max_length=100)] | None = Field(
        None,
        examples=[None],
        description="Names of the own services that it may guard. It can then only read otherwise."
        " Null: no restriction.",
    )


class TokenOut(Schema):
    id: UUID
    name: str = Field(examples=["Nightly CI"])
    prefix: str = Field(
        examples=["tacho_Zk3vQ9"], description="The first characters, to recognise the token."
    )
    scope: TokenScope
    owner: Owner
    hosts: list[str] | None
    frameworks: list[str] | None
    services: list[str] | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None = Field(description="Revoked tokens are listed for 30 days.")
    last_used_at: datetime | None = Field(description="To the minute. Null if it was never used.")
    last_address: str | None = Field(
        examples=["203.0.113.5"], description="Network address of the last request."
    )


class NewTokenOut(TokenOut):
    token: str = Field(
        examples=["tacho_Zk3vQ9hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiR"],
        description="The token, to send as `Authorization: Bearer …`. No other response contains"
        " it.",
    )


router = NounRouter(prefix="/tokens", tags=["tokens"])

TokenId = Annotated[UUID, Path(examples=["01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e"])]


@router.get("", dependencies=[needs(Permission.VIEW)], responses=problems(401, 403))
def list_tokens(session: SessionDep, caller: CallerDep) -> Page[TokenOut]:
    """Return your tokens for this workspace, newest first. Owners also see the workspace's."""
    tokens = repository.list_tokens(
        session,
        caller.require_workspace().id,
        caller.actor.user_id,
        with_workspace=caller.rights.allow(Permission.OWN),
    )
    return Page(items=[TokenOut.of(token) for token in tokens])


@router.post(
    "",
    status_code=201,
    dependencies=[needs(Permission.ACCOUNT)],
    responses=problems(401, 403, 409, 413, 422) | follow_ups(201, "token_id", "id", "revoke_token"),
)
def create_token(
    session: SessionDep, caller: CallerDep, workspace_id: WorkspaceDep, body: TokenIn
) -> NewTokenOut:
    """Create an access token. Only this response contains it.

    Only owners create tokens of the workspace.
    """
    caller.require(Permission.OWN if body.owner == "workspace" else Permission.VIEW)
    assert caller.person is not None
    token, secret = service.create_token(
        session,
        workspace_id,
        name=body.name,
        scope=body.scope,
        user_id=caller.person.id if body.owner == "me" else None,
        role=caller.require_workspace().role,
        created_by_id=caller.person.id,
        days=body.days,
        restrictions=Restrictions(body.hosts, body.frameworks, body.services),
    )
    return NewTokenOut.of(token, token=secret)


@router.delete(
    "/current",
    status_code=204,
    dependencies=[needs(Permission.VIEW)],
    responses=problems(401, 403, 409, 413),
)
def revoke_own_token(session: SessionDep, caller: CallerDep) -> None:
    """Revoke the access token that this request was sent with."""
    if caller.token_id is None:
        raise Conflict(
            "This request was not sent with an access token, so there is none to revoke."
        )
    service.revoke_token(session, repository.lock_current_token(session, caller.token_id))


@router.delete(
    "/{token_id}",
    status_code=204,
    dependencies=[needs(Permission.ACCOUNT)],
    responses=problems(401, 403, 404, 413, 422),
)
def revoke_token(session: SessionDep, caller: CallerDep, token_id: TokenId) -> None:
    """Revoke one of the tokens that you see in the list. It stops at once."""
    caller.require(Permission.VIEW)
    assert caller.person is not None
    token = repository.lock_token(
        session,
        caller.require_workspace().id,
        token_id,
        caller.person.id,
        with_workspace=caller.rights.allow(Permission.OWN),
    )
    service.revoke_token(session, token)
