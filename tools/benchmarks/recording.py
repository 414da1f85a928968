"""Run a benchmark and write what it prints to `docs/results/`: `make bench-<name> RECORD=1`.

`make chaos RECORD=1`, `make fuzz RECORD=1` and `make verify-cheats RECORD=1` are recorded in the
same way.

Each benchmark has one page there, with an entry for each recorded run, the newest first.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from backend.core.config import ROOT
from worker.bench.fingerprint import parse_cpuinfo

RESULTS = ROOT / "docs" / "results"
_ENTRY = "\n## "


@dataclass(frozen=True)
class Recording:
    """The output of one run of a benchmark, and the conditions of the run.

    Attributes:
        bench: name in the JSON line, such as `cpu`.
        table: everything that was printed before the JSON line.
        result: the JSON line.
        commit: abbreviated hash, followed by `+` if files differ from the commit.
        machine: CPU model, number of cores, and kernel.
    """

    bench: str
    command: str
    table: str
    result: str
    at: datetime
    commit: str
    machine: str


def main(argv: Sequence[str]) -> int:
    """Run the benchmark that `argv` names, record its result and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", help="module in tools.benchmarks, such as cpu, or full name")
    chosen, arguments = parser.parse_known_args(argv)
    module = chosen.module if "." in chosen.module else f"tools.benchmarks.{chosen.module}"
    code, printed = _run(module, arguments)
    found = split_output(printed)
    if found is None:
        print("Nothing was recorded: the benchmark printed no result.", file=sys.stderr)
        return code or 1
    bench, table, result = found
    path = write(
        Recording(
            bench=bench,
            command=" ".join(["python -m", module, *arguments]),
            table=table,
            result=result,
            at=datetime.now(UTC),
            commit=_read_commit(),
            machine=_describe_machine(),
        ),
        RESULTS,
    )
    print(f"Recorded in {path.relative_to(ROOT)}.", file=sys.stderr)
    return code


def split_output(printed: str) -> tuple[str, str, str] | None:
    """Return the benchmark's name, its table and its JSON line; None without a JSON line.

    Progress that a carriage return overwrites is left out of the table.
    """
    lines = [line.rsplit("\r", 1)[-1].rstrip() for line in printed.split("\n")]
    for number in range(len(lines) - 1, -1, -1):
        if lines[number].startswith('{"bench": '):
            table = "\n".join(lines[:number]).strip("\n")
            return json.loads(lines[number])["bench"], table, lines[number]
    return None


def write(recording: Recording, folder: Path) -> Path:
    """Add an entry above the earlier ones on the benchmark's page and return the page's path."""
    path = folder / f"{recording.bench}.md"
    page = path.read_text() if path.exists() else f"# bench-{recording.bench}\n"
    head, separator, earlier = page.partition(_ENTRY)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{head.rstrip()}\n\n{_format(recording)}{separator}{earlier}")
    return path


def _format(recording: Recording) -> str:
    return (
        f"## {recording.at:%Y-%m-%d %H:%M} UTC\n\n"
        f"- Commit: `{recording.commit}`\n"
        f"- Machine: {recording.machine}\n"
        f"- Command: `{recording.command}`\n\n"
        f"```text\n{recording.table}\n```\n\n"
        f"```json\n{recording.result}\n```\n"
    )


def _run(module: str, arguments: Sequence[str]) -> tuple[int, str]:
    """Run a benchmark, pass on what it prints, and return its exit code and output."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", module, *arguments],
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    printed = b""
    while chunk := os.read(process.stdout.fileno(), 65_536):
        sys.stdout.buffer.write(chunk)
        sys.stdout.flush()
        printed += chunk
    return process.wait(), printed.decode()


def _describe_machine() -> str:
    cpu = parse_cpuinfo(Path("/proc/cpuinfo").read_text())
    return f"{cpu['cpu_model']}, {cpu['logical_cores']} cores, Linux {platform.release()}"


def _read_commit() -> str:
    commit = _git("rev-parse", "--short=10", "HEAD")
    changed = _git("status", "--porcelain", "--", ".", f":!{RESULTS.relative_to(ROOT)}")
    return f"{commit}+" if changed else commit


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
