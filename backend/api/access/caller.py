"""Whether a request may make changes and read private runs, and if not, what to do about it."""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from starlette.requests import Request

from backend.api.access.cookie import COOKIE, is_valid
from backend.api.access.loopback import Call, find_distrust_reason
from backend.core.config import Settings

_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}

MISSING = (
    "This needs a token. Sign in in the browser, or send the header 'Authorization: Bearer "
    "<TACHO_TOKEN>' with the token of this installation."
)
WRONG = (
    "The token is wrong. Send the value of TACHO_TOKEN that this installation was started with, "
    "as 'Authorization: Bearer <TACHO_TOKEN>'."
)
ENDED = (
    "Your session has ended: it expired, or TACHO_TOKEN was changed. Sign in again, or send the "
    "header 'Authorization: Bearer <TACHO_TOKEN>'."
)
FOREIGN = (
    "A session only allows changes from pages of this Tacho, and this request came from elsewhere. "
    "Scripts send the header 'Authorization: Bearer <TACHO_TOKEN>' instead."
)
CLOSED = (
    "This installation has no TACHO_TOKEN, so nobody can make changes. Set TACHO_TOKEN, restart "
    "Tacho, and send 'Authorization: Bearer <TACHO_TOKEN>'. For one machine without a token, set "
    "TACHO_TRUST_LOOPBACK=true."
)


class Proof(StrEnum):
    """How a caller is authenticated."""

    LOOPBACK = "loopback"
    TOKEN = "token"  # noqa: S105
    SESSION = "session"


@dataclass(frozen=True)
class Caller:
    """The sender of a request. `proof` is None for anonymous visitors; `refusal` is the reason."""

    proof: Proof | None
    refusal: str = ""

    @property
    def is_trusted(self) -> bool:
        """Whether the caller may make changes and read private runs."""
        return self.proof is not None


def identify(request: Request, settings: Settings, bearer: str | None) -> Caller:
    """Return who sent a request; `bearer` is the token of its Authorization header."""
    if not settings.token:
        return _identify_by_loopback(request, settings)
    if bearer is not None:
        is_right = is_same(bearer, settings.token)
        return Caller(Proof.TOKEN) if is_right else Caller(None, WRONG)
    session = request.cookies.get(COOKIE)
    if session is None:
        return Caller(None, MISSING)
    if not is_valid(settings.token, session, datetime.now(UTC)):
        return Caller(None, ENDED)
    if request.method not in _SAFE_METHODS and not _is_own_page(request):
        return Caller(None, FOREIGN)
    return Caller(Proof.SESSION)


def is_same(given: str, token: str) -> bool:
    """Return whether this is the token, in a time that does not depend on where they differ."""
    return secrets.compare_digest(given.encode(), token.encode())


def _identify_by_loopback(request: Request, settings: Settings) -> Caller:
    if not settings.trust_loopback:
        return Caller(None, CLOSED)
    server = request.scope.get("server")
    call = Call(
        method=request.method,
        client_host=request.client.host if request.client else None,
        server_port=server[1] if server else None,
        http_version=request.scope["http_version"],
        headers=request.headers.items(),
    )
    reason = find_distrust_reason(call)
    if reason is None:
        return Caller(Proof.LOOPBACK)
    return Caller(
        None,
        f"This request did not come directly from this machine: {reason}. Set TACHO_TOKEN, restart "
        "Tacho, and send 'Authorization: Bearer <TACHO_TOKEN>'.",
    )


def _is_own_page(request: Request) -> bool:
    """Whether a page of this origin sent a request (the algorithm of Go's CrossOriginProtection).

    Browsers send Sec-Fetch-Site over https and to loopback, and Origin with every write.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    _, _, authority = request.headers.get("origin", "").partition("://")
    return bool(authority) and authority == request.headers.get("host")
