"""The expected headers of each route, written down independently of the table of the edge."""

from collections.abc import Mapping

from httpx2 import Response

NO_STORE = "private, no-store"
PAGE_LOADS = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; "
)
PAGES = ("/*", "/choose", "/embed/*", "/r/{run_id}", "/runs/{run_id}", "/api/docs")
# A new exception needs a change here too. Nothing that may be private is ever `public`.
CACHING: Mapping[str, str] = {
    "private, no-cache": """
        /*
        /choose
        /choose/preview.png
        /embed/*
        /r/{run_id}
        /runs/{run_id}
        /api/docs
        /api/v1/cells
        /api/v1/cells/{cell_id}/latency
        /api/v1/changes
        /api/v1/changes/{change_id}
        /api/v1/choice
        /api/v1/choice/export.{suffix}
        /api/v1/comparisons
        /api/v1/comparisons/charts
        /api/v1/comparisons/{comparison_hash}
        /api/v1/frameworks
        /api/v1/frameworks/{slug}
        /api/v1/frameworks/{slug}/results
        /api/v1/history
        /api/v1/history/changes
        /api/v1/history/self-test
        /api/v1/home
        /api/v1/hosts
        /api/v1/hosts/{name}
        /api/v1/incidents
        /api/v1/incidents/{incident_id}
        /api/v1/leaderboard
        /api/v1/queue
        /api/v1/runs
        /api/v1/runs/{run_id}
        /api/v1/runs/{run_id}/answer
        /api/v1/runs/{run_id}/charts
        /api/v1/runs/{run_id}/ranking
        /api/v1/scenarios
        /api/v1/scenarios/{slug}
        /api/v1/schedules
        /api/v1/workspaces
    """,
    "public, max-age=31536000, immutable": "/assets/*",
    # The picture only of a run that is not private.
    "public, max-age=300": """
        /badge/{framework}/{scenario}/{metric}.svg
        /r/{run_id}/preview.png
    """,
}
CACHING_OF_ROUTES = {
    route: caching for caching, routes in CACHING.items() for route in routes.split()
}


def check_edge(answer: Response, route: str | None, *, is_private: bool = False) -> None:
    """Check the headers of a response.

    Args:
        route: the template of the address, or a pattern such as `/assets/*`.
        is_private: whether the response shows something private.
    """
    is_content = answer.request.method in {"GET", "HEAD"} and answer.status_code in {200, 304}
    caching = CACHING_OF_ROUTES.get(route or "", NO_STORE) if is_content else NO_STORE
    if is_private and caching.startswith("public"):
        caching = NO_STORE
    where = f"{answer.request.method} {answer.request.url}: {answer.status_code}"
    assert answer.headers.get_list("cache-control") == [caching], where
    assert answer.headers.get_list("x-content-type-options") == ["nosniff"], where
    assert answer.headers.get_list("referrer-policy") == ["strict-origin-when-cross-origin"], where
    (policy,) = answer.headers.get_list("content-security-policy")
    if route not in PAGES:
        assert policy == "default-src 'none'; frame-ancestors 'none'", where
        return
    assert policy.startswith(PAGE_LOADS), where
    framing = "frame-ancestors *" if route == "/embed/*" else "frame-ancestors 'none'"
    assert policy.endswith(framing), where
    rest = policy.removeprefix(PAGE_LOADS).removesuffix(framing)
    assert not rest or rest.startswith("script-src 'self' 'sha256-"), where
