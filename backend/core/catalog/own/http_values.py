"""Values in the texts of `.http` files: `{{reference}}`, and the scripts that capture values.

The value of a file variable replaces the reference when the file is read. A captured value comes
from a response that Tacho receives before the load. A drawn value is new for every request.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

from backend.core.errors import ManifestInvalid

SUPPORTED_DRAWS = (
    "{{$guid}}, {{$uuid}}, {{$random.uuid}}, {{$randomInt}}, {{$randomInt 1 100}}, "
    "{{$random.integer(1, 100)}}, {{$timestamp}} and {{$isoTimestamp}}"
)
SUPPORTED_SCRIPT = (
    'Use only client.global.set("name", response.body.key), with any path of names and '
    'numbers after body, and client.global.set("name", response.headers.valueOf("Name"))'
)

MOST_CHARACTERS = 1024**2

REFERENCE = re.compile(r"\{\{([^{}\n]+)\}\}")
_RESPONSE = re.compile(
    r"(?P<request>[\w-]+)\.(?P<side>request|response)(?:\.(?P<part>body|headers)\.(?P<path>.+))?"
)
_STEP = re.compile(r"""\.?([A-Za-z_$][\w$-]*)|\[(\d{1,9})\]|\[(["'])([^"'\]]+)\3\]""")
_SET = re.compile(
    r"""\s*client\.global\.set\(\s*(["'])(?P<name>[\w.-]+)\1\s*,\s*response\."""
    r"""(?:body(?P<path>[^;()]*)|headers\.valueOf\(\s*(["'])(?P<header>[\w-]+)\4\s*\)\s*)\)\s*;?"""
)
_WHOLE = r"(-?\d{1,15})"
_INTEGER = re.compile(
    rf"\$(?:randomInt(?:\s+{_WHOLE}\s+{_WHOLE})?"
    rf"|random\.integer(?:\(\s*{_WHOLE}\s*,\s*{_WHOLE}\s*\))?)"
)
_DEFAULT_BOUNDS = (0, 1001)

# How a value is drawn: a name that lib/http_file.js knows, and its arguments.
Draw = tuple[str | int, ...]

_DRAWS: Mapping[str, Draw] = MappingProxyType(
    {
        "$guid": ("uuid",),
        "$uuid": ("uuid",),
        "$random.uuid": ("uuid",),
        "$timestamp": ("timestamp",),
        "$isoTimestamp": ("isoTimestamp",),
    }
)


@dataclass(frozen=True)
class SourceLine:
    """A line of a `.http` file, and its line break."""

    file: str
    number: int
    text: str
    ending: str = "\n"

    def fault(self, what: str, fix: str) -> ManifestInvalid:
        """Return the error about this line."""
        detail = f"{what}. {fix}."
        problem = {"field": self.file, "detail": detail, "line": str(self.number)}
        return ManifestInvalid(f"{self.file}:{self.number}: {detail}", [problem], file=self.file)


@dataclass(frozen=True)
class TextValue:
    """A value in a text. A captured value has no `draw`."""

    reference: str
    draw: Draw | None = None


# Literal texts, and the values between them.
Text = tuple[str | TextValue, ...]


@dataclass(frozen=True)
class CapturedValue:
    """A value of a response: a header, or what a path leads to in a JSON body.

    An empty path is the whole body.
    """

    reference: str
    part: str
    path: tuple[str | int, ...]


@dataclass(frozen=True)
class KnownNames:
    """The names that the texts of a request may refer to.

    Attributes:
        variables: the file variables that are defined above the request, and their values.
        scripted: the variables that scripts of responses set.
        requests: the names of requests.
    """

    variables: Mapping[str, str]
    scripted: Collection[str]
    requests: Collection[str]


def suggest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most similar, or None if none is similar."""
    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)), None)


def expand(text: str, line: SourceLine, variables: Mapping[str, str]) -> str:
    """Return a text in which the values of file variables replace their references."""
    found = [variables.get(match[1].strip(), "") for match in REFERENCE.finditer(text)]
    if sum(map(len, found)) > MOST_CHARACTERS:
        raise line.fault("the values of the variables have more than 1 MiB", "Shorten them")
    return REFERENCE.sub(lambda match: variables.get(match[1].strip(), match[0]), text)


def read_text(text: str, line: SourceLine, known: KnownNames) -> Text:
    """Return a text with the values that it refers to; raise ManifestInvalid for unknown ones."""
    parts = REFERENCE.split(expand(text, line, known.variables))
    return tuple(
        _read_value(part.strip(), line, known) if index % 2 else part
        for index, part in enumerate(parts)
        if part
    )


def join_texts(texts: Iterable[Text]) -> Text:
    """Return one text of several, in which adjacent literals are one."""
    parts = [part for text in texts for part in text]
    joined: list[str | TextValue] = []
    for is_literal, group in groupby(parts, key=lambda part: isinstance(part, str)):
        if is_literal:
            joined.append("".join(part for part in group if isinstance(part, str)))
        else:
            joined.extend(group)
    return tuple(part for part in joined if part)


def show_text(text: Text) -> str:
    """Return a text with the references of its values, as in the file."""
    return "".join(part if isinstance(part, str) else f"{{{{{part.reference}}}}}" for part in text)


def is_captured(reference: str, known: KnownNames) -> bool:
    """Return whether a reference is that of a captured value."""
    return reference in known.scripted or _RESPONSE.fullmatch(reference) is not None


def is_drawn(reference: str) -> bool:
    """Return whether a reference is that of a drawn value."""
    return _find_draw(reference) is not None


def find_response(reference: str) -> tuple[str, CapturedValue] | None:
    """Return the name of the request and the value that `name.response.body.$.key` refers to."""
    found = _RESPONSE.fullmatch(reference)
    if found is None or found["side"] != "response" or found["part"] is None:
        return None
    path = (found["path"],) if found["part"] == "headers" else read_json_path(found["path"])
    if path is None:
        return None
    return found["request"], CapturedValue(reference, found["part"], path)


def read_json_path(path: str) -> tuple[str | int, ...] | None:
    """Return the keys and positions of a path such as `$.items[0].id`, or None if it has others.

    `*`, `$` and an empty path lead to the whole body.
    """
    steps = "" if path == "*" else path.strip().removeprefix("$")
    keys: list[str | int] = []
    position = 0
    while position < len(steps):
        step = _STEP.match(steps, position)
        if step is None:
            return None
        keys.append(int(step[2]) if step[2] else step[1] or step[4])
        position = step.end()
    return tuple(keys)


def read_script(script: str, line: SourceLine) -> list[CapturedValue]:
    """Return what a script of a response captures; raise ManifestInvalid if it does more."""
    rows = [row for row in script.split("\n") if not row.strip().startswith("//")]
    code = "\n".join(rows).strip()
    captures = []
    position = 0
    while position < len(code):
        found = _SET.match(code, position)
        captured = found and _read_set(found)
        if not found or not captured:
            shown = code[position:].strip().split("\n")[0][:80]
            raise line.fault(f"the script has an unsupported statement: {shown}", SUPPORTED_SCRIPT)
        captures.append(captured)
        position = found.end()
    return captures


def _read_set(found: re.Match[str]) -> CapturedValue | None:
    """Return what a call of client.global.set captures, or None if its path is not supported."""
    if found["header"]:
        return CapturedValue(found["name"], "headers", (found["header"],))
    path = read_json_path(found["path"])
    return None if path is None else CapturedValue(found["name"], "body", path)


def _read_value(reference: str, line: SourceLine, known: KnownNames) -> TextValue:
    shown = f"{{{{{reference}}}}}"
    if reference.startswith("$"):
        draw = _find_draw(reference)
        if draw is None:
            raise line.fault(f"{shown} is not supported", f"Use one of {SUPPORTED_DRAWS}")
        return TextValue(reference, draw)
    if reference in known.scripted:
        return TextValue(reference)
    response = _RESPONSE.fullmatch(reference)
    if response is None:
        near = suggest(reference, {*known.variables, *known.scripted})
        fix = f"Define it above the request: @{reference} = value"
        raise line.fault(
            f"the variable {reference} is not defined",
            f"Write {{{{{near}}}}}, or define it above the request" if near else fix,
        )
    if response["request"] not in known.requests:
        near = suggest(response["request"], known.requests)
        raise line.fault(
            f"{shown} refers to a request that does not exist",
            f"Write {near} instead of {response['request']}"
            if near
            else f"Name a request with: # @name {response['request']}",
        )
    if find_response(reference) is None:
        raise line.fault(
            f"{shown} is not a value that can be captured",
            "Write a path of names and numbers, as in {{login.response.body.$.token}}, or a "
            "header, as in {{login.response.headers.Location}}",
        )
    return TextValue(reference)


def _find_draw(reference: str) -> Draw | None:
    """Return how the value of a reference such as `$guid` is drawn, or None."""
    found = _INTEGER.fullmatch(reference)
    if found is None:
        return _DRAWS.get(reference)
    low, end = [int(bound) for bound in found.groups() if bound is not None] or _DEFAULT_BOUNDS
    return ("integer", low, end) if low < end else None
