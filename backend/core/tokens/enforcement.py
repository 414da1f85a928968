"""The restrictions of the access token that sent a request apply to every run that it creates."""

from sqlalchemy.orm import Session

from backend.core.documents import RunRequest
from backend.core.tokens.restrictions import Restrictions, restrict

_RESTRICTIONS = "restrictions"


def set_restrictions(session: Session, restrictions: Restrictions) -> None:
    """Restrict the runs that this session creates or checks."""
    session.info[_RESTRICTIONS] = restrictions


def restricts_hosts(session: Session) -> bool:
    """Return whether the runs that this session creates may use certain hosts only."""
    found: Restrictions = session.info.get(_RESTRICTIONS, Restrictions())
    return found.hosts is not None


def enforce_restrictions(session: Session, request: RunRequest) -> RunRequest:
    """Return the request as the session may create it; raises InvalidRequest.

    Sessions of Tacho itself are not restricted.
    """
    return restrict(request, session.info.get(_RESTRICTIONS, Restrictions()))
