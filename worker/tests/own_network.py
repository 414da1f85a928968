"""A network namespace for a test, and a machine next to it.

Load and rules of a firewall then stay away from the network of this machine.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tools.benchmarks.links import FarHost, PlainLink, add_far_hosts, run_command

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET


@contextmanager
def own_network(*, forwards: bool = True) -> Iterator[None]:
    """Give this thread, and all that it starts, a network with only a loopback device; needs root.

    Args:
        forwards: whether it forwards IP packets, as a host with containers does.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/thread-self/ns/net").open("rb") as before:
        _check(libc.unshare(_NEW_NETWORK))
        try:
            run_command("ip", "link", "set", "lo", "up")
            setting = Path("/proc/sys/net/ipv4/ip_forward")
            setting.write_text(str(int(forwards)), encoding="ascii")
            yield
        finally:
            _check(libc.setns(before.fileno(), _NEW_NETWORK))


@contextmanager
def open_neighbour() -> Iterator[FarHost]:
    """Make a far host behind a pair of virtual Ethernet devices that cannot be shaped."""
    with ExitStack() as exits:
        (host,) = add_far_hosts(exits, 1, PlainLink)
        yield host


def _check(result: int) -> None:
    """Raise OSError if a function of the C library failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
