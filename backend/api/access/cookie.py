"""The cookie of a signed-in browser. It holds the random key of a session and nothing else."""

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from backend.core.accounts.service import SESSION_LIFETIME
from backend.core.config import get_settings

COOKIE = "tacho_session"


def set_cookie(request: Request, response: Response, key: str) -> None:
    """Set the session cookie. Scripts cannot read it.

    SameSite is Lax, not Strict: a permalink that is opened from another site must show what its
    status code promises. Writes check the origin of the page as well.
    """
    response.set_cookie(
        COOKIE,
        key,
        max_age=int(SESSION_LIFETIME.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=is_https(request),
    )


def clear_cookie(request: Request, response: Response) -> None:
    """Delete the session cookie."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=is_https(request))


def is_https(request: Request) -> bool:
    """Return whether the browser uses https, also if a proxy in front of the API terminates TLS.

    uvicorn reads the scheme from X-Forwarded-Proto if a trusted proxy sent it.
    """
    return "https" in {request.url.scheme, urlsplit(get_settings().public_url).scheme}
