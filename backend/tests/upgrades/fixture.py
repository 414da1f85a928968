"""The data of earlier versions: restore it, and compare what this version makes of it.

`python -m backend.tests.upgrades.fixture DAY DATA` restores the data of a day, such as 2026-11-22,
into the embedded database of a data folder. `… DAY --compare
URL` compares the exports of the Tacho at this address, and prints the differences.
"""

import gzip
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.layout import Layout
from backend.platform.packaged_servers import find_postgres_program
from backend.platform.processes.programs import running
from backend.platform.servers import plain_url

_FOLDERS = Path(__file__).parent
# Texts that identify a thing or a measurement. Other texts, such as explanations, were rewritten.
_IDENTITIES = frozenset(
    {
        *("id", "slug", "cell_id", "run_id", "status", "visibility", "title", "host", "runtime"),
        *("profile", "kind", "created_at", "started_at", "finished_at", "image_digest", "phase"),
    }
)
# The hash of the statistics of a snapshot became their version. Pairs have a state instead of a
# word and of the power of their test.
_REMOVED = frozenset({"statistics", "power", "word"})
# A generator with CPU left that sends requests late misses its rate since 23 November 2026. Before
# that, it counted as saturated.
_RENAMED_WARNINGS = {"generator_saturated": "rate_missed"}
# Since 28 November 2026, a result of less than 10 s has this warning, which excludes it. So the
# answer and the gate of its run are different. Until 29 November 2026, the colour of a framework
# depended on the others of its page.
_ADDED_WARNING = "steadiness_not_tested"
_CHANGED = frozenset({"answer", "gate", "colour"})


@dataclass(frozen=True)
class Difference:
    """A value that differs between the two versions."""

    path: str
    before: object
    after: object

    def __str__(self) -> str:
        return f"{self.path}: {self.before!r} became {self.after!r}"


@dataclass(frozen=True)
class RecordedData:
    """The data that the version of one day wrote."""

    folder: Path

    @property
    def day(self) -> str:
        """Return the day, such as `2026-11-22`."""
        return self.folder.name

    def list_slugs(self) -> list[str]:
        """Return the slugs of the recorded runs, which are in their permalinks."""
        return sorted(
            file.name.removesuffix(".json.gz")
            for file in self.folder.glob("*.json.gz")
            if file.name != "snapshot.json.gz"
        )

    def read(self, name: str) -> dict[str, Any]:
        """Return a recorded document: of a run by its slug, or `snapshot`."""
        content = gzip.decompress((self.folder / f"{name}.json.gz").read_bytes())
        document: dict[str, Any] = json.loads(content)
        return document

    def read_hash(self) -> str:
        """Return the hash of the recorded snapshot, which is in its permalink."""
        return (self.folder / "snapshot.txt").read_text().strip()

    def restore(self, database_url: str, dump: str = "database.dump") -> None:
        """Restore the data into an empty database."""
        program = find_postgres_program("pg_restore")
        assert program is not None
        options = ("--no-owner", "--exit-on-error", f"--dbname={plain_url(database_url)}")
        subprocess.run([program, *options, self.folder / dump], check=True)


def list_recorded() -> list[RecordedData]:
    """Return the data of all days, the earliest first."""
    return [RecordedData(dump.parent) for dump in sorted(_FOLDERS.glob("*/database.dump"))]


def find_recorded(day: str) -> RecordedData:
    """Return the data of a day. Raises KeyError if none was recorded."""
    return {data.day: data for data in list_recorded()}[day]


def compare(before: object, after: object, path: str = "") -> Iterator[Difference]:
    """Return members that are missing, and numbers and identities that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        before = _drop_wide_interval(before)
        for key in sorted(before.keys() - after.keys() - _REMOVED):
            yield Difference(f"{path}.{key}", before[key], "missing")
        for key in sorted(before.keys() & after.keys() - _CHANGED):
            yield from compare(before[key], after[key], f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and path.endswith(".verdicts"):
        named = _name_warnings(after, {})
        # Snapshots keep the warnings of their time.
        renamed = {old: new for old, new in _RENAMED_WARNINGS.items() if old not in named}
        yield from compare(_name_warnings(before, renamed), named, path)
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield Difference(f"{path}.length", len(before), len(after))
        for number, pair in enumerate(zip(before, after, strict=False)):
            yield from compare(*pair, f"{path}[{number}]")
    elif not _is_equal(before, after, path.rpartition(".")[2]):
        yield Difference(path, before, after)


def _drop_wide_interval(found: dict[str, Any]) -> dict[str, Any]:
    """Return an estimate of two trials without the interval that it had on that day."""
    if "estimate" in found and found.get("n") == 2:
        return {key: value for key, value in found.items() if key not in {"low", "high"}}
    return found


def _name_warnings(warnings: list[Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """Return warnings by their names, and how many there are. Their order has changed."""
    named = {
        renamed.get(found["verdict"], found["verdict"]): found
        for found in warnings
        if found["verdict"] not in {"ok", _ADDED_WARNING}
    }
    return named | {"length": len(named)}


def _is_equal(before: object, after: object, key: str) -> bool:
    if key == "excluded":
        return bool(after) or not before
    if isinstance(before, bool | int | float):
        # Intervals of values that cannot be negative end at 0 today.
        if key == "low" and before < 0 and after == 0:
            return True
        return isinstance(after, bool | int | float) and math.isclose(before, after, rel_tol=1e-9)
    if isinstance(before, dict | list):
        return False
    return before == after or key not in _IDENTITIES


def _restore_into(recorded: RecordedData, data: Path) -> None:
    layout = Layout(data)
    layout.make()
    postgres = EmbeddedPostgres(layout)
    postgres.prepare()
    with running(postgres.part(), layout):
        postgres.create_database()
        recorded.restore(postgres.url)


def _compare_with(recorded: RecordedData, url: str) -> int:
    """Print what differs at an address; return the number of differences."""
    differences = []
    slugs, snapshot = recorded.list_slugs(), recorded.read_hash()
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
        for slug in slugs:
            answer = client.get(f"/api/v1/runs/{slug}/export.json").raise_for_status()
            found = compare(recorded.read(slug), answer.json())
            differences += [f"{slug}{difference}" for difference in found]
            client.get(f"/r/{slug}").raise_for_status()
        answer = client.get(f"/api/v1/comparisons/{snapshot}").raise_for_status()
        found = compare(recorded.read("snapshot"), answer.json())
        differences += [f"snapshot{difference}" for difference in found]
        client.get(f"/c/{snapshot}").raise_for_status()
    print("\n".join(differences) or f"{len(slugs)} runs are as on {recorded.day}.")
    return len(differences)


if __name__ == "__main__":
    chosen = find_recorded(sys.argv[1])
    if sys.argv[2] == "--compare":
        sys.exit(_compare_with(chosen, sys.argv[3]) > 0)
    _restore_into(chosen, Path(sys.argv[2]))
