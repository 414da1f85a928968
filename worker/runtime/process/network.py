"""The network namespaces of pods and of builds."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from worker.runtime.errors import RuntimeFailure
from worker.runtime.process.sandbox import NetworkNamespace, Sandbox
from worker.runtime.process.spawn import await_program

# The load's own connections must not use the ports on which services listen, as in Docker.
_HOLD = """\
echo 10240 65535 2>/dev/null >/proc/sys/net/ipv4/ip_local_port_range
echo 4096 2>/dev/null >/proc/sys/net/core/somaxconn
exec cat
"""


class PodNetwork:
    """A network namespace with only a loopback device. A process holds it."""

    def __init__(self, sandbox: Sandbox, place: Callable[[int], None]) -> None:
        """Start the holder; `place` is called with its pid before the namespace is used."""
        self._process = subprocess.Popen(
            sandbox.hold(["/bin/sh", "-c", _HOLD]),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.defpath},
            cwd="/",
            start_new_session=True,
        )
        place(self._process.pid)
        self.namespace = NetworkNamespace(await_program(self._process, "cat"))

    def close(self) -> None:
        """End the holder; repeatable."""
        self._process.kill()
        self._process.communicate()


def find_slirp() -> str | None:
    """Return the program that connects the network of a build with other machines."""
    return shutil.which("slirp4netns")


@contextmanager
def connect(slirp: str, pid: int, log: Path) -> Iterator[None]:
    """Connect the network namespace of a process with other machines, not with this one's loopback.

    Raises:
        RuntimeFailure: slirp4netns does not start.
    """
    reader, writer = os.pipe()
    # The program ends when `end` is closed, also because this process is killed.
    until, end = os.pipe()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                *(slirp, "--configure", "--disable-host-loopback", "--mtu=65520"),
                *(f"--ready-fd={writer}", f"--exit-fd={until}", str(pid), "tap0"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=(writer, until),
            start_new_session=True,
        )
    os.close(writer)
    os.close(until)
    try:
        with os.fdopen(reader, "rb") as ready:
            if not ready.read(1):
                reason = log.read_text(errors="replace").strip().splitlines()[-1:]
                raise RuntimeFailure(f"The network of a build could not be made: {reason}.")
        yield
    finally:
        os.close(end)
        process.kill()
        process.wait()
