"""Headers of every response: the id of its request, and the time that it took."""

from collections.abc import Mapping
from time import perf_counter

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.api.process.monitoring import count_response
from backend.core.db import new_id
from backend.core.log_context import set_log_fields


class ServerTiming:
    """Middleware: `Server-Timing: total;dur=12.34`, the milliseconds from a request's arrival until
    its answer was ready to be sent (https://www.w3.org/TR/server-timing/); of a stream, its first
    part. Browsers show it next to the time of the network. Prometheus gets the same times.
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
                seconds = perf_counter() - begun
                MutableHeaders(scope=message).append(
                    "Server-Timing", f"total;dur={seconds * 1e3:.2f}"
                )
                count_response(scope, message["status"], seconds)
            await send(message)

        await self._app(scope, receive, send_timed)


HEADER = "X-Request-ID"
# Parameters of paths that log lines have as fields.
_IDS = ("run_id", "trial_id")


class RequestIds:
    """Middleware: the header `X-Request-ID` of each response, and the fields of log lines."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = str(new_id())

        def read_fields() -> Mapping[str, str]:
            parameters = scope.get("path_params", {})
            found = {name: str(parameters[name]) for name in _IDS if name in parameters}
            return {"request_id": request_id, **found}

        # Not reset, because a request is one task.
        set_log_fields(read_fields)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append(HEADER, request_id)
            await send(message)

        await self._app(scope, receive, send_with_id)
