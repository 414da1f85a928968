"""/account: the name, password and sessions of the person who is signed in."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path
from pydantic import Field

from backend.api.access.caller import Caller
from backend.api.deps import CallerDep, ResourcesDep, SessionDep, SigningIn, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.people.sessions import AccountOut
from backend.api.schemas import Page, PersonName, RequestBody
from backend.core.bodies import Schema
from backend.core.people.access.permissions import Permission
from backend.core.people.accounts import repository, service
from backend.core.people.accounts.passwords import LONGEST, SHORTEST


class AccountPatch(RequestBody):
    name: PersonName


class PasswordIn(RequestBody):
    current: str = Field(min_length=1, max_length=LONGEST, examples=["correct horse battery"])
    new: str = Field(
        min_length=SHORTEST, max_length=LONGEST, examples=["a longer correct horse battery"]
    )


class IdentityOut(Schema):
    """An account at the OpenID Connect provider with which the user can sign in."""

    issuer: str = Field(examples=["https://login.example.org"], description="The provider.")
    subject: str = Field(examples=["248289761001"], description="The user's id at the provider.")
    created_at: datetime = Field(description="Time of the first sign-in with it.")


class BrowserSessionOut(Schema):
    """A browser in which the user is signed in."""

    id: UUID
    is_current: bool = Field(description="Whether this request belongs to the session.")
    address: str = Field(
        examples=["203.0.113.5"], description="Network address of its last request."
    )
    user_agent: str = Field(examples=["Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0"])
    created_at: datetime
    last_seen_at: datetime = Field(description="Time of the last request, to the minute.")
    expires_at: datetime


router = NounRouter(prefix="/account", tags=["account"], dependencies=[needs(Permission.ACCOUNT)])

SessionId = Annotated[UUID, Path(examples=["01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e"])]


@router.patch("", responses=problems(401, 403, 413, 422))
def change_account(session: SessionDep, caller: CallerDep, body: AccountPatch) -> AccountOut:
    """Change your name."""
    return AccountOut.of(service.rename_user(session, _get_id(caller), body.name))


@router.put(
    "/password",
    status_code=204,
    dependencies=[SigningIn],
    responses=problems(401, 403, 413, 422),
)
def change_password(
    session: SessionDep, resources: ResourcesDep, caller: CallerDep, body: PasswordIn
) -> None:
    """Change your password. All your other sessions end."""
    assert caller.person is not None
    with resources.rates.guard_sign_in(caller.actor.address or "", caller.person.email):
        service.change_password(
            session, caller.person.id, body.current, body.new, keep=caller.session_id
        )


@router.get("/identities", responses=problems(401, 403))
def list_identities(session: SessionDep, caller: CallerDep) -> Page[IdentityOut]:
    """Return your accounts at the OpenID Connect provider with which you can sign in."""
    found = repository.list_identities(session, _get_id(caller))
    return Page(items=[IdentityOut.of(identity) for identity in found])


@router.get("/sessions", responses=problems(401, 403))
def list_sessions(session: SessionDep, caller: CallerDep) -> Page[BrowserSessionOut]:
    """Return the browsers in which you are signed in, last used first."""
    found = repository.list_sessions(session, _get_id(caller))
    return Page(
        items=[
            BrowserSessionOut.of(stored, is_current=stored.id == caller.session_id)
            for stored in found
        ]
    )


@router.delete(
    "/sessions/{session_id}", status_code=204, responses=problems(401, 403, 404, 413, 422)
)
def revoke_session(session: SessionDep, caller: CallerDep, session_id: SessionId) -> None:
    """Sign out in one of your browsers."""
    service.revoke_session(session, _get_id(caller), session_id)


def _get_id(caller: Caller) -> UUID:
    assert caller.person is not None
    return caller.person.id
