"""Limits of request bodies: their size, and the time until they have arrived."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.api.http.errors import problem

MAX_BODY_BYTES = 2 * 1024 * 1024
BODY_SECONDS = 30.0


class BodyLimit:
    """Answers 413 to a body above MAX_BODY_BYTES, and 408 to a body that arrives too slowly."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(BODY_SECONDS):
                messages = await _read(receive)
        except TimeoutError:
            await _refuse_late(scope, receive, send)
            return
        if messages is None:
            await _refuse_large(scope, receive, send)
            return

        async def replay() -> Message:
            return messages.pop(0) if messages else await receive()

        await self._app(scope, replay, send)


async def _read(receive: Receive) -> list[Message] | None:
    """Return the messages of the body, or None if the body is too large."""
    messages: list[Message] = []
    size = 0
    while True:
        message = await receive()
        messages.append(message)
        size += len(message.get("body", b""))
        if size > MAX_BODY_BYTES:
            return None
        if message["type"] != "http.request" or not message.get("more_body", False):
            return messages


async def _refuse_large(scope: Scope, receive: Receive, send: Send) -> None:
    detail = f"The body is larger than {MAX_BODY_BYTES:,} bytes; send less."
    await problem(413, "too_large", "Too large", detail, field="body")(scope, receive, send)


async def _refuse_late(scope: Scope, receive: Receive, send: Send) -> None:
    detail = f"The body did not arrive within {BODY_SECONDS:g} s. Send the request again."
    headers = {"Connection": "close"}
    await problem(408, "request_timeout", "Request timeout", detail, headers)(scope, receive, send)
