"""Starts a program that is pinned, accounted for and recorded before its first instruction.

The child begins as a shell that waits for a line of input. Meanwhile the parent pins and records
it. Therefore no code runs in the child between fork and exec, which is unsafe in a program with
threads. The boot time of a service includes no launcher. If the parent dies first, the program
never starts.
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
    """A started program, the leader of a session of its own."""

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
    """Start `command` in `folder` on `cpus` (all if empty), after calling `place` with its pid.

    A program that does not exist ends with exit code 127 and a message on stderr. Raises `OSError`
    if the child cannot be created or placed; nothing runs then.
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
