"""Records on disk which processes a trial started, so that they can be killed after a crash.

A process is recognised by pid and start time, so that a process with a reused pid is never killed.
Its forks are recognised by their session and by `TACHO_TRIAL` and `TACHO_ATTEMPT` in their
environment. Each attempt of a trial has a ledger of its own.
"""

import json
import os
import select
import signal
import threading
from dataclasses import dataclass
from pathlib import Path

import psutil

MARK = "TACHO_TRIAL"
ATTEMPT_MARK = "TACHO_ATTEMPT"
_FILE = "ledger.jsonl"
_ATTEMPT_FILE = "attempt"
_KILL_ROUNDS = 20
_KILL_WAIT_S = 0.5


@dataclass(frozen=True)
class ProcessStat:
    """Distinguishes a process from a later process with the same pid."""

    session: int
    start_ticks: int


def find_process_stat(pid: int) -> ProcessStat | None:
    """Return session and start time (clock ticks since boot); None if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name of the command may contain spaces and brackets, so split at the last bracket.
    fields = text.rpartition(")")[2].split()
    return ProcessStat(session=int(fields[3]), start_ticks=int(fields[19]))


# trusted paths: only Tacho can write the folder, and services see nothing of it
def write_attempt(folder: Path, attempt: int) -> None:
    """Record to which attempt of a trial its folder belongs."""
    (folder / _ATTEMPT_FILE).write_text(str(attempt), encoding="ascii")


# trusted paths: only Tacho can write the folder, and services see nothing of it
def read_attempt(folder: Path) -> int:
    """Return the attempt to which a trial's folder belongs; 0 if none is recorded."""
    try:
        return int((folder / _ATTEMPT_FILE).read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return 0


class Ledger:
    """The processes and control groups of an attempt. Each is recorded before it begins to run.

    A build has no attempts.
    """

    def __init__(self, folder: Path, trial_id: str, attempt: int | None = None) -> None:
        self._path = folder / (_FILE if attempt is None else f"{attempt}.{_FILE}")
        self._marks = {f"{MARK}={trial_id}".encode()}
        if attempt is not None:
            self._marks.add(f"{ATTEMPT_MARK}={attempt}".encode())
        self._lock = threading.Lock()

    @property
    def exists(self) -> bool:
        """Return whether anything was recorded."""
        return self._path.exists()  # trusted path: see `_append`

    def add_process(self, pid: int) -> None:
        """Record a process that is a session leader."""
        stat = find_process_stat(pid)
        if stat is not None:
            self._append({"pid": pid, "start_ticks": stat.start_ticks, "boot_id": _boot_id()})

    def add_group(self, folder: Path) -> None:
        """Record a control group's folder."""
        self._append({"group": str(folder)})

    def groups(self) -> list[Path]:
        """Return the folders of the recorded control groups."""
        return [Path(str(entry["group"])) for entry in self._entries() if "group" in entry]

    def kill(self) -> None:
        """Kill every process of this trial and wait until all have ended.

        Searches again after each round, because a process may fork during a search.
        """
        for _ in range(_KILL_ROUNDS):
            victims = self._find_processes()
            if not victims:
                return
            handles = [handle for handle in map(_open_pidfd, victims) if handle is not None]
            try:
                for handle in handles:
                    _kill(handle)
                for handle in handles:
                    _wait_gone(handle)
            finally:
                for handle in handles:
                    os.close(handle)

    def _find_processes(self) -> list[int]:
        leaders = self._leaders()
        own = os.getpid()
        return [
            pid
            for pid in psutil.pids()
            if pid != own
            and not _is_zombie(pid)
            and (_is_led(pid, leaders) or _has_marks(pid, self._marks))
        ]

    def _leaders(self) -> dict[int, int]:
        """Return start times by pid of recorded leaders that are not yet reaped."""
        boot = _boot_id()
        leaders = {}
        for entry in self._entries():
            if entry.get("boot_id") != boot:
                continue
            pid, start_ticks = int(str(entry["pid"])), int(str(entry["start_ticks"]))
            stat = find_process_stat(pid)
            if stat is not None and stat.start_ticks == start_ticks:
                leaders[pid] = start_ticks
        return leaders

    # trusted paths: only Tacho can write the folder, and services see nothing of it
    def _entries(self) -> list[dict[str, object]]:
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        entries = []
        for line in lines:
            try:
                entries.append(json.loads(line))
            except json.JSONDecodeError:  # the line was cut off by a crash
                continue
        return entries

    # trusted paths: only Tacho can write the folder, and services see nothing of it
    def _append(self, entry: dict[str, object]) -> None:
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _is_led(pid: int, leaders: dict[int, int]) -> bool:
    stat = find_process_stat(pid)
    return stat is not None and stat.session in leaders


def _has_marks(pid: int, marks: set[bytes]) -> bool:
    try:
        return marks <= set(Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"))
    except OSError:  # it has ended, or belongs to another user
        return False


def _is_zombie(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return text.rpartition(")")[2].split()[0] in "ZX"


def _open_pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def _kill(handle: int) -> None:
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        return


def _wait_gone(handle: int) -> None:
    """Wait until a process has ended: its handle then becomes readable."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.poll(_KILL_WAIT_S * 1000)
