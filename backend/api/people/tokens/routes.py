"""/tokens: access tokens for the workspace of the request. No access token can create another."""

from typing import Annotated
from uuid import UUID

from fastapi import Path

from backend.api.deps import CallerDep, SessionDep, WorkspaceDep, needs
from backend.api.http.follow_ups import follow_ups
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.people.tokens.schemas import NewTokenOut, TokenIn, TokenOut
from backend.api.people.tokens.views import new_token_out, token_out
from backend.api.schemas import Page
from backend.core.errors import Conflict
from backend.core.people.access.permissions import Permission
from backend.core.people.tokens import repository, service
from backend.core.people.tokens.restrictions import Restrictions

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
    return Page(items=[token_out(token) for token in tokens])


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
        restrictions=Restrictions(body.hosts, body.frameworks),
    )
    return new_token_out(token, secret)


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
