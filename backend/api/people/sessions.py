"""/session: who the caller is; sign in and out in the browser, and choose its workspace."""

from uuid import UUID

from fastapi import Request, Response
from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.access.caller import WRONG, Caller, Proof, is_same, make_session_caller
from backend.api.access.cookie import COOKIE, clear_cookie, set_cookie
from backend.api.access.signing_in import check_own_page, read_browser
from backend.api.deps import CallerDep, ResourcesDep, SessionDep, SettingsDep, SigningIn, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import Email, Name, RequestBody
from backend.core.bodies import Schema
from backend.core.config import Settings
from backend.core.errors import Conflict, InvalidRequest, NotFound, Unauthorized
from backend.core.people.access.lookup import (
    look_up_installation,
    look_up_session,
    read_installation,
    read_session,
)
from backend.core.people.access.permissions import Permission
from backend.core.people.accounts import repository, service
from backend.core.people.accounts.passwords import LONGEST
from backend.core.statuses import Role


class SignIn(RequestBody):
    """Either an e-mail address with a password, or the token."""

    email: Email | None = None
    password: str | None = Field(
        None, min_length=1, max_length=LONGEST, examples=["correct horse battery"]
    )
    token: str | None = Field(
        None, min_length=1, max_length=1000, description="The value of TACHO_TOKEN."
    )


class WorkspaceChoice(RequestBody):
    workspace: Name = Field(examples=["main"], description="Slug of one of your workspaces.")


class AccountOut(Schema):
    """The account of a person."""

    id: UUID
    email: str = Field(examples=["ada@example.org"])
    name: str = Field(examples=["Ada Lovelace"])
    is_operator: bool = Field(description="Whether the person operates this installation.")


class OwnWorkspaceOut(Schema):
    """A workspace of the caller."""

    id: UUID
    slug: str = Field(examples=["main"])
    name: str = Field(examples=["Main"])
    role: Role = Field(description="The caller's role in the workspace.")


class SignInWays(Schema):
    """How people can sign in to this installation."""

    password: bool = Field(description="With an e-mail address and a password.")
    token: bool = Field(description="With TACHO_TOKEN.")
    reset: bool = Field(description="Whether a link that sets a new password comes by e-mail.")
    oidc: str | None = Field(
        examples=["single sign-on"],
        description="With an OpenID Connect provider of this name. Null: without.",
    )


class SessionOut(Schema):
    """The caller: identity, permissions and workspaces."""

    permissions: list[Permission] = Field(
        description="The permissions in the workspace and in the installation."
    )
    proof: Proof | None = Field(
        description="How the caller is authenticated: a direct call from this machine, TACHO_TOKEN,"
        " an access token, or a session cookie. Null for anonymous visitors."
    )
    detail: str | None = Field(
        description="Why the caller is an anonymous visitor, and what to do about it."
    )
    is_single_user: bool = Field(
        description="Whether this machine's user owns everything without signing in."
    )
    sign_in: SignInWays
    user: AccountOut | None = Field(description="Null for everyone without an account.")
    workspace: OwnWorkspaceOut | None = Field(description="The workspace of the request.")
    workspaces: list[OwnWorkspaceOut]


def session_out(caller: Caller, settings: Settings, *, has_users: bool) -> SessionOut:
    workspace = caller.workspace
    return SessionOut(
        permissions=caller.rights.list_permissions(),
        proof=caller.proof,
        detail=caller.refusal or None,
        is_single_user=caller.proof is Proof.LOOPBACK,
        sign_in=SignInWays(
            password=has_users,
            token=bool(settings.token),
            reset=bool(settings.smtp_url),
            oidc=settings.oidc_name if settings.oidc_issuer else None,
        ),
        user=None if caller.person is None else AccountOut.of(caller.person),
        workspace=None if workspace is None else OwnWorkspaceOut.of(workspace),
        workspaces=[OwnWorkspaceOut.of(own) for own in caller.workspaces],
    )


def respond_signed_in(
    request: Request, response: Response, session: Session, settings: Settings, key: str
) -> SessionOut:
    """Set the cookie of a new session, and return what its caller may do."""
    rows = session.connection().exec_driver_sql(*look_up_session(key))
    found = read_session([tuple(row) for row in rows])
    assert found is not None
    set_cookie(request, response, key)
    caller = make_session_caller(request, found)
    return session_out(caller, settings, has_users=repository.has_users(session))


router = NounRouter(prefix="/session", tags=["session"])


@router.get("", dependencies=[needs(Permission.OPEN)])
async def get_session(
    request: Request,
    response: Response,
    caller: CallerDep,
    settings: SettingsDep,
    resources: ResourcesDep,
) -> SessionOut:
    """Return who the caller is, what the caller may do, and how to sign in."""
    if COOKIE in request.cookies and caller.proof in {None, Proof.LOOPBACK}:
        # The session has ended. Without its cookie, the local owner can make changes again.
        clear_cookie(request, response)
    state = read_installation(await resources.database.look_up(*look_up_installation()))
    return session_out(caller, settings, has_users=state.has_users)


@router.post(
    "",
    dependencies=[needs(Permission.OPEN), SigningIn],
    responses=problems(401, 404, 409, 413, 422),
)
def sign_in(
    request: Request,
    response: Response,
    session: SessionDep,
    settings: SettingsDep,
    resources: ResourcesDep,
    body: SignIn,
) -> SessionOut:
    """Sign in with e-mail address and password, or with TACHO_TOKEN.

    The response sets an HttpOnly cookie that lasts 30 days. An older session of the browser ends.
    """
    check_own_page(request)
    browser = read_browser(request)
    match body:
        case SignIn(email=None, password=None, token=str(token)):
            if not settings.token:
                raise Conflict(
                    "This installation has no TACHO_TOKEN. Sign in with an e-mail address and a "
                    "password."
                )
            with resources.rates.guard_sign_in(browser.address, None):
                if not is_same(token, settings.token.get_secret_value()):
                    raise Unauthorized(WRONG)
            key = service.start_session(session, browser, token=token)
        case SignIn(email=str(email), password=str(password), token=None):
            with resources.rates.guard_sign_in(browser.address, email):
                key = service.sign_in(session, email, password, browser)
        case _:
            raise InvalidRequest("Send either `email` and `password`, or `token`.")
    return respond_signed_in(request, response, session, settings, key)


@router.patch(
    "", dependencies=[needs(Permission.VIEW)], responses=problems(401, 403, 404, 409, 413, 422)
)
def choose_workspace(
    session: SessionDep, settings: SettingsDep, caller: CallerDep, body: WorkspaceChoice
) -> SessionOut:
    """Choose the workspace that this browser shows."""
    if caller.session_id is None:
        raise Conflict(
            "Only a signed-in browser stores its workspace. Name the workspace of each request in "
            "the header Tacho-Workspace."
        )
    chosen = next((own for own in caller.workspaces if own.slug == body.workspace), None)
    if chosen is None:
        raise NotFound(f"You are not a member of a workspace {body.workspace!r}.")
    service.show_workspace(session, caller.session_id, chosen.id)
    shown = caller.show(chosen)
    return session_out(shown, settings, has_users=repository.has_users(session))


@router.delete(
    "", status_code=204, dependencies=[needs(Permission.OPEN)], responses=problems(401, 413)
)
def sign_out(request: Request, response: Response, session: SessionDep) -> None:
    """Sign out: end the session of the cookie, and delete the cookie."""
    check_own_page(request)
    service.end_session(session, request.cookies.get(COOKIE))
    clear_cookie(request, response)
