"""Waiting for a condition, and for the end of a process."""

import subprocess
import time
from collections.abc import Callable

_POLL_SECONDS = 0.5


def has_come(
    seen: Callable[[], object], seconds: float, poll_seconds: float = _POLL_SECONDS
) -> bool:
    """Return whether a condition becomes true within a number of seconds."""
    deadline = time.monotonic() + seconds
    while not seen():
        if time.monotonic() > deadline:
            return False
        time.sleep(poll_seconds)
    return True


def expect(seen: Callable[[], object], seconds: float, problem: str) -> None:
    """Wait until a condition is true. Raises TimeoutError, with the problem, if it stays false."""
    if not has_come(seen, seconds):
        raise TimeoutError(f"Waited for {seconds:.0f} s: {problem}.")


def end_process(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """End a process, and kill it if it lasts longer. Return whether it ended by itself."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    return True
