"""A bound on request bodies, kept before they are read whole."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.api.errors import problem

MAX_BODY_BYTES = 2 * 1024 * 1024


class BodyLimit:
    """Answers 413 to a body above MAX_BODY_BYTES, declared or streamed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        messages: list[Message] = []
        size = 0
        while True:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            if size > MAX_BODY_BYTES:
                await self._refuse(scope, receive, send)
                return
            if message["type"] != "http.request" or not message.get("more_body", False):
                break

        async def replay() -> Message:
            return messages.pop(0) if messages else await receive()

        await self._app(scope, replay, send)

    @staticmethod
    async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
        detail = f"The body is larger than {MAX_BODY_BYTES:,} bytes; send less."
        await problem(413, "too_large", "Too large", detail, field="body")(scope, receive, send)
