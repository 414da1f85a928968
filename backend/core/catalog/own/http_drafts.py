"""The lines of a `.http` file, sorted by requests and by what they mean there.

Lines that begin with ### separate requests. Lines that begin with # or // are comments, also in
bodies, as in editors. Comments such as `# @name login` are marks.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from backend.core.catalog.own.http_values import (
    SUPPORTED_SCRIPT,
    CapturedValue,
    SourceLine,
    expand,
    read_script,
    suggest,
)

_MOST_REQUESTS = 100
_MOST_VARIABLES = 1000
_MOST_VALUE_CHARACTERS = 4000
_MARKS = ("name", "weight", "status")
# Marks of editors without a meaning here: Tacho follows no redirects and keeps no cookies.
_IGNORED_MARKS = ("note", "no-redirect", "no-cookie-jar", "no-log")

_COMMENT = re.compile(r"\s*(?:#|//)")
_MARK = re.compile(r"\s*(?:#+|//+)\s*@([\w-]+)(?:\s*=|\s|$)(.*)")
_VARIABLE = re.compile(r"\s*@([^\s={}]+)\s*=(.*)")
_SCRIPT = re.compile(r"\s*([<>])\s*\{%")
_FILE_SCRIPT = re.compile(r">>!?\s*\S|>\s+\S+\.js\s*$|<>\s")
_QUERY = re.compile(r"\s*[?&]")


@dataclass(frozen=True)
class RequestDraft:
    """The lines of a request, sorted by their meaning.

    Attributes:
        title: the text after ###.
        marks: the lines of the marks, by mark.
        variables: the file variables that are defined above the request.
        url: the request line, and the lines that continue its query.
        captures: what scripts of the response capture, by the variable that they set.
    """

    title: str
    marks: Mapping[str, SourceLine]
    variables: Mapping[str, str]
    url: Sequence[SourceLine]
    headers: Sequence[SourceLine]
    body: Sequence[SourceLine]
    captures: Mapping[str, tuple[SourceLine, CapturedValue]]


def read_drafts(content: str, file: str) -> list[RequestDraft]:
    """Return the requests of a file; raise ManifestInvalid."""
    sections: list[tuple[str, list[SourceLine]]] = [("", [])]
    for line in _split_lines(content, file):
        if line.text.startswith("###"):
            sections.append((line.text.strip().strip("#").strip(), []))
        else:
            sections[-1][1].append(line)
    variables: dict[str, str] = {}
    drafts: list[RequestDraft] = []
    for title, lines in sections:
        draft = _read_draft(title, lines, variables)
        if draft is None:
            continue
        if len(drafts) == _MOST_REQUESTS:
            raise draft.url[0].fault(
                f"the file has more than {_MOST_REQUESTS} requests", "Split it into several loads"
            )
        drafts.append(draft)
    return drafts


def read_mark(line: SourceLine) -> str:
    """Return the value of a mark; raise ManifestInvalid if it has none."""
    found = _MARK.match(line.text)
    value = found[2].strip() if found else ""
    if not value:
        raise line.fault(f"{line.text.strip()} has no value", "Add the value, or remove the line")
    return value


def _split_lines(content: str, file: str) -> Iterator[SourceLine]:
    for number, text in enumerate(content.split("\n"), start=1):
        ending = "\r\n" if text.endswith("\r") else "\n"
        yield SourceLine(file, number, text.removesuffix("\r"), ending)


def _read_draft(
    title: str, lines: Sequence[SourceLine], variables: dict[str, str]
) -> RequestDraft | None:
    """Return the request of a section, or None without one. Add the section's variables."""
    top = list(takewhile(_is_above_request, lines))
    marks = _collect_marks(top)
    for line in top:
        if found := _VARIABLE.match(line.text):
            _define(found[1], found[2].strip(), line, variables)
    if len(top) == len(lines):
        for line in marks.values():
            raise line.fault(f"{line.text.strip()} has no request", "Move it below the next ###")
        return None
    rest, captures = _take_scripts(lines[len(top) :])
    if not rest or rest[0] != lines[len(top)]:
        raise lines[len(top)].fault("the script has no request", "Move it below a request")
    blank = next((at for at, line in enumerate(rest) if not line.text.strip()), len(rest))
    upper = [line for line in rest[:blank] if not _COMMENT.match(line.text)]
    query = list(takewhile(lambda line: _QUERY.match(line.text), upper[1:]))
    lower = rest[blank + 1 :]
    _refuse_marks(lower)
    return RequestDraft(
        title=title,
        marks={**marks, **_collect_marks(rest[:blank])},
        variables=dict(variables),
        url=[*upper[:1], *query],
        headers=upper[1 + len(query) :],
        body=[line for line in lower if not _COMMENT.match(line.text)],
        captures=captures,
    )


def _is_above_request(line: SourceLine) -> bool:
    return not line.text.strip() or bool(_COMMENT.match(line.text) or _VARIABLE.match(line.text))


def _define(name: str, value: str, line: SourceLine, variables: dict[str, str]) -> None:
    """Add a file variable. The limits keep values of values of values from filling the memory."""
    expanded = expand(value, line, variables)
    if len(expanded) > _MOST_VALUE_CHARACTERS or len(variables) >= _MOST_VARIABLES:
        raise line.fault(
            f"the file has more than {_MOST_VARIABLES} variables, or the value has more than "
            f"{_MOST_VALUE_CHARACTERS} characters",
            "Use fewer variables, or a shorter value",
        )
    variables[name] = expanded


def _collect_marks(lines: Iterable[SourceLine]) -> dict[str, SourceLine]:
    marks = {}
    for line in lines:
        found = _MARK.match(line.text)
        if found is None or found[1] in _IGNORED_MARKS:
            continue
        if found[1] not in _MARKS:
            near = suggest(found[1], _MARKS)
            raise line.fault(
                f"@{found[1]} is not known",
                f"Write @{near}" if near else "Write @name, @weight or @status, or remove the @",
            )
        marks[found[1]] = line
    return marks


def _refuse_marks(lines: Iterable[SourceLine]) -> None:
    """Raise ManifestInvalid if a body has a mark, which is mostly one of the next request."""
    for line in lines:
        found = _MARK.match(line.text)
        if found and found[1] in _MARKS:
            raise line.fault(
                f"{line.text.strip()} is in the body of a request",
                "Move it above the request line, or write ### above it",
            )


def _take_scripts(
    lines: Sequence[SourceLine],
) -> tuple[list[SourceLine], dict[str, tuple[SourceLine, CapturedValue]]]:
    """Return the lines without scripts, and what the scripts capture."""
    rest: list[SourceLine] = []
    captures: dict[str, tuple[SourceLine, CapturedValue]] = {}
    waiting = iter(lines)
    for line in waiting:
        script = _SCRIPT.match(line.text)
        if (script and script[1] == "<") or _FILE_SCRIPT.match(line.text):
            raise line.fault("the script or file is not supported", SUPPORTED_SCRIPT)
        if not script:
            rest.append(line)
            continue
        code = [line.text[script.end() :]]
        while "%}" not in code[-1]:
            more = next(waiting, None)
            if more is None:
                raise line.fault("the script does not end", "Write %} after its last statement")
            code.append(more.text)
        for captured in read_script("\n".join(code).split("%}")[0], line):
            captures[captured.reference] = (line, captured)
    return rest, captures
