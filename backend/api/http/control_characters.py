"""Refuse addresses with control characters such as NUL. No resource has such a name."""

from itertools import islice
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Receive, Scope, Send

from backend.api.http.errors import problem
from backend.core.validation import MOST_FAULTS, NO_CONTROL_CHARACTERS, explain_fault

_DETAIL = explain_fault({"type": "", "ctx": {"pattern": NO_CONTROL_CHARACTERS}})


class RefuseControlCharacters:
    """Answer 422 to a path or a query that has control characters.

    PostgreSQL, the file system and header values do not accept control characters. Each would fail
    with a different error.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            parts = [("path", scope["path"]), *((name, name + value) for name, value in query)]
            faults = (
                {"field": name, "detail": _DETAIL}
                for name, text in parts
                if _has_control_characters(text)
            )
            problems = list(islice(faults, MOST_FAULTS))
            if problems:
                detail = f"{problems[0]['field']}: {_DETAIL}"
                answer = problem(
                    422, "invalid_request", "Invalid request", detail, problems=problems
                )
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _has_control_characters(text: str) -> bool:
    return any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in text)
