"""How responses may be cached and framed, and which parameters addresses take: all exceptions.

A response without an entry is `private, no-store`, loads nothing, may not be framed, and its
address takes only the query parameters that its route declares.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.types import Scope

from backend.api.http.router import API_PREFIX, name_route

NO_STORE = "private, no-store"
# A browser may keep it, but asks each time whether it changed.
REVALIDATED = "private, no-cache"
IMMUTABLE = "public, max-age=31536000, immutable"
# Proxies of images ask again after this time, so a new result shows within minutes.
FIVE_MINUTES = "public, max-age=300"


@dataclass(frozen=True)
class EdgePolicy:
    """The work of the edge for one route.

    Attributes:
        caching: `Cache-Control` of content that was read (200, 206 and 304). All other responses
            are NO_STORE.
        is_for_public_things: whether `caching` only applies to responses that `mark_as_public`
            marked.
        is_page: whether the response is a page of the interface, which loads scripts and styles.
        may_be_framed: whether pages of other sites may show it in a frame.
        ignores_parameters: whether undeclared parameters are removed from the address before the
            route sees it. Otherwise they are refused.
    """

    caching: str = NO_STORE
    is_for_public_things: bool = False
    is_page: bool = False
    may_be_framed: bool = False
    ignores_parameters: bool = False


DEFAULT = EdgePolicy()
_DOCUMENT = EdgePolicy(REVALIDATED)
# Links carry parameters such as utm_source, and the scripts of pages read others.
_PAGE = EdgePolicy(REVALIDATED, is_page=True, ignores_parameters=True)

# Routes of the interface, which has no templates.
ASSETS = "/assets/*"
EMBEDDED_PAGES = "/embed/*"
OTHER_PAGES = "/*"

POLICIES: Mapping[str, EdgePolicy] = {
    # Their names contain a hash of their content.
    ASSETS: EdgePolicy(IMMUTABLE, ignores_parameters=True),
    EMBEDDED_PAGES: EdgePolicy(
        REVALIDATED, is_page=True, may_be_framed=True, ignores_parameters=True
    ),
    OTHER_PAGES: _PAGE,
    "/r/{run_id}": _PAGE,
    "/choose": _PAGE,
    "/choose/preview.png": EdgePolicy(REVALIDATED, ignores_parameters=True),
    "/runs/{run_id}": _PAGE,
    "/api/docs": _PAGE,
    "/r/{run_id}/preview.png": EdgePolicy(FIVE_MINUTES, is_for_public_things=True),
    # Badges show public results only.
    "/badge/{framework}/{scenario}/{metric}.svg": EdgePolicy(FIVE_MINUTES),
    # Providers of single sign-on add parameters of their own, such as iss and session_state.
    f"{API_PREFIX}/session/oidc/callback": EdgePolicy(ignores_parameters=True),
    **{
        API_PREFIX + path: _DOCUMENT
        for path in (
            "/cells",
            "/cells/{cell_id}/latency",
            "/changes",
            "/changes/{change_id}",
            "/choice",
            "/choice/export.{suffix}",
            "/comparisons",
            "/comparisons/charts",
            "/comparisons/{comparison_hash}",
            "/frameworks",
            "/frameworks/{slug}",
            "/frameworks/{slug}/results",
            "/history",
            "/history/changes",
            "/history/self-test",
            "/home",
            "/hosts",
            "/hosts/{name}",
            "/incidents",
            "/incidents/{incident_id}",
            "/leaderboard",
            "/queue",
            "/runs",
            "/runs/{run_id}",
            "/runs/{run_id}/answer",
            "/runs/{run_id}/charts",
            "/runs/{run_id}/ranking",
            "/scenarios",
            "/scenarios/{slug}",
            "/schedules",
            "/workspaces",
        )
    },
}


def name_policy(scope: Scope) -> str | None:
    """Return the key of a routed request in POLICIES; None for an unknown address."""
    route = name_route(scope)
    if route is not None:
        return route
    path = scope["path"]
    if f"{path}/".startswith("/api/"):
        return path if path == "/api/docs" else None
    if path.startswith("/assets/"):
        return ASSETS
    return EMBEDDED_PAGES if path.startswith("/embed/") else OTHER_PAGES


def find_policy(scope: Scope) -> EdgePolicy:
    """Return the policy of a routed request."""
    return POLICIES.get(name_policy(scope) or "", DEFAULT)
