"""Check addresses and ports, and find free ports."""

import errno
import ipaddress
import os
import random
import socket
from collections.abc import Collection, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from backend.platform.errors import PlatformError

_OUTGOING_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 20_000
_ATTEMPTS = 200
_IPV6_BITS = 64


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


def find_outside_url(chosen: str) -> str | None:
    """Return TACHO_PUBLIC_URL; None if it is empty or names a loopback address.

    Docker Compose sets a loopback address by default, and people may use another one.
    """
    return chosen if chosen and not is_loopback(urlsplit(chosen).hostname or "") else None


def is_proxied(chosen_url: str, trusted_proxies: Sequence[str]) -> bool:
    """Return whether the settings show that a proxy forwards requests of other machines.

    Args:
        chosen_url: TACHO_PUBLIC_URL.
        trusted_proxies: TACHO_TRUSTED_PROXIES.
    """
    return bool(trusted_proxies) or find_outside_url(chosen_url) is not None


def trusts_loopback(host: str, chosen: bool | None, *, has_token: bool, has_proxy: bool) -> bool:
    """Return whether `tacho up` lets programs on this machine make changes without signing in.

    Args:
        host: the address that the API listens on.
        chosen: TACHO_TRUST_LOOPBACK; None leaves the choice to Tacho.
        has_token: whether TACHO_TOKEN is set; with a token, the result is False.
        has_proxy: the result of `is_proxied`. A proxy on this machine may forward requests without
            any sign of it, so with a proxy the result is False.
    """
    return not has_token and not has_proxy and is_loopback(host) and chosen is not False


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


def name_network(address: str) -> str:
    """Return an IPv4 address, or the /64 network of an IPv6 address.

    Networks give a /64 or more to each customer. Another text is returned as it is.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, _IPV6_BITS), strict=False))
    return str(found)
