"""Measure the duration of each response, to find the cause of a slow page."""

from time import perf_counter

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class ServerTiming:
    """Middleware: `Server-Timing: total;dur=12.34`, the milliseconds from a request's arrival until
    its answer was ready to be sent (https://www.w3.org/TR/server-timing/); of a stream, its first
    part. Browsers show it next to the time of the network.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = perf_counter()

        async def send_timed(message: Message) -> None:
            if message["type"] == "http.response.start":
                spent_ms = (perf_counter() - begun) * 1e3
                MutableHeaders(scope=message).append("Server-Timing", f"total;dur={spent_ms:.2f}")
            await send(message)

        await self._app(scope, receive, send_timed)
