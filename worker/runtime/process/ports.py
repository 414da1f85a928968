"""Free loopback ports for services that share the host's network."""

import random
import socket
from pathlib import Path

from worker.runtime.errors import RuntimeFailure

_RANGE_FILE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 20_000
_ATTEMPTS = 200


def find_free_port(taken: set[int]) -> int:
    """A random free port; raises `RuntimeFailure` when none is found.

    Random, as connections of the trial before may keep a fixed port from being bound. It lies
    below the range from which the kernel serves outgoing connections: the load generator's own
    could otherwise take it before the service has it.
    """
    first_outgoing = int(_RANGE_FILE.read_text(encoding="ascii").split()[0])
    lowest, highest = (_LOWEST, first_outgoing) if first_outgoing > _LOWEST else (1_024, _LOWEST)
    for port in random.sample(range(lowest, highest), _ATTEMPTS):
        if port not in taken and _is_free(port):
            return port
    raise RuntimeFailure("No free loopback port was found.")


def _is_free(port: int) -> bool:
    """Bound on all addresses, because some services listen on all of them."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True
