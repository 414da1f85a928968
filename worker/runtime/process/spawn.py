"""Starts a program that is pinned, accounted for and recorded before its first instruction.

The child begins as a shell that waits for a line of input. Meanwhile the parent pins and records
it. Therefore no code runs in the child between fork and exec, which is unsafe in a program with
threads. The boot time of a service includes no launcher. If the parent dies first, the program
never starts.

In a sandbox there are two such shells. The first waits until the launcher is recorded. The second
waits inside the sandbox, so that the boot time does not include the making of namespaces. Only the
second one becomes the program, and only it is placed in the control group.
"""

import os
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from worker.runtime.base import MAX_OPEN_FILES, MAX_PROCESSES
from worker.runtime.errors import StartFailed
from worker.runtime.process.sandbox import Network, NetworkNamespace, Sandbox, View

_GATE = ("/bin/sh", "-c", 'read -r _ && exec "$@" </dev/null', "tacho")
# The launcher in a sandbox still needs the input, for the gate inside.
_OUTER_GATE = ("/bin/sh", "-c", 'read -r _ && exec "$@"', "tacho")
_LAUNCH_S = 30.0
_POLL_S = 0.001


@dataclass(frozen=True)
class Spawned:
    """A started program, and the process that this one waits for, the leader of a session.

    `pid` is the program's own. It differs from that of `process` in a sandbox.
    """

    process: "subprocess.Popen[bytes]"
    pid: int
    started_ns: int


@dataclass(frozen=True)
class Confinement:
    """The sandbox of a program, what it sees, and its network."""

    sandbox: Sandbox
    view: View
    network: NetworkNamespace | Network


def spawn(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    cpus: Sequence[int],
    record: Callable[[int], None],
    place: Callable[[int], None],
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
    confinement: Confinement | None = None,
) -> Spawned:
    """Start `command` in `folder` on `cpus` (all if empty).

    Before the program begins, calls `record` with the pid of the session, and then `place` with the
    pid of the program. A program that does not exist ends with exit code 127 and a message on
    stderr.

    Raises:
        OSError: the child cannot be created, recorded or placed; nothing runs then.
        StartFailed: the sandbox could not be made.
    """
    argv = [*_GATE, *command]
    if confinement is not None:
        inside = confinement.sandbox.wrap(argv, confinement.view, confinement.network)
        argv = [*_OUTER_GATE, *inside]
    process = subprocess.Popen(
        argv,
        cwd=folder if confinement is None else "/",
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
        _set_limits(process.pid, is_confined=confinement is not None)
        record(process.pid)
        pid = process.pid
        if confinement is not None:
            process.stdin.write(b"\n")
            process.stdin.flush()
            pid = await_program(process, "sh")
        place(pid)
        started_ns = time.monotonic_ns()
        process.stdin.write(b"\n")
        process.stdin.close()
    except (OSError, StartFailed):
        process.kill()
        process.communicate()
        raise
    return Spawned(process, pid, started_ns)


def await_program(process: "subprocess.Popen[bytes]", name: str) -> int:
    """Return the pid of the program `name` that a launcher starts as its innermost child.

    Raises:
        StartFailed: the launcher ended, or took longer than 30 s.
    """
    deadline = time.monotonic() + _LAUNCH_S
    while process.poll() is None and time.monotonic() < deadline:
        pid = _find_innermost(process.pid)
        if pid != process.pid and _read_name(pid) == name:
            return pid
        time.sleep(_POLL_S)
    raise StartFailed(f"The sandbox of {name} could not be made.", "")


def _find_innermost(pid: int) -> int:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return pid
    return _find_innermost(int(children[0])) if children else pid


def _read_name(pid: int) -> str:
    """Return the name of the file that a process runs; empty if it has ended."""
    try:
        first = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return ""
    return Path(os.fsdecode(first)).name


def _set_limits(pid: int, *, is_confined: bool) -> None:
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = MAX_OPEN_FILES if allowed == resource.RLIM_INFINITY else min(allowed, MAX_OPEN_FILES)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (files, files))
    if is_confined:
        resource.prlimit(pid, resource.RLIMIT_NPROC, (MAX_PROCESSES, MAX_PROCESSES))
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
