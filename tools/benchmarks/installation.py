"""Generated installations for benchmarks: one folder per size, seeded if missing."""

import argparse
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backend.core.config import get_settings
from backend.core.units import RuntimeKind
from tools.benchmarks.scale import SECONDS
from tools.benchmarks.seed_scale import HOST, seed
from tools.benchmarks.stack import Stack

# Seeded in less than 5 min on two shared virtual CPUs.
_DEFAULT_RUNS = 1000
# Fewer runs do not fill the measured pages.
_LEAST_RUNS = 50
_STAMP = "installation.json"


def add_runs_option(parser: argparse.ArgumentParser) -> None:
    """Let the command line choose the size of the installation."""
    parser.add_argument(
        "--runs",
        type=_read_runs,
        default=_DEFAULT_RUNS,
        help=f"of the installation, at least {_LEAST_RUNS}; default {_DEFAULT_RUNS:,}",
    )


def ensure_installation(runs: int) -> Path:
    """Return the folder of the installation with this number of runs, seeded if it is missing."""
    folder = _find_folder(runs)
    if not (folder / _STAMP).exists():
        # An interrupted seeding leaves a folder without a stamp.
        shutil.rmtree(folder, ignore_errors=True)
        print(f"Seeding {runs:,} runs with trials of {SECONDS} s, in {folder} …", flush=True)
        begin = time.monotonic()
        with open_installation(folder):
            seed(runs, SECONDS)
        (folder / _STAMP).touch()
        print(f"Seeded in {time.monotonic() - begin:.0f} s.\n", flush=True)
    return folder


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


def _find_folder(runs: int) -> Path:
    return get_settings().data / "scale" / str(runs)


def _read_runs(text: str) -> int:
    if not text.isdigit() or int(text) < _LEAST_RUNS:
        raise argparse.ArgumentTypeError(f"write a number of at least {_LEAST_RUNS}, not {text!r}")
    return int(text)


def main() -> None:
    """Seed an installation again: `make seed-scale`."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_runs_option(parser)
    runs = parser.parse_args().runs
    (_find_folder(runs) / _STAMP).unlink(missing_ok=True)
    ensure_installation(runs)


if __name__ == "__main__":
    main()
