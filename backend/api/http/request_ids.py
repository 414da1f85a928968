"""Give each request an id, which its response, its problem document and its log lines have."""

from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.core.db import new_id
from backend.core.log_context import set_log_fields

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
