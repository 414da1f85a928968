"""Metrics for Prometheus of this API process."""

from prometheus_client import Histogram
from starlette.types import Scope

from backend.api.http.router import API_PREFIX, name_route
from backend.platform.logs.monitoring import REGISTRY

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Few, because each route, method and class of statuses has one counter for each.
_RESPONSE_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_LAG_BUCKETS = (0.01, 0.05, 0.25, 1.0, 5.0, 30.0)

_RESPONSE_SECONDS = Histogram(
    "tacho_http_response_seconds",
    "Time from the arrival of a request until its response began.",
    ("method", "route", "status"),
    buckets=_RESPONSE_BUCKETS,
    registry=REGISTRY,
)
EVENT_LAG_SECONDS = Histogram(
    "tacho_event_lag_seconds",
    "Time from the arrival of a live event in Redis until the API has read it. Only for runs that "
    "a client follows.",
    buckets=_LAG_BUCKETS,
    registry=REGISTRY,
)
# Finding a child by its labels would take longer than counting.
_children: dict[tuple[str, str, int], Histogram] = {}


def count_response(scope: Scope, status: int, seconds: float) -> None:
    """Count a response by method, route and class of its status.

    The route is a template such as `/api/v1/runs/{run_id}`, so that clients cannot create metrics.
    """
    method = scope["method"] if scope["method"] in _METHODS else "other"
    key = (method, _name_route(scope), status // 100)
    child = _children.get(key)
    if child is None:
        method, route, status_class = key
        child = _RESPONSE_SECONDS.labels(method, route, f"{status_class}xx")
        _children[key] = child
    child.observe(seconds)


def _name_route(scope: Scope) -> str:
    is_api = scope["path"].startswith(API_PREFIX)
    return name_route(scope) or ("unknown" if is_api else "pages")
