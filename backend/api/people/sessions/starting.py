"""The response to a browser that has just signed in."""

from fastapi import Request, Response
from sqlalchemy.orm import Session

from backend.api.access.caller import make_session_caller
from backend.api.access.cookie import set_cookie
from backend.api.people.sessions.schemas import SessionOut
from backend.api.people.sessions.views import session_out
from backend.core.config import Settings
from backend.core.people.access.lookup import look_up_session, read_session
from backend.core.people.accounts import repository


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
