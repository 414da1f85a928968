"""Networks, addresses and ports that builds may reach."""

import ipaddress
from dataclasses import dataclass

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
    if not port.isascii() or not port.isdigit() or not 0 < int(port) <= _MAX_PORT:
        raise ValueError(f"must have a port from 1 to {_MAX_PORT} in {text}")
    return Destination(network, int(port))
