"""Starts a program that is pinned, accounted for and on record before its first instruction.

The child begins as a shell that waits at a gate. While it waits, the parent places it; so
nothing runs in the child between fork and exec (unsafe in a program with threads), no launcher
counts into the service's boot time, and if the parent dies first the program never starts.
"""

import os
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_GATE = ("/bin/sh", "-c", 'read -r _ && exec "$@" </dev/null', "tacho")


@dataclass(frozen=True)
class Spawned:
    """A started program; leader of a session of its own."""

    process: "subprocess.Popen[bytes]"
    started_wall_ns: int


def spawn(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    cpus: Sequence[int],
    place: Callable[[int], None],
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
) -> Spawned:
    """Start `command` in `folder` on `cpus` (all, when empty), once `place` has seen its pid.

    A program that does not exist ends with exit code 127 and a message on stderr. Raises
    `OSError` when the child cannot be created or placed; then nothing is left running.
    """
    process = subprocess.Popen(
        [*_GATE, *command],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
    )
    assert process.stdin is not None
    try:
        if cpus:
            os.sched_setaffinity(process.pid, cpus)
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (hard, hard))
        place(process.pid)
        started_wall_ns = time.time_ns()
        process.stdin.write(b"\n")
        process.stdin.close()
    except OSError:
        process.kill()
        process.communicate()
        raise
    return Spawned(process, started_wall_ns)
