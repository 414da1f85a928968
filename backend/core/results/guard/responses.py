"""Compare the responses of two versions of a service to the same requests; pure."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backend.core.control_characters import escape_control_characters
from backend.core.results.guard.document import MOST_DIFFERENCES, Equality, ResponseDifference

_SHOWN_CHARACTERS = 120
_MISSING = object()


@dataclass(frozen=True)
class Response:
    """A response to a request of a load.

    Attributes:
        request: the request as a person knows it: method, path and line of its file.
        headers: by lower-case name.
        body: as text; only its beginning if it is long.
        digest: SHA-256 (hex) of the whole body.
    """

    request: str
    status: int
    headers: dict[str, str]
    body: str
    digest: str


def compare_responses(
    base: Sequence[Response],
    head: Sequence[Response],
    headers: Sequence[str],
    ignore: Sequence[str],
) -> Equality:
    """Compare the responses of two versions to the same requests in the same order.

    A slow version has sent fewer requests in its time. Those that both have answered are compared.
    Bodies that are JSON are compared by their values, others byte by byte.

    Args:
        headers: names of the headers that must be equal.
        ignore: what may differ: names of headers, and paths in JSON such as `$.items[*].id`.
    """
    ignored_paths = [_compile_path(path) for path in ignore if path.startswith("$")]
    ignored_headers = {name.lower() for name in ignore}
    compared_headers = [name.lower() for name in headers if name.lower() not in ignored_headers]
    equal, differences = 0, list[ResponseDifference]()
    for first, second in zip(base, head, strict=False):
        found = next(_find_differences(first, second, compared_headers, ignored_paths), None)
        if found is None:
            equal += 1
        elif len(differences) < MOST_DIFFERENCES and not any(
            (known.request, known.place) == (found.request, found.place) for known in differences
        ):
            differences.append(found)
    return Equality(compared=min(len(base), len(head)), equal=equal, differences=tuple(differences))


def mark_varying(found: Equality, of_base: Equality) -> Equality:
    """Return the differences, marked where two answers of the base differ as well."""
    places = {(item.request, item.place) for item in of_base.differences}
    marked = tuple(
        item.model_copy(update={"varies": (item.request, item.place) in places})
        for item in found.differences
    )
    return found.model_copy(update={"differences": marked})


def _find_differences(
    base: Response, head: Response, headers: Sequence[str], ignored: Sequence[re.Pattern[str]]
) -> Iterator[ResponseDifference]:
    def differ(place: str, first: object, second: object) -> ResponseDifference:
        return ResponseDifference(
            request=_cut(base.request), place=_cut(place), base=_show(first), head=_show(second)
        )

    if base.status != head.status:
        yield differ("the status", base.status, head.status)
    for name in headers:
        first, second = base.headers.get(name, _MISSING), head.headers.get(name, _MISSING)
        if first != second:
            yield differ(f"the header {name}", first, second)
    if base.digest == head.digest:
        return
    trees = _parse(base.body), _parse(head.body)
    if _MISSING in trees:
        yield differ("the body", base.body, head.body)
        return
    for path, first, second in _walk(trees[0], trees[1], "$"):
        if not any(pattern.fullmatch(path) for pattern in ignored):
            yield differ(path, first, second)


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return _MISSING


def _walk(base: object, head: object, path: str) -> Iterator[tuple[str, object, object]]:
    """Yield path and values of each difference between two JSON values."""
    if isinstance(base, dict) and isinstance(head, dict):
        for key in dict.fromkeys([*base, *head]):
            yield from _walk(base.get(key, _MISSING), head.get(key, _MISSING), f"{path}.{key}")
    elif isinstance(base, list) and isinstance(head, list) and len(base) == len(head):
        for at, (first, second) in enumerate(zip(base, head, strict=True)):
            yield from _walk(first, second, f"{path}[{at}]")
    elif type(base) is not type(head) or base != head:
        yield path, base, head


def _compile_path(path: str) -> re.Pattern[str]:
    """Return a pattern for a path and everything below it; `[*]` stands for any position."""
    escaped = re.escape(path).replace(r"\[\*\]", r"\[\d+\]").replace(r"\.\*", r"\.[^.\[]+")
    return re.compile(rf"{escaped}(?:[.\[].*)?", re.DOTALL)


def _show(value: object) -> str:
    if value is _MISSING:
        return "absent"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    shown = _cut(text)
    return f'"{shown}"' if isinstance(value, str) else shown


def _cut(text: str) -> str:
    """Return the beginning of a text in one line, without control characters."""
    shown = escape_control_characters(text[: _SHOWN_CHARACTERS + 1])
    return shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[:_SHOWN_CHARACTERS]}…"
