"""Watches the threads with which JVMs compile their code, and helps them while a load warms up.

A JVM interprets code first, and compiles what runs often in threads of its own. Under a load that
fills the CPUs, each of a hundred threads gets a hundredth of them, and so does a compiler. The load
then looks steady for minutes, at a tenth of the speed that it reaches later.
"""

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

# The kernel cuts names after 15 characters: `C2 CompilerThread0` is one.
_COMPILER = re.compile(r"^(C1|C2|JVMCI) Compiler")
_FIND_SECONDS = 5.0
_HIGHEST_PRIORITY, _USUAL_PRIORITY = -20, 0
# A thread with priority may start another while they are looked for.
_REST_PASSES = 5


class CompilerThreads:
    """The compiler threads of processes and their descendants. There may be none.

    `were_hurried` is whether any had priority.
    """

    def __init__(self, list_processes: Callable[[], Sequence[int]]) -> None:
        """Look for nothing yet.

        Args:
            list_processes: returns the ids of the first processes of a service and its peers.
        """
        self._list_processes = list_processes
        self._roots: Sequence[int] | None = None
        self._threads: list[Path] = []
        self._found_at = 0.0
        # Time (ns) that each thread has run or waited for a CPU, and when that was read.
        self._work_ns: dict[Path, int] = {}
        self._read_ns = 0
        self._is_hurried = False
        self.were_hurried = False
        self._is_over = False
        # One thread reads once a second, and another decides when the window begins.
        self._lock = threading.Lock()

    def measure(self) -> float | None:
        """Return the share of the time since the last call in which a compiler had work.

        It has work while it runs or waits for a CPU. Of several, the busiest counts.

        Returns:
            None without compilers, and after `rest`.
        """
        if self._is_over:
            return None
        if time.monotonic() - self._found_at > _FIND_SECONDS:
            self._find()
        before, before_ns = self._work_ns, self._read_ns
        self._read_ns = time.monotonic_ns()
        self._work_ns = dict(_read_work(self._threads))
        if not self._work_ns:
            return None
        passed_ns = self._read_ns - before_ns
        # A new thread counts from the next call on.
        grown = [work - before.get(thread, work) for thread, work in self._work_ns.items()]
        return min(1.0, max(grown) / passed_ns)

    def hurry(self) -> None:
        """Give the compilers priority over all other threads, if this worker may."""
        if not self._is_hurried and not self._is_over:
            self._is_hurried = True
            self._raise()

    def rest(self) -> None:
        """Give the compilers the priority of the other threads again, and watch them no longer."""
        with self._lock:
            if self._is_over:
                return
            self._is_over = True
        if not self._is_hurried:
            return
        for _ in range(_REST_PASSES):
            if not self._lower():
                break

    def _lower(self) -> bool:
        """Give all threads with priority the usual one; return whether there were any.

        A thread inherits the priority of the thread that started it. So a service that gives a
        thread the name of a compiler must not keep priority for others that it starts.
        """
        was_higher = False
        for root in self._roots or ():
            for thread in _list_threads(root):
                with suppress(OSError):
                    if os.getpriority(os.PRIO_PROCESS, int(thread.name)) < _USUAL_PRIORITY:
                        os.setpriority(os.PRIO_PROCESS, int(thread.name), _USUAL_PRIORITY)
                        was_higher = True
        return was_higher

    def _find(self) -> None:
        self._found_at = time.monotonic()
        if self._roots is None:
            self._roots = self._list_processes()
        self._threads = [
            thread
            for root in self._roots
            for thread in _list_threads(root)
            if _COMPILER.match(_read(thread / "comm"))
        ]
        if self._is_hurried:
            self._raise()

    def _raise(self) -> None:
        with self._lock:
            # The window may have begun while the threads were looked for.
            for thread in () if self._is_over else self._threads:
                # Only the administrator may raise a priority. A thread may have ended.
                with suppress(OSError):
                    os.setpriority(os.PRIO_PROCESS, int(thread.name), _HIGHEST_PRIORITY)
                    self.were_hurried = True


def _list_threads(root: int) -> Iterator[Path]:
    """Yield the folders of the threads of a process and its descendants."""
    try:
        process = psutil.Process(root)
        pids = [root, *(child.pid for child in process.children(recursive=True))]
    except psutil.Error:
        return
    for pid in pids:
        with suppress(OSError):
            yield from Path(f"/proc/{pid}/task").iterdir()


def _read_work(threads: Sequence[Path]) -> Iterator[tuple[Path, int]]:
    """Yield how long each thread has run or waited for a CPU (ns)."""
    for thread in threads:
        ran_ns, waited_ns, *_ = (_read(thread / "schedstat") or "0 0").split()
        yield thread, int(ran_ns) + int(waited_ns)


def _read(path: Path) -> str:
    """Return the text of a file; empty if its thread has ended."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
