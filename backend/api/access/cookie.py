"""The cookie of a signed-in browser. It holds the random key of a session and nothing else."""

import logging
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from backend.core.config import get_settings
from backend.core.people.accounts.service import SESSION_LIFETIME

logger = logging.getLogger(__name__)

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

    uvicorn reads the scheme from X-Forwarded-Proto if a trusted proxy sent it. Without the settings
    of proxies, the headers of any sender count here: they can only make the sender's own cookie
    stricter.
    """
    if "https" in {request.url.scheme, urlsplit(get_settings().public_url).scheme}:
        return True
    origin = urlsplit(request.headers.get("origin", ""))
    forwarded = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip()
    if "https" not in {origin.scheme, forwarded.lower()}:
        return False
    _warn_of_proxy()
    return True


@lru_cache
def _warn_of_proxy() -> None:
    """Log once per process that settings are missing."""
    logger.warning(
        "A proxy in front of Tacho terminates TLS, but neither TACHO_PUBLIC_URL nor "
        "TACHO_TRUSTED_PROXIES describes it. Links begin with http, and all clients have the "
        "address of the proxy. Set both (docs/operator-guide/reverse-proxy.md)."
    )
