"""Check addresses and ports, and find free ports."""

import errno
import ipaddress
import os
import random
import socket
from collections.abc import Collection
from pathlib import Path

from backend.platform.errors import PlatformError

_OUTGOING_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 20_000
_ATTEMPTS = 200


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server that listens on `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def public_url(host: str, port: int) -> str:
    """Return the address by which a browser on this machine reaches a server that listens on
    `host`."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def trusts_loopback(host: str, token: str, chosen: bool | None) -> bool:
    """Return whether `tacho up` lets programs on this machine make changes without a token.

    Args:
        host: the address that the API listens on.
        token: TACHO_TOKEN; with a token, the result is False.
        chosen: TACHO_TRUST_LOOPBACK; None leaves the choice to Tacho.
    """
    return not token and is_loopback(host) and chosen is not False


def check_exposure(host: str, token: str) -> None:
    """Raise PlatformError if other machines can reach Tacho and no token is set."""
    if not token and not is_loopback(host):
        raise PlatformError(
            f"TACHO_HOST={host} lets other machines reach Tacho. Set TACHO_TOKEN, the secret that "
            "calls must carry to make changes, or leave TACHO_HOST at 127.0.0.1."
        )


def check_port(host: str, port: int) -> None:
    """Raise PlatformError, which names TACHO_PORT or TACHO_HOST, if the API cannot listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PlatformError(_explain(host, port, error)) from error


def find_free_port(taken: Collection[int] = ()) -> int:
    """Return a random free TCP port. Raises PlatformError if there is none.

    Random, because connections of an earlier program may block a fixed port. It lies below
    the kernel's range for outgoing connections. Otherwise such a connection could take the port
    before the program that it is for.
    """
    first_outgoing = int(_OUTGOING_PORTS.read_text(encoding="ascii").split()[0])
    lowest, highest = (_LOWEST, first_outgoing) if first_outgoing > _LOWEST else (1_024, _LOWEST)
    for port in random.sample(range(lowest, highest), min(_ATTEMPTS, highest - lowest)):
        if port not in taken and _is_free(port):
            return port
    raise PlatformError(f"No free port was found between {lowest} and {highest}.")


def _is_free(port: int) -> bool:
    """Bound on all addresses, because some programs listen on all of them."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def _explain(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is in use by another program. Choose another one: "
            f"TACHO_PORT={port + 1} make up"
        )
    if error.errno == errno.EACCES:
        return f"This user may not listen on port {port}. Choose one above 1023 with TACHO_PORT."
    return (
        f"Cannot listen on TACHO_HOST={host}: {os.strerror(error.errno or 0)}. "
        "Use an address of this machine."
    )
