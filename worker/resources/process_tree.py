"""Reads counters of a process and its descendants, for hosts without control groups."""

from pathlib import Path

import psutil

from worker.resources.counters import Counters, SourceGone

# Position of `minflt` after the name. `cminflt`, `majflt` and `cmajflt` follow.
_MINOR_FAULTS = 7


class ProcessTree:
    """Reads a root process and its descendants.

    CPU time is counted in clock ticks (10 ms). A child's time passes to its parent when the parent
    waits for it. The time of a child without a waiting parent is lost, so the sum is best effort.
    """

    name = "process"

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._root: psutil.Process | None = None

    def read(self) -> Counters:
        """Return the present counters; raises `SourceGone` if the root process has ended."""
        try:
            self._root = self._root or psutil.Process(self._pid)
            members = [self._root, *self._root.children(recursive=True)]
            total = _read_process(self._root)
        except psutil.Error as error:
            raise SourceGone(str(self._pid)) from error
        for member in members[1:]:
            try:
                total = total.add(_read_process(member))
            except psutil.Error:  # it ended after it was listed, and its parent has its time
                continue
        return total


def _read_process(process: psutil.Process) -> Counters:
    with process.oneshot():
        if process.status() == psutil.STATUS_ZOMBIE:
            raise psutil.ZombieProcess(process.pid)
        times = process.cpu_times()
        cpu = times.user + times.system + times.children_user + times.children_system
        threads = process.num_threads()
    memory = _memory_kib(process.pid)
    return Counters(
        cpu_seconds=cpu,
        memory_bytes=memory.get("VmRSS", 0) * 1024,
        memory_peak_bytes=memory.get("VmHWM", 0) * 1024,
        memory_anon_bytes=memory.get("RssAnon", 0) * 1024,
        memory_file_bytes=(memory.get("RssFile", 0) + memory.get("RssShmem", 0)) * 1024,
        threads=threads,
        page_faults=_count_page_faults(process.pid),
    )


def _count_page_faults(pid: int) -> int:
    """Return the page faults of a process and of its children that have ended (`proc(5)`)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise psutil.NoSuchProcess(pid) from error
    # The name of the program, in parentheses, may contain spaces and parentheses.
    fields = text.rpartition(")")[2].split()
    return sum(map(int, fields[_MINOR_FAULTS : _MINOR_FAULTS + 4]))


def _memory_kib(pid: int) -> dict[str, int]:
    try:
        return parse_status_kib(Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
    except OSError as error:
        raise psutil.NoSuchProcess(pid) from error


def parse_status_kib(text: str) -> dict[str, int]:
    """Return the `kB` lines of `/proc/<pid>/status`, in KiB by name."""
    rows = (line.split() for line in text.splitlines())
    return {row[0].rstrip(":"): int(row[1]) for row in rows if len(row) == 3 and row[2] == "kB"}
