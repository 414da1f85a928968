"""The edge of the API: what every response has, and what no request may have."""

from collections.abc import Iterable, Sequence

from starlette.requests import HTTPConnection
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.api.http.edge_policies import NO_STORE, EdgePolicy, find_policy
from backend.api.http.query import QueryRules

_HeaderList = list[tuple[bytes, bytes]]

# Statuses whose responses have content, or refer to content that the client has.
_WITH_CONTENT = frozenset({200, 206, 304})
_READING = frozenset({"GET", "HEAD"})
# Only the edge sets these.
_OWN = frozenset({b"cache-control", b"content-security-policy"})
_ALWAYS: _HeaderList = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
]
_NOTHING_LOADS = "default-src 'none'; frame-ancestors 'none'"
# Pages load only files of this installation.
_PAGE_LOADS = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; "
)
# Keys in the state of a request.
_SCRIPTS = "edge_scripts"
_IS_PUBLIC = "edge_is_public"


def allow_scripts(request: HTTPConnection, digests: Sequence[str]) -> None:
    """Allow the scripts inside the page that answers a request.

    Args:
        digests: of the scripts, such as `sha256-…`.
    """
    setattr(request.state, _SCRIPTS, digests)


def mark_as_public(request: HTTPConnection) -> None:
    """State that an anonymous visitor would get the same response to a request."""
    setattr(request.state, _IS_PUBLIC, True)


class Edge:
    """Middleware: caching, content policy and framing of each response as POLICIES states them.

    It answers 422 to addresses with control characters, unknown parameters or repeated values, and
    is the only code that sets these headers.
    """

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute]) -> None:
        self._app = app
        self._query_rules = QueryRules(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _complete(message["headers"], scope, message["status"])
            await send(message)

        answer = self._query_rules.refuse(scope) or self._app
        await answer(scope, receive, send_with_headers)


def _complete(headers: Iterable[tuple[bytes, bytes]], scope: Scope, status: int) -> _HeaderList:
    policy, state = find_policy(scope), scope.get("state", {})
    is_content = scope["method"] in _READING and status in _WITH_CONTENT
    is_open = not policy.is_for_public_things or state.get(_IS_PUBLIC, False)
    caching = policy.caching if is_content and is_open else NO_STORE
    content_policy = _write_content_policy(policy, state.get(_SCRIPTS, ()))
    return [
        *(header for header in headers if header[0].lower() not in _OWN),
        (b"cache-control", caching.encode()),
        (b"content-security-policy", content_policy.encode()),
        *_ALWAYS,
    ]


def _write_content_policy(policy: EdgePolicy, scripts: Sequence[str]) -> str:
    if not policy.is_page:
        return _NOTHING_LOADS
    digests = "".join(f" '{digest}'" for digest in scripts)
    allowed = f"script-src 'self'{digests}; " if scripts else ""
    ancestors = "*" if policy.may_be_framed else "'none'"
    return f"{_PAGE_LOADS}{allowed}frame-ancestors {ancestors}"
