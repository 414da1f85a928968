"""Extract what people read from source files: comments, docstrings and texts."""

import ast
import io
import json
import re
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Passage:
    """A text and the line of its file on which it begins."""

    line: int
    text: str


# Words between spaces. A path, a query or a format string has fewer.
_PROSE = re.compile(r"\b[A-Za-z][a-z]+,? [a-z]+\b.* \w+|^\w[a-z]+ \w[a-z]+[.?!]?$")
_CODE = re.compile(
    r"^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|GRANT|VACUUM|LOCK|BEGIN|SET|--)\b"
    r"|[{};=]\s*$|\w\(\w*\);|^\s*[<@#]|=>|&&"
)
_DIRECTIVE = re.compile(
    r"^(noqa|type: ignore|pragma|nolint|go:|!|eslint-|@ts-|prettier-|/ <reference|shellcheck)"
)


def is_prose(text: str) -> bool:
    """Return whether a string is a text for people, judged by its words and spaces."""
    return bool(_PROSE.search(text)) and not _CODE.search(text)


def read_python(source: str, *, texts: bool = True) -> Iterator[Passage]:
    """Yield the comments and docstrings of a module, and its texts for people unless excluded."""
    yield from _python_comments(source)
    tree = ast.parse(source)
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                docstrings.add(first.value)
                yield Passage(first.lineno, first.value.value)
            name = getattr(node, "name", "")
            if name.startswith("test_"):
                yield Passage(node.body[0].lineno - 1, name[5:].replace("_", " ").capitalize())
    if texts:
        yield from _python_texts(tree, docstrings)


def _python_comments(source: str) -> Iterator[Passage]:
    block: list[tuple[int, int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, column = token.start
        if block and (line, column) != (block[-1][0] + 1, block[-1][1]):
            yield Passage(block[0][0], "\n".join(text for _, _, text in block))
            block = []
        text = token.string.lstrip("#:").strip()
        if not _DIRECTIVE.match(text):
            block.append((line, column, text))
    if block:
        yield Passage(block[0][0], "\n".join(text for _, _, text in block))


def _python_texts(tree: ast.AST, docstrings: set[ast.Constant]) -> Iterator[Passage]:
    parts = {
        part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in ast.walk(tree):
        text = ""
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if node in docstrings or node in parts else node.value
        if is_prose(text):
            yield Passage(node.lineno, text.replace("\n", " "))  # type: ignore[attr-defined]


_C_TOKENS = re.compile(
    r'//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|"(?P<text>(?:\\.|[^"\\\n])*)"'
    r"|`[^`]*`|'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)


def read_c_like(source: str, *, texts: bool = True) -> Iterator[Passage]:
    """Yield comments and texts of Go, Java, Kotlin, Rust or JavaScript."""
    run: list[str] = []
    first = last = 0
    for match in _C_TOKENS.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        if match["line"] is not None:
            comment = match["line"].lstrip("/!").strip()
            if _DIRECTIVE.match(match["line"].strip()):
                continue
            if run and line != last + 1:
                yield Passage(first, "\n".join(run))
                run = []
            first, last = (first if run else line), line
            run.append(comment)
        elif match["block"] is not None:
            lines = (part.strip().lstrip("*").strip() for part in match["block"].split("\n"))
            yield Passage(line, "\n".join(lines))
        elif texts and match["text"] and is_prose(match["text"]):
            yield Passage(line, match["text"].replace("\\n", " ").replace('\\"', '"'))
    if run:
        yield Passage(first, "\n".join(run))


_HASH = re.compile(r"^(?P<own>\s*#+ ?)(?P<comment>.*)$|^[^'\"]*?\s##? (?P<trailing>.*)$")


def read_hash_comments(source: str) -> Iterator[Passage]:
    """Yield the comments of a shell script, Makefile, Dockerfile, YAML or .env file."""
    run: list[str] = []
    first = 0
    for number, line in enumerate([*source.splitlines(), ""], start=1):
        match = _HASH.match(line) if not line.startswith("#!") else None
        own = match is not None and match["own"] is not None
        if run and not own:
            yield Passage(first, "\n".join(run))
            run = []
        if match is None:
            continue
        if own:
            first = first if run else number
            run.append(match["comment"].strip())
        else:
            yield Passage(number, match["trailing"])


def read_toml(source: str) -> Iterator[Passage]:
    """Yield the comments and the texts of a TOML file."""
    yield from read_hash_comments(source)
    lines = source.splitlines()
    for text in _strings(tomllib.loads(source)):
        if is_prose(text):
            start = text.strip().split("\n")[0][:30]
            found = (number for number, line in enumerate(lines, start=1) if start in line)
            yield Passage(next(found, 1), text)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


_OPENAPI_TEXT = re.compile(r'^\s*"(?:summary|description)": (".*?"),?$')


def read_openapi(source: str) -> Iterator[Passage]:
    """Yield the summaries and descriptions of an OpenAPI document with one key on each line."""
    for number, line in enumerate(source.splitlines(), start=1):
        if match := _OPENAPI_TEXT.match(line):
            yield Passage(number, json.loads(match[1]).replace("\n", " "))


_BLOCK_START = re.compile(r"^\s*(?:#+|[-*+]|\d+\.|>)\s+|^\s*$|^\s*\|")


def read_markdown(source: str) -> Iterator[Passage]:
    """Yield the paragraphs, list items, headings and table cells of a Markdown document."""
    block: list[str] = []
    first = 0
    is_code = False
    for number, line in enumerate([*source.splitlines(), ""], start=1):
        fence = line.lstrip().startswith("```")
        if block and (fence or _BLOCK_START.match(line)):
            yield Passage(first, "\n".join(block))
            block = []
        is_code ^= fence
        if fence or is_code or not line.strip():
            continue
        if line.lstrip().startswith("|"):
            cells = (cell.strip() for cell in line.strip().strip("|").split("|"))
            yield from (Passage(number, cell) for cell in cells if cell.strip(" -:"))
            continue
        first = first if block else number
        block.append(_BLOCK_START.sub("", line).strip())


_END = re.compile(r"""(?<!\be\.g\.)(?<!\bi\.e\.)(?<=[.!?])["')*_]*\s+(?=["'(*_`\[]*[A-Z0-9`])""")
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)")


def split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence of a passage with the index of its first character."""
    start = 0
    ends = {match.end() for pattern in (_PARAGRAPH, _END) for match in pattern.finditer(text)}
    for end in sorted({*ends, len(text)}):
        sentence = text[start:end].lstrip()
        if sentence:
            yield end - len(sentence), sentence.rstrip()
        start = end
