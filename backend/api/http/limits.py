"""Limits of request bodies: their size, and the time until they have arrived.

Each route has a limit of its own, which `backend.api.deps.needs` declares next to the permission.
Bodies are parsed and validated on the event loop, because these limits bound the time: the worst
bodies of `test_body_limits.py` took 2 ms with 16 KB, 6 ms with 64 KB and 21 ms with 256 KB. One
body outside of that test, 256 KB of empty lists, took 159 ms.
"""

import asyncio
from typing import cast

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.api.http.problems import RequestTimeout
from backend.core.errors import TooLarge

# Of routes that anonymous visitors may call.
ANONYMOUS_BYTES = 16 * 1024
SIGNED_IN_BYTES = 64 * 1024
# A run has up to 1,000 cells.
RUN_BYTES = 256 * 1024
BODY_SECONDS = 30.0
# Larger bodies get more time, for clients with 2 Mbit/s.
_SLOWEST_BYTES_PER_SECOND = 256 * 1024
# The name of a route's limit in its description in OpenAPI.
BODY_LIMIT = "x-max-body-bytes"


class BodyLimit:
    """Middleware: refuse bodies that are above the limit of their route, or arrive too slowly.

    It counts while the route reads the body, so a route that needs no body never waits for it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(scope, receive, send)
        await self._app(scope, body.receive, body.send)


class _Body:
    """The body of one request, and whether its response has begun."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._bytes = 0
        self._deadline: float | None = None
        self._is_complete = False
        self._is_answered = False

    async def receive(self) -> Message:
        """Return the next message.

        Raises:
            TooLarge: the body is above the limit, or declares to be.
            RequestTimeout: it did not arrive in time.
        """
        if self._is_complete:
            return await self._receive()
        if self._deadline is None:
            seconds = max(BODY_SECONDS, self._limit / _SLOWEST_BYTES_PER_SECOND)
            self._deadline = asyncio.get_running_loop().time() + seconds
            self._bytes = int(Headers(scope=self._scope).get("content-length", 0))
            if self._bytes > self._limit:
                return self._refuse()
            self._bytes = 0
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise RequestTimeout(
                "The body did not arrive within the time that its route allows. Send the request "
                "again."
            ) from None
        self._bytes += len(message.get("body", b""))
        self._is_complete = not message.get("more_body", False)
        return self._refuse() if self._bytes > self._limit else message

    async def send(self, message: Message) -> None:
        """Send a message, and record that the response has begun."""
        self._is_answered = True
        await self._send(message)

    @property
    def _limit(self) -> int:
        """Return the most bytes of a body that the route of the request takes."""
        extra = getattr(self._scope.get("route"), "openapi_extra", None) or {}
        return cast("int", extra.get(BODY_LIMIT, ANONYMOUS_BYTES))

    def _refuse(self) -> Message:
        self._is_complete = True
        if self._is_answered:
            # An event stream reads only to notice that its client has gone.
            return {"type": "http.disconnect"}
        raise TooLarge(f"The body is larger than {self._limit:,} bytes; send less.", field="body")
