"""`.http` files: the requests of a load, in the format of HTTP clients in editors.

The format is what REST Client for VS Code and the HTTP client of JetBrains have in common, with
the marks `# @weight` and `# @status` in addition. Every fault names the file, the line and the fix.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from pathlib import Path
from string import ascii_lowercase

from backend.core.catalog.own.http_drafts import RequestDraft, read_drafts, read_mark
from backend.core.catalog.own.http_request import FileFolder, FileRequest, read_request
from backend.core.catalog.own.http_values import (
    CapturedValue,
    Draw,
    KnownNames,
    SourceLine,
    Text,
    find_response,
)
from backend.core.documents import JsonObject

# The load generator replaces the first in texts of requests that draw values, and the second in all
# texts. See worker/loadgen/k6/internal/template/template.go.
_PLACEHOLDER = re.compile(r"\{[a-zA-Z]+(?::[0-9]{1,2}(?::escaped)?)?\}")
_FIXED_PLACEHOLDER = re.compile(
    r"\{(?:nonce|integer|stamp|signature)(?::[0-9]{1,2}(?::escaped)?)?\}"
)


@dataclass(frozen=True)
class HttpFile:
    """A `.http` file. `name` is its path in the repository."""

    name: str
    requests: tuple[FileRequest, ...]

    @property
    def first_path(self) -> str | None:
        """Return the path of the first GET request of the load that is always the same."""
        paths = (
            request.path
            for request in self.requests
            if request.is_in_load and request.method == "GET" and not request.values
        )
        return next(paths, None)


def parse_http_file(path: Path, root: Path) -> HttpFile:
    """Read and validate a `.http` file.

    Args:
        path: of the file.
        root: folder of the repository, which contains the file and all that it includes.

    Raises:
        ManifestInvalid: with file, line and fix.
    """
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    first = SourceLine(name, 1, "")
    content = FileFolder(root, root).read(name, first).removeprefix("\ufeff")
    drafts = read_drafts(content, name)
    if not drafts:
        raise first.fault("the file has no request", "Write one, such as: GET /path")
    scripted, named = _index_scripts(drafts), _index_names(drafts)
    folder = FileFolder(path.parent, root)
    requests = [
        read_request(draft, KnownNames(draft.variables, scripted, named), folder)
        for draft in drafts
    ]
    captures = _collect_captures(drafts, requests, scripted, named)
    requests = [
        replace(request, captures=tuple(captured.values()))
        for request, captured in zip(requests, captures, strict=True)
    ]
    _check_order(requests, name)
    if not any(request.is_in_load for request in requests):
        raise first.fault(
            "no request is left for the load, because each one is captured and sent before it",
            "Write # @weight 1 above a request that the load sends as well",
        )
    return HttpFile(name, tuple(requests))


def _index_scripts(drafts: Sequence[RequestDraft]) -> dict[str, int]:
    """Return the positions of the requests whose scripts set a variable, by variable."""
    positions: dict[str, int] = {}
    for position, draft in enumerate(drafts):
        for variable, (line, _) in draft.captures.items():
            if variable in positions or variable in drafts[-1].variables:
                raise line.fault(
                    f"the variable {variable} is defined twice", "Use another name for one of them"
                )
            positions[variable] = position
    return positions


def _index_names(drafts: Sequence[RequestDraft]) -> dict[str, int]:
    """Return the positions of requests by their names. Names in marks precede titles."""
    positions: dict[str, int] = {}
    for position, draft in enumerate(drafts):
        line = draft.marks.get("name")
        if line is None:
            continue
        name = read_mark(line)
        if name in positions:
            raise line.fault(f"two requests have the name {name}", "Rename one of them")
        positions[name] = position
    for position, draft in enumerate(drafts):
        if "name" not in draft.marks and draft.title:
            positions.setdefault(draft.title, position)
    return positions


def _collect_captures(
    drafts: Sequence[RequestDraft],
    requests: Sequence[FileRequest],
    scripted: Mapping[str, int],
    named: Mapping[str, int],
) -> list[dict[str, CapturedValue]]:
    """Return what is captured from the response of each request, by reference."""
    captures = [
        {variable: captured for variable, (_, captured) in draft.captures.items()}
        for draft in drafts
    ]
    for request in requests:
        for value in request.values:
            response = None if value.reference in scripted else find_response(value.reference)
            if response is not None:
                captures[named[response[0]]][value.reference] = response[1]
    return captures


def _check_order(requests: Sequence[FileRequest], name: str) -> None:
    """Raise ManifestInvalid if a request before the load needs a value that is captured later."""
    known: set[str] = set()
    for request in requests:
        for value in request.values:
            if request.captures and value.draw is None and value.reference not in known:
                raise SourceLine(name, request.line, "").fault(
                    f"{{{{{value.reference}}}}} is not known yet when this request is sent once "
                    "before the load",
                    "Move it below the request that gets the value in its response",
                )
        known.update(captured.reference for captured in request.captures)


def render_module(file: HttpFile) -> str:
    """Return the JavaScript module requests.js, which services/scenarios/lib/http_file.js reads."""
    before = [request for request in file.requests if request.captures]
    load = [request for request in file.requests if request.is_in_load]
    document = {
        "name": file.name,
        "before": [_render_request(request) for request in before],
        "load": [_render_request(request) for request in load],
    }
    return f"export const file = {json.dumps(document, indent=2)};\n"


def _render_request(request: FileRequest) -> JsonObject:
    templates = _Templates(request)
    return {
        "line": request.line,
        "name": request.name,
        "shown": f"{request.method} {request.path}",
        "method": request.method,
        "path": templates.render(request.target),
        "headers": {name: templates.render(text) for name, text in request.headers},
        "body": None if request.body is None else templates.render(request.body),
        "drawn": {name: list(draw) for name, draw in templates.drawn.items()},
        "captured": templates.captured,
        "captures": {
            captured.reference: {"part": captured.part, "path": list(captured.path)}
            for captured in request.captures
        },
        "status": list(request.statuses),
        "weight": request.weight or 1,
    }


class _Templates:
    """Renders the texts of a request as templates of the load generator.

    In a request that draws values, each literal that looks like a placeholder becomes a value
    that is always the same. Otherwise only the names that the load generator defines do.

    Attributes:
        drawn: how the values of placeholders are drawn.
        captured: the references of captured values by their placeholders.
    """

    def __init__(self, request: FileRequest) -> None:
        self.drawn: dict[str, Draw] = {}
        self.captured: dict[str, str] = {}
        self._constants: dict[str, str] = {}
        literals = [part for text in request.texts for part in text if isinstance(part, str)]
        self._is_drawing = any(value.draw for value in request.values) or any(
            _FIXED_PLACEHOLDER.search(literal) for literal in literals
        )
        self._names = _make_names(" ".join(literals))

    def render(self, text: Text) -> str:
        """Return a text as a template."""
        rendered = []
        for part in text:
            if isinstance(part, str):
                rendered.append(self._render_literal(part))
                continue
            name = next(self._names)
            if part.draw is None:
                self.captured[name] = part.reference
            else:
                self.drawn[name] = part.draw
            rendered.append(f"{{{name}}}")
        return "".join(rendered)

    def _render_literal(self, literal: str) -> str:
        if not self._is_drawing:
            return literal
        return _PLACEHOLDER.sub(lambda found: self._hold(found[0]), literal)

    def _hold(self, literal: str) -> str:
        if literal not in self._constants:
            name = next(self._names)
            self.drawn[name] = ("text", literal)
            self._constants[literal] = f"{{{name}}}"
        return self._constants[literal]


def _make_names(literals: str) -> Iterator[str]:
    """Yield names of placeholders that the literals do not contain: vaa, vab, and so on."""
    taken = set(re.findall(r"\{([a-zA-Z]+)", literals))
    for length in count(2):
        for letters in product(ascii_lowercase, repeat=length):
            name = "v" + "".join(letters)
            if name not in taken:
                yield name
