"""Count the lines of each room of the repository next to its goal: `make size`.

It counts what a reader reads: all lines of the tracked source files, without generated files and
without data. The last line is one JSON object. Exit codes: 0 every room is within its goal, 1 a
room is not.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePath

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Room:
    """A part of the repository.

    Attributes:
        patterns: of the paths of its files. A file belongs to the first room that it fits.
        before: lines on 28 November 2026, when the goals were set.
        goal: the most lines; None without a goal.
    """

    name: str
    patterns: tuple[str, ...]
    before: int
    goal: int | None


ROOMS = (
    Room("Python tests", ("*/tests/*.py", "conftest.py"), 54_200, 48_000),
    Room("other tests", ("*_test.go", "*/tests/*"), 3_700, None),
    Room("backend", ("backend/*", "cli/*", "integrations/*"), 62_200, 54_000),
    Room("worker", ("worker/*",), 21_800, 19_500),
    Room("tools", ("tools/*",), 16_300, 14_000),
    Room("services", ("services/*",), 14_700, 12_500),
    Room("migrations", ("migrations/*",), 4_000, 1_500),
    Room("frontend tests", ("frontend/*.test.ts*", "frontend/src/testing/*"), 11_800, 9_000),
    Room("frontend", ("frontend/*",), 39_000, 31_000),
)
_SUFFIXES = frozenset(
    (".c", ".css", ".go", ".java", ".js", ".kt", ".mjs", ".py", ".rb", ".rs", ".sql", ".ts", ".tsx")
)
_GENERATED = ("frontend/src/api/schema.d.ts", "*.pb.go")


def main() -> int:
    """Print the table and the JSON line, and return the exit code."""
    lines = count_lines(_list_files(), ROOT)
    print(f"{'room':<16}{'lines':>9}{'28 Nov':>9}{'goal':>9}")
    for room in ROOMS:
        goal = f"{room.goal:,}" if room.goal else "–"
        print(f"{room.name:<16}{lines[room.name]:>9,}{room.before:>9,}{goal:>9}")
    goals = {room.name: room.goal for room in ROOMS if room.goal}
    met = all(lines[name] <= goal for name, goal in goals.items())
    print(json.dumps({"bench": "size", "figures": lines, "goals": goals, "met": met}))
    return 0 if met else 1


def count_lines(paths: Iterable[str], root: Path) -> Mapping[str, int]:
    """Return the number of lines by the name of the room."""
    counted = {room.name: 0 for room in ROOMS}
    for path in paths:
        room = find_room(path)
        if room is not None:
            counted[room.name] += len((root / path).read_text("utf-8").splitlines())
    return counted


def find_room(path: str) -> Room | None:
    """Return the room that a file counts in; None for generated files, data and other rooms."""
    if PurePath(path).suffix not in _SUFFIXES or any(
        fnmatch(path, pattern) for pattern in _GENERATED
    ):
        return None
    return next(
        (room for room in ROOMS if any(fnmatch(path, pattern) for pattern in room.patterns)), None
    )


def _list_files() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    paths = [path for path in listed.stdout.split("\0") if path]
    # A link is not read twice.
    return [path for path in paths if (ROOT / path).is_file() and not (ROOT / path).is_symlink()]


if __name__ == "__main__":
    sys.exit(main())
