"""Run a program so that nothing that it starts outlives the process that started it.

A guard is a small process between the two. It ends the program when its starter ends, even by
SIGKILL, and ends all that the program started when the program ends. The guard adopts descendants
that lose their parent (Linux), so none escapes in a session or process group of its own. If the
guard is killed, the kernel kills the program, and the starter ends the rest; `attend` is a starter
for programs that have none of their own.

This file runs as a script with nothing but the standard library: a guard takes 45 ms and 11 MB.
"""

import ctypes
import json
import os
import select
import signal
import sys
import time

# ruff: noqa: PTH100, PTH123, PTH208
# A start with pathlib would take twice the time.
from collections.abc import Iterable, Sequence

# The environment of a guarded program, and of all that inherit it, names its guard.
MARK = "TACHO_GUARD"
# Everything must end within 5 s of the end of the starter. PostgreSQL needs some of it to stop
# cleanly. A program with a cleaning command leaves most of it to this command.
_LOST_GRACE_S, _LOST_GRACE_BEFORE_CLEANING_S = 2.5, 1.0
_KILL_S = 10.0
_CLEANING_S = 20.0
_LONGEST_WAIT_S = 0.2
_POLL_S = 0.25
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36
_PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
_HANDLED = (*_PASSED_ON, signal.SIGHUP)
_NOT_FOUND = 127


def guard_command(
    argv: Iterable[str],
    *,
    stop_signal: signal.Signals = signal.SIGTERM,
    grace_s: float = _LOST_GRACE_S,
    status: int = -1,
    afterwards: Sequence[str] = (),
) -> list[str]:
    """Return the command that runs `argv` below a guard. This process must start it itself.

    A signal to the guard goes to the program, which must then end within `grace_s` seconds. SIGHUP
    has the effect of the end of this process. The exit code is the program's.

    Args:
        argv: the program.
        stop_signal: requests its end when this process ends.
        grace_s: after this time, the program and all that it started are killed.
        status: a file descriptor to which the guard writes the program's id, then closes it.
        afterwards: a command to run if the program did not end by itself with exit code 0. It
            removes what is not a process.
    """
    orders = [os.getpid(), stop_signal, grace_s, status, list(afterwards)]
    return [*_script(), json.dumps(orders), *argv]


def attend_command(argv: Iterable[str], afterwards: Sequence[str] = ()) -> list[str]:
    """Return a command that runs `argv` below a guard, for any process to become or to start."""
    orders = [0, signal.SIGTERM, _CLEANING_S, -1, list(afterwards)]
    return [*_script(), json.dumps(orders), *argv]


def attend_this_process(module: str, afterwards: Sequence[str] = ()) -> None:
    """Start this process again below a guard, unless it has one.

    Args:
        module: run by `python -m` with the arguments of this process.
        afterwards: see `guard_command`.
    """
    if MARK not in os.environ:
        argv = [sys.executable, "-m", module, *sys.argv[1:]]
        attended = attend_command(argv, afterwards)
        os.execv(attended[0], attended)  # noqa: S606


def adopt_orphans() -> None:
    """Adopt descendants that lose their parent, so that none outlives this process unnoticed
    (Linux)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent(number: signal.Signals) -> None:
    """Have the kernel send this process a signal when its parent ends (Linux)."""
    _prctl(_PR_SET_PDEATHSIG, number)


def end_children(kept: frozenset[int] = frozenset()) -> None:
    """Kill and reap all descendants, except those below the children `kept`, in at most 10 s."""
    deadline, wait_s = time.monotonic() + _KILL_S, 0.001
    while victims := _list_descendants(kept):
        for pid in victims:
            _send(pid, signal.SIGKILL)
        for pid in victims:
            _reap(pid)
        if time.monotonic() > deadline:
            return
        time.sleep(wait_s)
        wait_s = min(2 * wait_s, _LONGEST_WAIT_S)


def main(arguments: list[str]) -> None:
    """Run the orders of `guard_command` or `attend_command`, and end like the program."""
    starter, stop_signal, grace_s, status, afterwards = json.loads(arguments[0])
    argv = arguments[1:]
    if not starter:
        _end_like(_attend(argv, afterwards))
    lost = _open_process(starter)
    if os.getppid() != starter:
        return
    _end_like(_guard(argv, starter, lost, stop_signal, grace_s, status, afterwards))


def _attend(argv: list[str], afterwards: list[str]) -> int:
    """Return the wait status of a guard of its own in another session, so that no signal to a
    process group ends both."""
    adopt_orphans()
    signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
    starter = os.getpid()
    guard = os.fork()
    if guard == 0:
        os.setsid()
        lost = _open_process(starter)
        if os.getppid() == starter:
            grace_s = _CLEANING_S
            _end_like(_guard(argv, starter, lost, signal.SIGTERM, grace_s, -1, afterwards))
        os._exit(1)
    ended = _watch(guard, 0, None, signal.SIGHUP, 2 * _CLEANING_S, 2 * _CLEANING_S)
    end_children()
    return ended


def _guard(
    argv: list[str],
    starter: int,
    lost: int | None,
    stop_signal: int,
    grace_s: float,
    status: int,
    afterwards: list[str],
) -> int:
    """Return the wait status of the program after all that it started has ended."""
    adopt_orphans()
    os.environ[MARK] = os.urandom(8).hex()
    signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
    if status >= 0:
        os.set_inheritable(status, False)
    program = _start(argv)
    if status >= 0:
        os.write(status, str(program).encode())
        os.close(status)
    lost_grace_s = min(grace_s, _LOST_GRACE_BEFORE_CLEANING_S if afterwards else _LOST_GRACE_S)
    ended = _watch(program, starter, lost, stop_signal, grace_s, lost_grace_s)
    end_children()
    if afterwards and ended != 0:
        cleaner = _start(afterwards)
        _watch(cleaner, 0, None, signal.SIGKILL, _CLEANING_S, _CLEANING_S, limit_s=_CLEANING_S)
        end_children()
    return ended


def _start(argv: list[str]) -> int:
    """Start a program as leader of its own session, and return its id. It dies with this
    process (Linux)."""
    own = os.getpid()
    program = os.fork()
    if program:
        return program
    try:
        os.setsid()
        end_with_parent(signal.SIGKILL)
        # The kernel sends nothing if the parent was gone before.
        if os.getppid() == own:
            # A shell's background jobs ignore SIGINT, and programs inherit what is ignored.
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, *_HANDLED):
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.execvp(argv[0], argv)  # noqa: S606
    except OSError as error:
        os.write(2, f"{argv[0]} cannot be started: {error.strerror}.\n".encode())
    finally:
        os._exit(_NOT_FOUND)


def _watch(
    program: int,
    starter: int,
    lost: int | None,
    stop_signal: int,
    grace_s: float,
    lost_grace_s: float,
    limit_s: float | None = None,
) -> int:
    """Return the wait status of a child; reap all other children that end meanwhile.

    Args:
        program: the child.
        starter: the process whose end ends the child; 0 for none.
        lost: is readable when the starter has ended; None if this system has no such handle.
        stop_signal: sent to the child when the starter has ended.
        grace_s: from the first signal until the child is killed.
        lost_grace_s: from the end of the starter, or SIGHUP, until the child is killed.
        limit_s: until the child is killed in any case.
    """
    arrived, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(arrived, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _ignore)
    for handled in _HANDLED:
        signal.signal(handled, _ignore)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    deadline = None if limit_s is None else time.monotonic() + limit_s
    is_asked = False
    while (ended := _reap_all(program)) is None:
        now = time.monotonic()
        if deadline is not None and now >= deadline:
            _send(program, signal.SIGKILL)
            deadline = now + _LONGEST_WAIT_S
        has_starter = bool(starter) and not is_asked
        files = [arrived, lost] if has_starter and lost is not None else [arrived]
        wait_s = None if deadline is None else deadline - now
        if has_starter and lost is None:
            wait_s = _POLL_S if wait_s is None else min(wait_s, _POLL_S)
        select.select(files, [], [], wait_s)
        numbers = _read_all(arrived)
        for number in numbers:
            if number in _PASSED_ON:
                _send(program, number)
                deadline = deadline or time.monotonic() + grace_s
        is_lost = has_starter and os.getppid() != starter
        if not is_asked and (is_lost or signal.SIGHUP in numbers):
            is_asked = True
            _send(program, stop_signal)
            deadline = time.monotonic() + lost_grace_s
    return ended


def _ignore(_number: int, _frame: object) -> None:
    """Handle a signal, whose number then arrives through the wake-up file."""


def _read_all(file: int) -> bytes:
    try:
        return os.read(file, 4096)
    except BlockingIOError:
        return b""


def _reap_all(program: int) -> int | None:
    """Reap all children that have ended; return the wait status of `program` if it is one."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == program:
            found = status


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _list_descendants(kept: frozenset[int]) -> list[int]:
    """Return the descendants of this process, parents first, including ended children; on a system
    without /proc, none."""
    children: dict[int, list[int]] = {}
    for name in _list_processes():
        if name.isdigit() and (parent := _find_parent(name)) is not None:
            children.setdefault(parent, []).append(int(name))
    found = [pid for pid in children.get(os.getpid(), ()) if pid not in kept]
    for pid in found:
        found += children.get(pid, ())
    return found


def _list_processes() -> list[str]:
    try:
        return os.listdir("/proc")
    except FileNotFoundError:
        return []


def _find_parent(pid: str) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name of the program may contain spaces and brackets.
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return None


def _open_process(pid: int) -> int | None:
    """Return a handle that is readable when a process has ended; None without such handles."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _end_like(status: int) -> None:
    """End this process as another one has ended."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        # The program may have dumped core. The guard has none to dump.
        _prctl(_PR_SET_DUMPABLE, 0)
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _script() -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", os.path.abspath(__file__))


if __name__ == "__main__":
    main(sys.argv[1:])
