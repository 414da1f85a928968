"""The cookie of a signed-in browser. It proves that the browser has sent the token, but does not
contain it."""

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

COOKIE = "tacho_session"
LIFETIME = timedelta(days=30)
_PURPOSE = b"tacho.session.v1"


def make_session(token: str, now: datetime) -> str:
    """Return a session value that is valid for LIFETIME and as long as the token stays the same."""
    body = f"{int((now + LIFETIME).timestamp())}.{secrets.token_urlsafe(12)}"
    return f"{body}.{_sign(token, body)}"


def is_valid(token: str, session: str, now: datetime) -> bool:
    """Return whether `make_session` made this value with this token and it has not expired."""
    body, _, signature = session.rpartition(".")
    if not hmac.compare_digest(signature.encode(), _sign(token, body).encode()):
        return False
    expires_at = int(body.partition(".")[0])
    return now.timestamp() < expires_at


def set_cookie(request: Request, response: Response, session: str) -> None:
    """Set the session cookie. Scripts cannot read it.

    SameSite is Lax, not Strict: a permalink that is opened from another site must show what its
    status code promises. Writes check the origin of the page as well.
    """
    response.set_cookie(
        COOKIE,
        session,
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=_is_https(request),
    )


def clear_cookie(request: Request, response: Response) -> None:
    """Delete the session cookie."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=_is_https(request))


def _is_https(request: Request) -> bool:
    """Return whether the browser uses https, also if a proxy in front of the API terminates TLS."""
    claims = (
        request.url.scheme,
        request.headers.get("x-forwarded-proto", ""),
        request.headers.get("origin", "").partition(":")[0],
    )
    return "https" in claims


def _sign(token: str, body: str) -> str:
    key = hmac.digest(token.encode(), _PURPOSE, hashlib.sha256)
    return hmac.new(key, body.encode(), hashlib.sha256).hexdigest()
