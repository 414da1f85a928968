"""The built user interface: static files, compressed where the build has compressed them."""

import mimetypes
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Match, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from backend.api.http.negotiation import accepted_codings

API_DOCS = "/api/docs"
# Best first: content coding to the suffix of the twin that frontend/compress.ts writes.
_TWINS = {"br": ".br", "gzip": ".gz"}


class Interface(Mount):
    """All paths except those of the API, which refuses its unknown paths and methods itself."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_api = f"{scope['path']}/".startswith("/api/")
        return (Match.NONE, {}) if is_api else super().matches(scope)


class SinglePage(StaticFiles):
    """Static files. Unknown paths return the single page, which has its own router."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path.startswith("assets/"):
            return await self._get_asset(path, scope)
        return await self._get_page(path, scope)

    async def _get_asset(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        taken = accepted_codings(Headers(scope=scope).get("accept-encoding", ""))
        for coding, suffix in _TWINS.items():
            if coding in taken and self.lookup_path(path + suffix)[1]:
                response = await super().get_response(path + suffix, scope)
                if response.status_code == 200:
                    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
                    response.headers["Content-Type"] = kind
                    response.headers["Content-Encoding"] = coding
                break
        response.headers["Vary"] = "Accept-Encoding"
        return response

    async def _get_page(self, path: str, scope: Scope) -> Response:
        # A browser that opens a page accepts HTML, also if the path ends with a dot and a word:
        # /hosts/a.b.c
        navigates = "text/html" in Headers(scope=scope).get("accept", "")
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or (Path(path).suffix and not navigates):
                raise
            return await super().get_response("index.html", scope)


def api_docs(dist: Path) -> Route:
    """Return the route of the page that shows the OpenAPI document (frontend/api-docs.html)."""

    async def show_docs(_: Request) -> Response:
        return FileResponse(dist / "api-docs.html")

    return Route(API_DOCS, show_docs)
