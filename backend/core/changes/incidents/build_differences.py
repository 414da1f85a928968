"""Differences between the builds before and after an incident: versions and files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog.build_sources import find_sources
from backend.core.documents import BuildPair, SourceFile
from backend.core.models import BuildSource
from backend.core.results.environment import Difference

# A longer difference is cut.
_MOST_LINES = 300
_CONTEXT_LINES = 3


class FileChange(StrEnum):
    """How a file differs between two builds."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True)
class FileDifference:
    """A file that differs. `diff` is a unified diff; None if the text of a side is not stored."""

    path: str
    change: FileChange
    diff: str | None
    is_cut: bool = False


@dataclass(frozen=True)
class ProgramDifference:
    """A program whose build differs. Without recorded sources, only the digests are known."""

    program: str
    before: str
    after: str
    is_recorded: bool = False
    versions: Sequence[Difference] = ()
    files: Sequence[FileDifference] = ()


def compare_programs(
    session: Session, host_id: UUID, builds: Mapping[str, BuildPair]
) -> list[ProgramDifference]:
    """Return the differences of each program between builds of a host, by slug."""
    digests = {digest for pair in builds.values() for digest in (pair["before"], pair["after"])}
    sources = find_sources(session, host_id, digests)
    return [
        _compare(program, pair, sources.get(pair["before"]), sources.get(pair["after"]))
        for program, pair in sorted(builds.items())
    ]


def compare_files(
    before: Sequence[SourceFile], after: Sequence[SourceFile]
) -> list[FileDifference]:
    """Return the files that differ, ordered by path."""
    old = {file["path"]: file for file in before}
    new = {file["path"]: file for file in after}
    return [
        _compare_file(path, old.get(path), new.get(path))
        for path in sorted(old.keys() | new.keys())
        if path not in old or path not in new or old[path]["sha256"] != new[path]["sha256"]
    ]


def _compare(
    program: str, pair: BuildPair, before: BuildSource | None, after: BuildSource | None
) -> ProgramDifference:
    if before is None or after is None:
        return ProgramDifference(program, **pair)
    return ProgramDifference(
        program,
        **pair,
        is_recorded=True,
        versions=list(_compare_versions(before.versions, after.versions)),
        files=compare_files(before.files, after.files),
    )


def _compare_versions(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    for name in {**before, **after}:
        values = before.get(name, "none"), after.get(name, "none")
        if values[0] != values[1]:
            yield Difference(name, *values)


def _compare_file(path: str, old: SourceFile | None, new: SourceFile | None) -> FileDifference:
    change = FileChange.CHANGED
    if old is None or new is None:
        change = FileChange.ADDED if old is None else FileChange.REMOVED
    texts = [file["text"] for file in (old, new) if file is not None]
    if None in texts:
        return FileDifference(path, change, None)
    lines = list(
        unified_diff(
            _split(old),
            _split(new),
            "/dev/null" if old is None else f"a/{path}",
            "/dev/null" if new is None else f"b/{path}",
            n=_CONTEXT_LINES,
            lineterm="",
        )
    )
    return FileDifference(path, change, "\n".join(lines[:_MOST_LINES]), len(lines) > _MOST_LINES)


def _split(file: SourceFile | None) -> list[str]:
    return [] if file is None else (file["text"] or "").splitlines()
