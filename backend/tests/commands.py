"""Runs `tacho` as a process of its own, as from a shell without settings of Tacho."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from backend.core.config import ROOT, Settings
from backend.tests.forked_commands import run_forked

TACHO = str(Path(sys.executable).with_name("tacho"))
# Long enough for a busy machine, which may build the load generator first.
LIMIT_S = 600


def make_environment(folder: Path, **variables: str) -> dict[str, str]:
    """Return the environment of a shell. The data folder is `folder/data`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("TACHO_") and name not in {"DATABASE_URL", "REDIS_URL"}
    }
    return {**kept, "TACHO_DATA": str(folder / "data"), "PYTHONPATH": str(ROOT), **variables}


def name_servers(settings: Settings) -> dict[str, str]:
    """Return the variables that name the servers of an installation."""
    return {"DATABASE_URL": settings.database_url, "REDIS_URL": settings.redis_url}


def call_tacho(
    variables: Mapping[str, str], *words: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command until it ends, without a traceback."""
    done = run_forked(variables, words, folder, LIMIT_S)
    assert "Traceback" not in done.stdout + done.stderr
    return done


def run_tacho(
    variables: Mapping[str, str], *words: str, folder: Path | None = None
) -> tuple[int, str]:
    """Return the exit code of a command, and all that it has printed."""
    done = call_tacho(variables, *words, folder=folder)
    return done.returncode, done.stdout + done.stderr


@contextmanager
def start_api(variables: Mapping[str, str], log: Path) -> Iterator[str]:
    """Start `tacho api`, and yield what it has printed when it listens."""
    with (
        log.open("w") as output,
        subprocess.Popen([TACHO, "api"], env=variables, stdout=output, stderr=output) as api,
    ):
        try:
            deadline = time.monotonic() + LIMIT_S
            while "Uvicorn running" not in log.read_text():
                assert api.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            yield log.read_text()
        finally:
            api.terminate()
