"""HTTP connections with limits: uvicorn itself bounds only the pause between two requests."""

import json
from asyncio import AbstractEventLoop, TimerHandle, Transport
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from backend.api.http.edge_policies import NO_STORE
from backend.api.http.problems import STATUSES, HeadersTooLarge
from backend.core.errors import TachoError, Unavailable

# Limit from the first byte of a request, or from the connection, to the end of the headers.
HEADER_SECONDS = 10.0
# Limit without progress of a response, when the client does not read it.
STALL_SECONDS = 30.0
MOST_CONNECTIONS = 2000
# Of everything in a request that is not its body: request line, headers, chunk sizes, trailers.
MOST_HEADER_BYTES = 32 * 1024
# A program compares the name of each header with many names. Browsers and proxies send about 30.
MOST_HEADERS = 100
# Requests that a connection sends before the first of them is answered. Browsers send one.
MOST_PIPELINED = 16
# Of the rest of a body whose request was already answered, so that the client reads the answer.
MOST_DISCARDED_BYTES = 128 * 1024
# The parser gets no more of headers at a time, so that it never reads far beyond a limit.
_PIECE_BYTES = 8 * 1024


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


class _TooManyHeaders(Exception):
    """Ends the parsing of a request."""


class BoundedProtocol(HttpToolsProtocol):
    """Closes connections that send too large or too slow headers, or read no response in time.

    BodyLimit bounds the size and the time of a request's body, and uvicorn's `timeout_keep_alive`
    the pause between two requests.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._header_timer = _Timer(self.loop)
        self._stall_timer = _Timer(self.loop)
        # Of the headers, or of the chunk sizes and trailers, that arrive now.
        self._header_bytes = 0
        self._is_in_body = False
        self._discarded_bytes = 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.write(_full())
            transport.close()
            return
        self._expect_headers()

    def data_received(self, data: bytes) -> None:
        begin = 0
        while begin < len(data) and not self.transport.is_closing():
            if self._is_idle and not self._header_timer.is_set:
                self._expect_headers()
            room = MOST_HEADER_BYTES - self._header_bytes
            end = begin + (room if self._is_in_body else min(_PIECE_BYTES, room))
            self._parse(data[begin:end])
            begin = end

    @property
    def _is_idle(self) -> bool:
        # uvicorn declares its `cycle` without the None that it begins with.
        return self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]

    def _parse(self, piece: bytes) -> None:
        self._header_bytes += len(piece)
        super().data_received(piece)
        if self._header_bytes >= MOST_HEADER_BYTES:
            # The headers, or the trailers, are not complete yet.
            self._refuse_headers()
        elif (
            len(self.pipeline) > MOST_PIPELINED or self._discarded_bytes > MOST_DISCARDED_BYTES
        ) and not self.transport.is_closing():
            self.transport.abort()

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) == MOST_HEADERS:
            # uvicorn ends the parsing with `send_400_response`.
            self._header_bytes = MOST_HEADER_BYTES
            raise _TooManyHeaders
        super().on_header(name, value)

    def send_400_response(self, msg: str) -> None:
        if self._header_bytes >= MOST_HEADER_BYTES:
            self._refuse_headers()
        else:
            super().send_400_response(msg)

    def on_headers_complete(self) -> None:
        self._header_timer.cancel()
        # The rest of the piece is not counted. Chunk sizes and trailers have the same limit again.
        self._header_bytes = 0
        self._is_in_body = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._header_bytes -= len(body)
        if self.cycle.response_complete:
            self._discarded_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._header_bytes = 0
        self._is_in_body = False
        self._discarded_bytes = 0
        super().on_message_complete()

    def _refuse_headers(self) -> None:
        """Answer 431 and close the connection, unless a response is under way on it."""
        if self.transport.is_closing():
            return
        if self._is_idle or not self.cycle.response_started:
            self.transport.write(
                _answer(
                    HeadersTooLarge,
                    f"The headers of a request have at most {MOST_HEADERS} lines and "
                    f"{MOST_HEADER_BYTES:,} bytes, including the address. Send fewer headers, or "
                    "a shorter address.",
                )
            )
        self.transport.close()

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
    detail = "The API has too many connections. Try again in a moment."
    return _answer(Unavailable, detail, retry_seconds=2)


def _answer(error: type[TachoError], detail: str, *, retry_seconds: int | None = None) -> bytes:
    """Return a complete response with a problem document, after which the connection closes."""
    status = STATUSES[error]
    body = json.dumps(
        {
            "type": "about:blank",
            "title": error.title,
            "status": status,
            "code": error.code,
            "detail": detail,
            "instance": uuid4().urn,
        }
    )
    retry = "" if retry_seconds is None else f"Retry-After: {retry_seconds}\r\n"
    # This response does not pass the edge, so it needs the headers of every response here.
    return (
        f"HTTP/1.1 {status} {status.phrase}\r\nContent-Type: application/problem+json\r\n"
        f"Cache-Control: {NO_STORE}\r\nX-Content-Type-Options: nosniff\r\n"
        f"Content-Length: {len(body)}\r\n{retry}Connection: close\r\n\r\n{body}"
    ).encode()
