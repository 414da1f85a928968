"""Read the browser that signs in from a request, and refuse pages of other sites."""

from starlette.requests import Request

from backend.api.access.caller import find_address
from backend.api.access.cookie import COOKIE
from backend.api.access.origin import is_own_page
from backend.core.errors import Unauthorized
from backend.core.people.accounts.service import Browser

_FOREIGN = "Only pages of this Tacho sign in and out, and this request came from elsewhere."


def read_browser(request: Request) -> Browser:
    """Return the browser that sent a request."""
    return Browser(
        address=find_address(request),
        user_agent=request.headers.get("user-agent", ""),
        key=request.cookies.get(COOKIE),
    )


def check_own_page(request: Request) -> None:
    """Raise Unauthorized if a page of another site sent a request. Scripts may sign in."""
    is_browser = "origin" in request.headers or "sec-fetch-site" in request.headers
    if is_browser and not is_own_page(request):
        raise Unauthorized(_FOREIGN)
