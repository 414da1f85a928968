"""The router of a noun of the API."""

from functools import cached_property

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

API_PREFIX = "/api/v1"


def name_route(scope: Scope) -> str | None:
    """Return the template of a routed request, such as `/api/v1/runs/{run_id}`.

    None for the built interface, and for an address without a route.
    """
    route = scope.get("route")
    if not isinstance(route, APIRoute):
        return None
    return API_PREFIX + route.path if scope["path"].startswith(API_PREFIX) else route.path


class NounRouter(APIRouter):
    """Skips requests to other nouns before it compares their path with each route.

    FastAPI compares a path with the routes of all routers in turn, three times per request. With
    forty routers, this took more than half of the time of a conditional request.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether the router has a route for a request, and what the route adds to it."""
        if not scope["path"].removeprefix(API_PREFIX).startswith(self._beginnings):
            return Match.NONE, {}
        return super().matches(scope)

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        """Return the constant beginnings of the routes. All routes must exist by then."""
        found = {
            route.path.partition("{")[0] for route in self.routes if isinstance(route, APIRoute)
        }
        return tuple(
            text
            for text in found
            if not any(other != text and text.startswith(other) for other in found)
        )
