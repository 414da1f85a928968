"""Networks, addresses, names and ports that builds and webhooks may reach."""

import ipaddress
from dataclasses import dataclass

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

DEFAULT_PORTS = {"https": 443, "http": 80}
_MAX_PORT = 65_535


@dataclass(frozen=True)
class Destination:
    """An IPv4 network, with a TCP port or with all ports and protocols."""

    network: ipaddress.IPv4Network
    port: int | None = None

    @property
    def is_address(self) -> bool:
        """Return whether the network has a single address."""
        return self.network.prefixlen == self.network.max_prefixlen


def parse_destination(text: str) -> Destination:
    """Return the destination of a text like 10.1.0.0/16, 10.1.2.3 or 10.1.2.3:8081.

    Raises:
        ValueError: the text is something else; the message states what it must be.
    """
    name, colon, port = text.partition(":")
    try:
        network = ipaddress.IPv4Network(name)
    except ValueError as error:
        raise ValueError(
            f"must be a list of IPv4 addresses and networks such as 10.1.2.3:8081,10.1.0.0/16, "
            f"but {error}"
        ) from error
    if not colon:
        return Destination(network)
    return Destination(network, _read_port(port, text))


@dataclass(frozen=True)
class AllowedTarget:
    """An entry of TACHO_WEBHOOK_ALLOW.

    Attributes:
        host: a network, which may have a single address, or the name of a host.
        ports: the ports that it opens.
    """

    host: ipaddress.IPv4Network | ipaddress.IPv6Network | str
    ports: frozenset[int]

    def includes(self, host: str, port: int, address: Address | None) -> bool:
        """Return whether a webhook may connect to an address, which `host` resolved to."""
        if port not in self.ports:
            return False
        if isinstance(self.host, str):
            return self.host == host.lower().rstrip(".")
        return address is not None and address in self.host


def parse_allowed(entry: str) -> AllowedTarget:
    """Parse an entry of TACHO_WEBHOOK_ALLOW: a network, an address or a name, and maybe a port.

    Without a port, the entry opens the ports of https and http. An IPv6 address with a port is in
    brackets.

    Raises:
        ValueError: the port is wrong; the message states what it must be.
    """
    network = _find_network(entry)
    if network is not None:
        return AllowedTarget(network, frozenset(DEFAULT_PORTS.values()))
    host, colon, port = entry.rpartition(":")
    if not colon:
        return AllowedTarget(entry.lower().rstrip("."), frozenset(DEFAULT_PORTS.values()))
    network = _find_network(host.removeprefix("[").removesuffix("]"))
    return AllowedTarget(network or host.lower().rstrip("."), frozenset({_read_port(port, entry)}))


def _find_network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def _read_port(port: str, text: str) -> int:
    if not port.isascii() or not port.isdigit() or not 0 < int(port) <= _MAX_PORT:
        raise ValueError(f"must have a port from 1 to {_MAX_PORT} in {text}")
    return int(port)
