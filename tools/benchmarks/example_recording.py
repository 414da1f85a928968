"""The options of the recordings of examples, and the wait until the machine is idle."""

import argparse
import os
import time
from pathlib import Path

from backend.core.config import ROOT, get_settings
from backend.core.measurement.measurements.verdicts import ENOUGH_TRIALS
from backend.core.operations.examples.service import FOLDER
from backend.core.units import RuntimeKind
from tools.benchmarks.measuring import resolve_runtime

_MAX_LOAD = 0.5
_MOST_SECONDS = 300
_PAUSE_SECONDS = 10


def read_options(parser: argparse.ArgumentParser, name: str, sample: str) -> argparse.Namespace:
    """Return the options of a parser and those that all recordings have, and the folder `work`.

    It keeps what a recording has measured. Ends with an error if there is an interrupted recording
    and it is not resumed, or the other way round.

    Args:
        name: what is recorded.
        sample: what a sample is.
    """
    parser.add_argument("--trials", type=int, help=f"trials per result, at least {ENOUGH_TRIALS}")
    parser.add_argument("--runtime", type=RuntimeKind, choices=list(RuntimeKind))
    parser.add_argument("--folder", type=Path, default=ROOT / "services" / FOLDER)
    parser.add_argument("--sample", action="store_true", help=f"{sample}, to test the script")
    parser.add_argument("--resume", action="store_true", help="continue what was interrupted")
    given = parser.parse_args()
    given.work = get_settings().data / f"{name}-{'sample' if given.sample else 'recording'}"
    if given.work.exists() is not given.resume:
        parser.error(
            f"--resume: there is no interrupted recording in {given.work}"
            if given.resume
            else f"{given.work} has an interrupted recording; pass --resume, or delete the folder"
        )
    if not given.sample and given.trials is not None and given.trials < ENOUGH_TRIALS:
        parser.error(f"--trials: {given.trials} is too few; examples need {ENOUGH_TRIALS}")
    given.runtime = resolve_runtime(given.runtime)
    return given


def require_idle() -> None:
    """Wait until other programs have hardly used the CPUs for a minute.

    Raises:
        SystemExit: they still do after five minutes.
    """
    deadline = time.monotonic() + _MOST_SECONDS
    while (load := os.getloadavg()[0]) > _MAX_LOAD:
        if time.monotonic() > deadline:
            raise SystemExit(
                f"The load average of the last minute is {load:.1f}. Examples are recorded on an "
                f"idle machine (at most {_MAX_LOAD}). Stop other programs and try again."
            )
        print(f"Waiting until the machine is idle; its load average is {load:.1f} …", flush=True)
        time.sleep(_PAUSE_SECONDS)
