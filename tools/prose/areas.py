"""The areas of the repository whose prose is checked, and how each file is read."""

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from functools import partial
from pathlib import Path, PurePath

from backend.core.config import ROOT
from backend.platform.tools import get_tool
from tools.prose.passages import (
    Passage,
    read_c_like,
    read_hash_comments,
    read_markdown,
    read_openapi,
    read_python,
    read_toml,
)
from tools.prose.rules import ProseFinding, find_breaches

# Each file belongs to the first area with a pattern that matches its path.
AREAS = {
    "adr": ["docs/adr/*.md"],
    "docs": ["*.md"],
    "openapi": ["frontend/openapi.json"],
    "frontend": ["frontend/*.ts", "frontend/*.tsx", "frontend/*.js"],
    "e2e": ["e2e/*.ts"],
    "load-generator": ["worker/loadgen/k6/*.go", "tools/benchmarks/*.go"],
    "backend": ["backend/*.py", "cli/*.py", "integrations/*.py"],
    "worker": ["worker/*.py"],
    "tools": ["tools/*.py", "conftest.py"],
    "migrations": ["migrations/*.py"],
    "services": ["services/*"],
    "scripts": [
        *(".ci/*", "Makefile", "Dockerfile", "*.yml", "*.toml", ".env.example"),
    ],
}
# Generated files, and the rules themselves.
_LEFT_OUT = (
    *("frontend/src/api/schema.d.ts", "*.lock", "*/package-lock.json"),
    "tools/prose/rules.toml",
)
_C_LIKE = {".go", ".java", ".kt", ".rs", ".js", ".mjs"}
_TYPESCRIPT = {".ts", ".tsx"}
_MARKDOWN_COLUMNS = 100


def list_files() -> dict[str, list[str]]:
    """Return the paths of the repository's files by area."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    files: dict[str, list[str]] = {area: [] for area in AREAS}
    for path in sorted(listed.stdout.splitlines()):
        is_left_out = _matches(path, _LEFT_OUT)
        area = next(
            (name for name, patterns in AREAS.items() if _matches(path, patterns)),
            None,
        )
        if area and not is_left_out and (ROOT / path).is_file():
            files[area].append(path)
    return files


def _matches(path: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(path, pattern) for pattern in patterns)


def check(paths: Iterable[str], root: Path = ROOT) -> list[ProseFinding]:
    """Return the findings in the prose of some files, with the lines of their source."""
    paths = list(paths)
    findings: set[ProseFinding] = set()
    for path in paths:
        if path.endswith(".md"):
            findings.update(find_long_lines(path, (root / path).read_text()))
    for path, passages in read_files(paths, root):
        for passage in passages:
            findings.update(find_breaches(path, passage))
    return sorted(findings)


def read_files(paths: Iterable[str], root: Path = ROOT) -> Iterator[tuple[str, list[Passage]]]:
    """Yield the passages of each file that people read."""
    paths = list(paths)
    yield from _read_typescript(
        [path for path in paths if PurePath(path).suffix in _TYPESCRIPT], root
    )
    for path in paths:
        if (passages := _read(path, root)) is not None:
            yield path, list(passages)


def find_long_lines(path: str, text: str) -> Iterator[ProseFinding]:
    """Yield the lines of a Markdown file that are too long.

    Tables, blocks of code and lines that cannot be broken may be longer.
    """
    is_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        is_code ^= line.startswith("```")
        may_be_long = is_code or line.lstrip().startswith("|")
        breakable = " " in line.strip().lstrip("-*> ")
        if len(line) > _MARKDOWN_COLUMNS and breakable and not may_be_long:
            message = f"The line has {len(line)} columns. Wrap it at {_MARKDOWN_COLUMNS}."
            yield ProseFinding(path, number, "LineLength", message)


def _read(path: str, root: Path) -> Iterator[Passage] | None:
    file = PurePath(path)
    reader: Callable[[str], Iterator[Passage]] | None = None
    if file.suffix == ".py":
        # Texts of a test repeat the product's or are made up; a migration's are SQL.
        texts = "tests" not in file.parts and file.parts[0] != "migrations"
        reader = partial(read_python, texts=texts)
    elif file.suffix in _C_LIKE:
        reader = partial(read_c_like, texts=file.suffix == ".go" and "_test" not in file.name)
    elif file.suffix == ".toml":
        reader = read_toml
    elif file.suffix == ".md":
        reader = read_markdown
    elif path == "frontend/openapi.json":
        reader = read_openapi
    elif file.suffix in {".yml", ".rb", ".example"} or re.match(r"\.ci/|.*(Make|Docker)file", path):
        reader = read_hash_comments
    return reader((root / path).read_text()) if reader else None


def _read_typescript(paths: list[str], root: Path) -> Iterator[tuple[str, list[Passage]]]:
    """Yield the comments and texts of TypeScript files, read by the TypeScript compiler."""
    if not paths:
        return
    result = subprocess.run(
        [get_tool("node>=20").path, ROOT / "tools/prose/typescript.mjs"],
        input=json.dumps([str(root / path) for path in paths]),
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for path, found in zip(paths, json.loads(result.stdout), strict=True):
        yield path, [Passage(line, text) for line, text in found]
