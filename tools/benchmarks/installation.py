"""Generated installations for benchmarks: one folder per size, seeded if missing."""

import argparse
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from backend.core.config import get_settings
from backend.core.units import RuntimeKind
from tools.benchmarks.scale import SECONDS
from tools.benchmarks.seed_scale import HOST, seed
from tools.benchmarks.stack import Stack

# Seeded in less than 5 min on two shared virtual CPUs.
DEFAULT_RUNS = 1000
# Fewer runs do not fill the measured pages.
_LEAST_RUNS = 50
_STAMP = "installation.json"


@dataclass(frozen=True)
class SeededInstallation:
    """A seeded installation."""

    folder: Path
    runs: int

    def __str__(self) -> str:
        return f"{self.runs:,} runs with trials of {SECONDS} s, in {self.folder}"


def add_runs_option(parser: argparse.ArgumentParser) -> None:
    """Let the command line choose the size of the installation."""
    parser.add_argument(
        "--runs",
        type=_read_runs,
        help=f"of the installation, at least {_LEAST_RUNS}; default: the largest that is there, "
        f"else {DEFAULT_RUNS:,}",
    )


def ensure_installation(runs: int | None = None) -> SeededInstallation:
    """Return the installation with this number of runs, seeded first if it is missing.

    Without a number, return the largest existing installation, or a new one of `DEFAULT_RUNS`.
    """
    found = list_installations()
    if runs is None and found:
        return max(found, key=lambda item: item.runs)
    folder = _parent() / str(runs or DEFAULT_RUNS)
    wanted = SeededInstallation(folder, runs or DEFAULT_RUNS)
    if wanted not in found:
        _seed(wanted)
    return wanted


def list_installations() -> list[SeededInstallation]:
    """Return the completely seeded installations."""
    stamps = _parent().glob(f"*/{_STAMP}")
    return [SeededInstallation(stamp.parent, int(stamp.parent.name)) for stamp in stamps]


@contextmanager
def open_installation(folder: Path) -> Iterator[Stack]:
    """Run servers and API of a folder, without a worker, so that nothing runs.

    The settings of this process name the servers.
    """
    with Stack(folder, RuntimeKind.PROCESS, HOST, is_serving_only=True) as stack:
        stack.use_here()
        yield stack


@contextmanager
def open_new_installation(name: str) -> Iterator[Stack]:
    """Run an installation without runs in a folder of this name, which is deleted at the end."""
    folder = get_settings().data / name
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with open_installation(folder) as stack:
            yield stack
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _parent() -> Path:
    return get_settings().data / "scale"


def _seed(wanted: SeededInstallation) -> None:
    print(f"Seeding {wanted} …", flush=True)
    shutil.rmtree(wanted.folder, ignore_errors=True)
    begin = time.monotonic()
    with open_installation(wanted.folder):
        seed(wanted.runs, SECONDS)
    (wanted.folder / _STAMP).touch()
    print(f"Seeded in {time.monotonic() - begin:.0f} s.\n", flush=True)


def _read_runs(text: str) -> int:
    if not text.isdigit() or int(text) < _LEAST_RUNS:
        raise argparse.ArgumentTypeError(f"write a number of at least {_LEAST_RUNS}, not {text!r}")
    return int(text)


def main() -> None:
    """Seed an installation again: `make seed-scale`."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_runs_option(parser)
    runs = parser.parse_args().runs or DEFAULT_RUNS
    (_parent() / str(runs) / _STAMP).unlink(missing_ok=True)
    ensure_installation(runs)


if __name__ == "__main__":
    main()
