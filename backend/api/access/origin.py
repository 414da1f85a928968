"""The address under which people reach Tacho, and whether a page of it sent a request."""

from starlette.requests import Request

from backend.core.config import get_settings
from backend.platform.network import find_outside_url


def find_origin(request: Request) -> str:
    """Return the beginning of links in a response: TACHO_PUBLIC_URL, or the requested address."""
    chosen = find_outside_url(get_settings().public_url)
    return chosen or str(request.base_url).rstrip("/")


def is_own_page(request: Request) -> bool:
    """Return whether a page of this origin sent a request (as Go's CrossOriginProtection decides).

    Browsers send Sec-Fetch-Site over https and to loopback, and Origin with every write. With
    TACHO_PUBLIC_URL, the Host header does not matter, because a proxy may replace it.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin", "")
    chosen = find_outside_url(get_settings().public_url)
    if chosen is not None:
        return origin == chosen
    _, _, authority = origin.partition("://")
    return bool(authority) and authority == request.headers.get("host")
