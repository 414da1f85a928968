"""/session: who the caller is; sign in and out in the browser, and choose its workspace."""

from fastapi import Request, Response

from backend.api.access.caller import WRONG, Proof, is_same
from backend.api.access.cookie import COOKIE, clear_cookie
from backend.api.access.signing_in import check_own_page, read_browser
from backend.api.deps import CallerDep, ResourcesDep, SessionDep, SettingsDep, SigningIn, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.people.sessions.schemas import SessionOut, SignIn, WorkspaceChoice
from backend.api.people.sessions.starting import respond_signed_in
from backend.api.people.sessions.views import session_out
from backend.core.errors import Conflict, InvalidRequest, NotFound, Unauthorized
from backend.core.people.access.lookup import look_up_installation, read_installation
from backend.core.people.access.permissions import Permission
from backend.core.people.accounts import repository, service

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
