"""HTTP connections with deadlines: uvicorn itself bounds only the pause between two requests."""

import json
from asyncio import AbstractEventLoop, TimerHandle, Transport
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# Limit from the first byte of a request, or from the connection, to the end of the headers.
HEADER_SECONDS = 10.0
# Limit without progress of a response, when the client does not read it.
STALL_SECONDS = 30.0
MOST_CONNECTIONS = 2000


class _Timer:
    """An action that happens later unless it is cancelled."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: TimerHandle | None = None

    @property
    def is_set(self) -> bool:
        return self._handle is not None

    def set(self, seconds: float, action: Callable[[], None]) -> None:
        self.cancel()
        self._handle = self._loop.call_later(seconds, action)

    def cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class BoundedProtocol(HttpToolsProtocol):
    """Closes connections that send no complete headers, or read no response, in time.

    BodyLimit bounds the time of a request's body, and uvicorn's `timeout_keep_alive` the pause
    between two requests.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._header_timer = _Timer(self.loop)
        self._stall_timer = _Timer(self.loop)

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.write(_full())
            transport.close()
            return
        self._expect_headers()

    def data_received(self, data: bytes) -> None:
        # uvicorn declares its `cycle` without the None that it begins with.
        is_idle = self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]
        if is_idle and not self._header_timer.is_set:
            self._expect_headers()
        super().data_received(data)

    def on_headers_complete(self) -> None:
        self._header_timer.cancel()
        super().on_headers_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall_timer.set(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stall_timer.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        self._header_timer.cancel()
        self._stall_timer.cancel()
        super().connection_lost(exc)

    def _expect_headers(self) -> None:
        self._header_timer.set(HEADER_SECONDS, self.transport.close)


def _full() -> bytes:
    """Return a complete response for a connection above the limit."""
    status = HTTPStatus.SERVICE_UNAVAILABLE
    body = json.dumps(
        {
            "type": "about:blank",
            "title": "Unavailable",
            "status": status,
            "code": "unavailable",
            "detail": "The API has too many connections. Try again in a moment.",
        }
    )
    return (
        f"HTTP/1.1 {status} {status.phrase}\r\nContent-Type: application/problem+json\r\n"
        f"Content-Length: {len(body)}\r\nRetry-After: 2\r\nConnection: close\r\n\r\n{body}"
    ).encode()
