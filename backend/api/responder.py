"""Answer GET requests with what a function computes for the viewer who asks.

A route names the function and its arguments:

    return await responder.respond(show_incident, incident_id)

The function gets a session, the viewer and the arguments, and nothing else of the request.
"""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session
from starlette.types import Receive, Scope, Send
from typing_extensions import TypeVarTuple

from backend.api.deps import ResourcesDep, ViewerDep
from backend.api.http.negotiation import accepted_codings, has_etag
from backend.api.process.computations import Computation, Content
from backend.api.process.gates import Gate, Pace
from backend.api.process.resources import AppResources
from backend.core.documents import JsonObject
from backend.core.people.access.viewer import Viewer

IfNoneMatch = Annotated[
    str | None,
    Header(description="ETags of earlier responses. The answer is 304 if nothing changed."),
]
JSON = "application/json"
HTML = "text/html"

NOT_MODIFIED: dict[int | str, JsonObject] = {
    304: {"description": "Nothing has changed since the response with this ETag."}
}
_VARY = "Accept-Encoding, Authorization, Cookie, Tacho-Workspace"
# Smaller answers are sent at once.
_LARGE_BYTES = 64_000

Arguments = TypeVarTuple("Arguments")
Compute = Callable[[Session, Viewer, *Arguments], BaseModel | bytes]


class Responder:
    """Answers one GET request.

    Args:
        viewer: the caller, for whom the response is computed.
        if_none_match: the header with the ETags of responses that the caller has.
        accepts_gzip: whether the caller accepts compressed bodies.
    """

    def __init__(
        self,
        resources: AppResources,
        viewer: Viewer,
        if_none_match: str | None,
        *,
        accepts_gzip: bool,
    ) -> None:
        self._resources = resources
        self._viewer = viewer
        self._if_none_match = if_none_match
        self._accepts_gzip = accepts_gzip

    async def respond(self, compute: Compute[*Arguments], *arguments: *Arguments) -> Response:
        """Return a page that takes milliseconds to compute.

        Args:
            compute: returns the page, or raises an error that replaces it.
        """
        computation = Computation(
            compute, self._viewer, arguments, is_compressed=self._accepts_gzip
        )
        return self._send(await self._resources.computations.get(computation), JSON)

    async def respond_in_turn(
        self,
        compute: Compute[*Arguments],
        *arguments: *Arguments,
        media_type: str = JSON,
        gate: Gate | None = None,
    ) -> Response:
        """Return a page that takes tens of milliseconds or more to compute.

        Callers with equal rights that wait for the same page share one computation.

        Args:
            compute: returns the page, or raises an error that replaces it.
            arguments: hashable values.
            gate: the turns of requests that compute. Default: those of large requests.
        """
        computation = Computation(
            compute,
            self._viewer,
            arguments,
            gate or self._resources.reading,
            is_compressed=self._accepts_gzip,
        )
        return self._send(await self._resources.computations.get(computation), media_type)

    def _send(self, content: Content, media_type: str) -> Response:
        etag = f'"{content.digest}"'
        # Weak: the compressed and the plain form of a body have the same tag.
        headers = {"Vary": _VARY, "ETag": f"W/{etag}"}
        if has_etag(self._if_none_match, etag):
            return Response(status_code=304, headers=headers)
        if content.is_compressed:
            headers["Content-Encoding"] = "gzip"
        return PacedResponse(
            self._resources.delivering, content.body, media_type=media_type, headers=headers
        )


class PacedResponse(Response):
    """A large answer that may go to many clients at once. Answers start at least 2 ms apart, so
    that small answers are sent between them.
    """

    def __init__(self, pace: Pace, content: bytes, **settings: Any) -> None:
        super().__init__(content, **settings)
        self._pace = pace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(self.body) > _LARGE_BYTES:
            await self._pace.wait()
        await super().__call__(scope, receive, send)


async def get_responder(
    request: Request,
    resources: ResourcesDep,
    viewer: ViewerDep,
    if_none_match: IfNoneMatch = None,
) -> Responder:
    """Return what answers this request for its sender."""
    accepted = accepted_codings(request.headers.get("accept-encoding", ""))
    return Responder(resources, viewer, if_none_match, accepts_gzip="gzip" in accepted)


ResponderDep = Annotated[Responder, Depends(get_responder)]
