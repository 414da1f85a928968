"""A request of a `.http` file: its URL, headers and body.

Tacho sends requests only to the service under test, so only path and query of a URL count.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote

from backend.core.catalog.own.http_drafts import RequestDraft, read_mark
from backend.core.catalog.own.http_values import (
    MOST_CHARACTERS,
    REFERENCE,
    CapturedValue,
    KnownNames,
    SourceLine,
    Text,
    TextValue,
    expand,
    is_captured,
    is_drawn,
    join_texts,
    read_text,
    show_text,
)
from backend.core.errors import ManifestInvalid

_DEFAULT_STATUSES = (200, 399)
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_METHODS_WITH_BODY = ("POST", "PUT", "PATCH")
_REFUSED_HEADERS: Mapping[str, str] = {
    "user-agent": "Remove it; Tacho sends its own",
    "transfer-encoding": "Remove it; Tacho sends the length of the body",
    "expect": "Remove it; Tacho sends the body at once",
    "x-request-type": 'Remove it, and write the GraphQL query as JSON: {"query": "…"}',
}
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))

_METHOD = re.compile(r"([A-Za-z]+)\s+(\S.*)")
_VERSION = re.compile(r"HTTP/[\d.]+", re.IGNORECASE)
_ORIGIN = re.compile(r"(?:https?://)?((?:\{\{[^{}\n]+\}\}|[^/?#{}\s])*)", re.IGNORECASE)
_LOCAL = re.compile(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])?(?::\d*)?", re.IGNORECASE)
_HEADER = re.compile(r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:(.*)")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_BASIC = re.compile(r"Basic\s+([^\s:]+)(?:\s+|:)(\S+)", re.IGNORECASE)
_INCLUDE = re.compile(r"<(@\w*)?\s+(\S.*)")
_STATUSES = re.compile(r"([1-5]\d\d)(?:\s*-\s*([1-5]\d\d))?")
_WEIGHT = re.compile(r"[1-9]\d{0,5}")


@dataclass(frozen=True)
class FileRequest:
    """A request of a `.http` file.

    Attributes:
        line: number of the request line, from 1.
        target: path and query. It may also begin with a captured value.
        headers: without those that Tacho sends itself.
        body: None if the request is sent without one.
        weight: share of the load in relation to other requests; None if the file has none.
        statuses: the lowest and the highest expected status.
        captures: what is captured from the response before the load.
    """

    line: int
    name: str
    method: str
    target: Text
    headers: tuple[tuple[str, Text], ...]
    body: Text | None
    weight: int | None
    statuses: tuple[int, int]
    captures: tuple[CapturedValue, ...] = ()

    @property
    def path(self) -> str:
        """Return path and query, with the references of values."""
        return show_text(self.target)

    @property
    def is_in_load(self) -> bool:
        """Return whether the load sends it. A request with captures needs a weight for that."""
        return self.weight is not None or not self.captures

    @property
    def texts(self) -> tuple[Text, ...]:
        """Return the texts that may contain values."""
        return (self.target, *(text for _, text in self.headers), self.body or ())

    @property
    def values(self) -> tuple[TextValue, ...]:
        """Return the values in the texts."""
        return tuple(part for text in self.texts for part in text if isinstance(part, TextValue))


@dataclass(frozen=True)
class FileFolder:
    """The folder of a `.http` file, and that of the repository, which it must not leave."""

    path: Path
    root: Path

    def read(self, name: str, line: SourceLine) -> str:
        """Return the text of a file of at most 1 MiB; raise ManifestInvalid about the line."""
        try:
            path = (self.path / name).resolve()
            if Path(name).is_absolute() or not path.is_relative_to(self.root.resolve()):
                raise line.fault(
                    f"{name} is outside the repository", "Name a file of the repository"
                )
            if not path.is_file():
                raise line.fault(f"{name} does not exist", "Add the file, or correct its path")
            if path.stat().st_size > MOST_CHARACTERS:
                raise line.fault(f"{name} has more than 1 MiB", "Shorten the file")
            return path.read_bytes().decode()
        except UnicodeDecodeError as error:
            raise line.fault(f"{name} is not UTF-8", "Save the file as UTF-8") from error
        except (OSError, RuntimeError, ValueError) as error:  # such as a loop of links
            raise line.fault(f"{name[:80]!r} cannot be read", "Correct the file's name") from error


def read_request(draft: RequestDraft, known: KnownNames, folder: FileFolder) -> FileRequest:
    """Return the request of a draft, without captures; raise ManifestInvalid."""
    method, target = _read_target(draft.url, known)
    headers = _read_headers(draft.headers, known)
    types = [show_text(text).lower() for name, text in headers if name.lower() == "content-type"]
    body = _read_body(draft.body, next(iter(types), ""), known, folder)
    if body is None and method in _METHODS_WITH_BODY:
        body = ()
    name = read_mark(draft.marks["name"]) if "name" in draft.marks else draft.title
    return FileRequest(
        line=draft.url[0].number,
        name=name or f"{method} {show_text(target)}",
        method=method,
        target=target,
        headers=headers,
        body=body,
        weight=_read_weight(draft.marks.get("weight")),
        statuses=_read_statuses(draft.marks.get("status")),
    )


def _read_weight(line: SourceLine | None) -> int | None:
    if line is None:
        return None
    if not _WEIGHT.fullmatch(read_mark(line)):
        raise line.fault("@weight is not a whole number from 1 to 999999", "Write # @weight 3")
    return int(read_mark(line))


def _read_statuses(line: SourceLine | None) -> tuple[int, int]:
    if line is None:
        return _DEFAULT_STATUSES
    found = _STATUSES.fullmatch(read_mark(line))
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if low > high:
        raise line.fault(
            "@status is not a status or a range", "Write # @status 404 or # @status 200-299"
        )
    return low, high


def _read_target(lines: Sequence[SourceLine], known: KnownNames) -> tuple[str, Text]:
    """Return the method, and path and query."""
    line = lines[0]
    url = "".join(_drop_version(part.text.strip()) for part in lines)
    method = "GET"
    if found := _METHOD.match(url):
        method, url = found[1].upper(), found[2]
    if method not in _METHODS:
        raise line.fault(f"{method} is not a supported method", f"Use {', '.join(_METHODS)}")
    text = read_text(_drop_origin(expand(url, line, known.variables), line, known), line, known)
    quoted = (quote(part, safe=_PRINTABLE) if isinstance(part, str) else part for part in text)
    return method, tuple(quoted)


def _drop_version(text: str) -> str:
    parts = text.rsplit(maxsplit=1)
    return parts[0] if len(parts) == 2 and _VERSION.fullmatch(parts[1]) else text


def _drop_origin(url: str, line: SourceLine, known: KnownNames) -> str:
    """Return a URL without scheme, host and fragment.

    Variables without a value are accepted as the host, because editors take them from files that
    do not belong to the repository. A captured value may be a whole URL, so it is not dropped.
    """
    origin = _ORIGIN.match(url)
    assert origin is not None  # it also matches nothing
    begin, end = origin.span(1)
    kept = (
        begin + found.start()
        for found in REFERENCE.finditer(origin[1])
        if is_captured(found[1].strip(), known) or is_drawn(found[1].strip())
    )
    end = next(kept, end)
    if not _LOCAL.fullmatch(REFERENCE.sub("", url[begin:end])):
        raise _refuse_host(origin[0], line)
    path = url[end:].partition("#")[0]
    first = REFERENCE.match(path)
    is_whole = first is not None and is_captured(first[1].strip(), known)
    return path if path.startswith("/") or is_whole else f"/{path}"


def _refuse_host(host: str, line: SourceLine) -> ManifestInvalid:
    return line.fault(
        f"the request is for {host}, but a load may only be sent to the service itself",
        "Write the path alone, or {{BASE_URL}}/path",
    )


def _read_headers(lines: Sequence[SourceLine], known: KnownNames) -> tuple[tuple[str, Text], ...]:
    """Return names and values. The values of a repeated name become one, as RFC 9110 allows."""
    headers: dict[str, tuple[str, Text]] = {}
    for line in lines:
        found = _HEADER.match(line.text)
        if found is None or _CONTROL.search(expand(line.text, line, known.variables)):
            raise line.fault(
                f"{line.text.strip()[:80]} is not a header",
                "Write Name: value, and a blank line before the body",
            )
        name, key = found[1], found[1].lower()
        text = _encode_basic(key, read_text(found[2].strip(), line, known))
        if key in _REFUSED_HEADERS:
            raise line.fault(f"the header {name} is not supported", _REFUSED_HEADERS[key])
        if key == "host":
            host = expand(found[2].strip(), line, known.variables)
            if not _LOCAL.fullmatch(REFERENCE.sub("", host)):
                raise _refuse_host(host, line)
        elif key in headers:
            separator = "; " if key == "cookie" else ", "
            headers[key] = (headers[key][0], join_texts([headers[key][1], (separator,), text]))
        elif key != "content-length":
            headers[key] = (name, text)
    return tuple(headers.values())


def _encode_basic(key: str, text: Text) -> Text:
    """Return a header in which name and password of Basic are encoded, as editors do it."""
    if key != "authorization" or len(text) != 1 or not isinstance(text[0], str):
        return text
    found = _BASIC.fullmatch(text[0])
    if found is None:
        return text
    encoded = base64.b64encode(f"{found[1]}:{found[2]}".encode()).decode()
    return (f"Basic {encoded}",)


def _read_body(
    lines: Sequence[SourceLine], content_type: str, known: KnownNames, folder: FileFolder
) -> Text | None:
    """Return a body without its trailing blank lines, or None if there is nothing else.

    As in editors, the lines of multipart bodies end with CR LF, and lines of forms that begin
    with & continue the line above.
    """
    is_form = content_type.startswith("application/x-www-form-urlencoded")
    is_multipart = content_type.startswith("multipart/")
    last = max((at for at, line in enumerate(lines) if line.text.strip()), default=-1)
    texts: list[Text] = []
    characters = 0
    for line, following in zip_longest(lines[: last + 1], lines[1 : last + 1]):
        text = _read_body_line(line, known, folder)
        is_continued = following is None or (is_form and following.text.startswith("&"))
        ending = "" if is_continued else "\r\n" if is_multipart else line.ending
        texts += [text, (ending,)]
        characters += sum(len(part) for part in text if isinstance(part, str))
        if characters > MOST_CHARACTERS:
            raise line.fault("the body has more than 1 MiB", "Shorten it")
    return join_texts(texts) if texts else None


def _read_body_line(line: SourceLine, known: KnownNames, folder: FileFolder) -> Text:
    """Return a line of a body, or the file that it includes.

    `< file` includes a file as it is. `<@ file` also replaces the variables in it.
    """
    included = _INCLUDE.match(line.text)
    if included is None:
        return read_text(line.text, line, known)
    content = folder.read(included[2].strip(), line)
    return read_text(content, line, known) if included[1] else (content,)
