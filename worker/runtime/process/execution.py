"""Runs a command of the load generator as a process and reads its output."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from worker.runtime.exit import Exit
from worker.runtime.output import STDERR_TAIL_BYTES, LineStream, Tail

_CHUNK_BYTES = 65536
# From the start of a command until it handles SIGINT, at most.
_SETTLE_S = 5.0
_POLL_S = 0.001


class ProcessExecution:
    """Implements `worker.runtime.base.Execution` for a spawned process.

    `pid` is the program's own, which differs from that of `process` in a sandbox.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", pid: int) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._pid = pid
        self._stdout = LineStream()
        self._stderr = Tail(STDERR_TAIL_BYTES)
        self._readers = (
            _read_in_thread(process.stdout, self._stdout.write, self._stdout.close),
            _read_in_thread(process.stderr, self._stderr.write, lambda: None),
        )

    def lines(self) -> Iterator[str]:
        """Stdout line by line as it comes."""
        return self._stdout.lines()

    def interrupt(self) -> None:
        """Send SIGINT, if the command still runs, as soon as the command handles it.

        A command that has only just begun would miss it: the kernel sends the first process of a
        PID namespace only signals that it handles, and the parent may ignore SIGINT, as background
        jobs of a shell do.
        """
        deadline = time.monotonic() + _SETTLE_S
        while (
            self._process.poll() is None
            and not _handles(self._pid, signal.SIGINT)
            and time.monotonic() < deadline
        ):
            time.sleep(_POLL_S)
        self._send(signal.SIGINT)

    def finish(self) -> None:
        """Send SIGUSR1: a load ends once its requests are answered."""
        self._send(signal.SIGUSR1)

    def wait(self, timeout_s: float) -> Exit:
        """Return how the command ended; raises `TimeoutError`."""
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(f"The command still runs after {timeout_s} s.") from error
        for reader in self._readers:
            reader.join()
        return Exit.from_code(code)

    @property
    def stderr(self) -> str:
        """The tail of stderr so far."""
        return self._stderr.text

    def _send(self, number: signal.Signals) -> None:
        # Without a check, the signal could reach another process that got the pid later.
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, number)


def _handles(pid: int, number: signal.Signals) -> bool:
    """Return whether a process has a handler for a signal, or has ended (Linux)."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return True
    caught = next((line.split()[1] for line in lines if line.startswith("SigCgt:")), "0")
    return bool(int(caught, 16) >> (number - 1) & 1)


def _read_in_thread(
    pipe: IO[bytes], write: Callable[[bytes], None], close: Callable[[], None]
) -> threading.Thread:
    def read() -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), _CHUNK_BYTES):
                write(chunk)
        close()

    thread = threading.Thread(target=read, name="execution-output", daemon=True)
    thread.start()
    return thread
