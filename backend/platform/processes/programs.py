"""A started program with its guard, its log file, and a record by which a later start can find
it."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from backend.platform.disk import explain_full_disk, is_disk_full
from backend.platform.errors import PartFailed
from backend.platform.layout import Layout
from backend.platform.logs.log_files import rotate_if_long
from backend.platform.processes.guard import guard_command

_POLL_S = 0.03


@dataclass(frozen=True)
class ProgramSpec:
    """A program to start, and the condition under which it is ready.

    `stop_signal` requests its end. After `grace_s` seconds it is killed, with all that it started.
    If it did not end by itself with exit code 0, the command `afterwards` runs.
    """

    name: str
    argv: tuple[str, ...]
    is_ready: Callable[[], bool]
    environment: Mapping[str, str] = field(default_factory=dict)
    stop_signal: signal.Signals = signal.SIGTERM
    grace_s: float = 3.0
    ready_timeout_s: float = 60.0
    afterwards: tuple[str, ...] = ()


class RunningProgram:
    """A program that runs below a guard, so that it ends with this process. Both have a session of
    their own, so that Ctrl-C in a terminal does not reach them."""

    def __init__(self, part: ProgramSpec, layout: Layout) -> None:
        """Start the program. `pid` is its process id, and the id of its session."""
        self.part = part
        self.log = layout.logs / f"{part.name}.log"
        self._record = layout.run / f"{part.name}.json"
        rotate_if_long(self.log)
        reader, writer = os.pipe()
        with os.fdopen(reader, "rb") as status, self.log.open("ab") as log:
            self._log_start = log.tell()
            try:
                self._process = subprocess.Popen(
                    guard_command(
                        part.argv,
                        stop_signal=part.stop_signal,
                        grace_s=part.grace_s,
                        status=writer,
                        afterwards=part.afterwards,
                    ),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **part.environment},
                    pass_fds=(writer,),
                    start_new_session=True,
                )
            finally:
                os.close(writer)
            # Empty if the guard was killed at once.
            self.pid = int(status.read() or self._process.pid)
        self.started_s = time.monotonic()
        write_record(self._record, self.pid)

    @property
    def guard_pid(self) -> int:
        """The process id of the guard, which is a child of this process."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """The exit code; None while it runs, negative if a signal ended it."""
        return self._process.poll()

    def wait_ready(self) -> None:
        """Wait until the program is ready.

        Raises:
            PartFailed: it ended, or took longer than its `ready_timeout_s`.
        """
        deadline = time.monotonic() + self.part.ready_timeout_s
        while not self.part.is_ready():
            if self.exit_code() is not None:
                raise self._failed(self.describe_exit())
            if time.monotonic() > deadline:
                raise self._failed(f"was not ready after {self.part.ready_timeout_s:.0f} s")
            time.sleep(_POLL_S)

    def _failed(self, how: str) -> PartFailed:
        data = self.log.parent.parent
        why = f": {explain_full_disk(data)}" if is_disk_full(data) else ""
        return PartFailed(f"{self.part.name} {how}{why}.\n{self.show_lines(self.last_lines())}")

    def describe_exit(self) -> str:
        """Return how it ended, in words."""
        code = self.exit_code()
        if code is None:
            return "is running"
        if code < 0:
            return f"was ended by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"

    def last_lines(self, count: int = 15) -> list[str]:
        """Return the last lines of its log."""
        try:
            with self.log.open("rb") as log:
                log.seek(max(self._log_start, self.log.stat().st_size - 16384))
                return log.read().decode(errors="replace").splitlines()[-count:]
        except OSError:
            return []

    def bound_log(self) -> None:
        """Move the content of the log to older files if it is too long."""
        with suppress(OSError):
            if rotate_if_long(self.log):
                self._log_start = 0

    def show_lines(self, lines: list[str]) -> str:
        """Return the last lines of its log, after the name of the file, for people."""
        return "\n".join([f"{self.log}:", *(f"  {line}" for line in lines)])

    def ask_to_stop(self) -> None:
        """Send the stop signal to the program."""
        if self.exit_code() is None:
            self._process.send_signal(self.part.stop_signal)

    def hang_up(self) -> None:
        """Have the guard end the program as if this process had ended."""
        if self.exit_code() is None:
            self._process.send_signal(signal.SIGHUP)

    def finish(self, deadline_s: float) -> None:
        """Wait until `deadline_s` (monotonic clock), then kill the program and its session. Its
        guard ends all else that it started."""
        try:
            self._process.wait(max(0.0, deadline_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            kill_session(self.pid)
            self._process.wait()
        self._record.unlink(missing_ok=True)


@contextmanager
def running(part: ProgramSpec, layout: Layout) -> Iterator[None]:
    """Start a program, wait until it is ready, and stop it at the end."""
    program = RunningProgram(part, layout)
    try:
        program.wait_ready()
        yield
    finally:
        program.ask_to_stop()
        program.finish(time.monotonic() + part.grace_s)


def write_record(path: Path, pid: int) -> None:
    """Record a process by id and start time, because an id alone may be reused."""
    try:
        started = psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        # It has ended already.
        return
    path.write_text(json.dumps({"pid": pid, "started": started}))


def find_recorded(path: Path) -> psutil.Process | None:
    """Return the process of a record, if it is still alive."""
    try:
        record = json.loads(path.read_text())
        process = psutil.Process(int(record["pid"]))
        same = abs(process.create_time() - float(record["started"])) < 1.0
    except (OSError, ValueError, KeyError, psutil.NoSuchProcess):
        return None
    return process if same and lives(process) else None


def lives(process: psutil.Process) -> bool:
    """Return whether the process is alive and not a zombie."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def session_members(session: int) -> list[psutil.Process]:
    """Return all living processes of a session, including those whose leader has died."""
    members = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == session and lives(process):
                members.append(process)
        except (ProcessLookupError, PermissionError):
            continue
    return members


def kill_session(session: int) -> None:
    """Kill the remaining processes of a session."""
    kill_all(session_members(session))


def kill_all(processes: list[psutil.Process]) -> None:
    """Kill processes and wait until they have ended, at most a second."""
    for process in processes:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(processes, timeout=1.0)
