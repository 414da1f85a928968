"""GET, POST, DELETE /session: the rights of the caller; sign in and out in the browser."""

from datetime import UTC, datetime

from fastapi import APIRouter, Request, Response

from backend.api.access.caller import WRONG, Caller, Proof, is_same
from backend.api.access.cookie import clear_cookie, make_session, set_cookie
from backend.api.deps import CallerDep, SettingsDep
from backend.api.http.problems import problems
from backend.api.sessions.schemas import SessionOut, SignIn
from backend.core.config import Settings
from backend.core.errors import Conflict, Unauthorized

router = APIRouter(prefix="/session", tags=["session"])


@router.get("")
def get_session(caller: CallerDep, settings: SettingsDep, response: Response) -> SessionOut:
    """Return what the caller may do, and how the caller was authenticated."""
    response.headers["Cache-Control"] = "no-store"
    return _out(caller, settings)


@router.post("", responses=problems(401, 409, 413, 422))
def sign_in(
    request: Request, response: Response, settings: SettingsDep, body: SignIn
) -> SessionOut:
    """Sign in with the token. The response sets an HttpOnly cookie that lasts 30 days."""
    if not settings.token:
        raise Conflict("This installation has no TACHO_TOKEN, so there is nothing to sign in with.")
    if not is_same(body.token, settings.token):
        raise Unauthorized(WRONG)
    set_cookie(request, response, make_session(settings.token, datetime.now(UTC)))
    response.headers["Cache-Control"] = "no-store"
    return _out(Caller(Proof.SESSION), settings)


@router.delete("", status_code=204)
def sign_out(request: Request, response: Response) -> None:
    """Sign out: delete the session cookie."""
    clear_cookie(request, response)


def _out(caller: Caller, settings: Settings) -> SessionOut:
    return SessionOut(
        can_write=caller.is_trusted,
        proof=caller.proof,
        can_sign_in=bool(settings.token),
        detail=caller.refusal or None,
    )
