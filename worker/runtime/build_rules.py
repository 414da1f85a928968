"""Rules about the addresses that builds reach. Both runtimes apply them, each in its own way."""

import ipaddress
import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

import psutil

from backend.core.config import Settings
from backend.core.destinations import Destination, parse_destination
from worker.runtime.errors import RuntimeFailure

_URL = re.compile(r"https?://[^\s,|;\"']+")
_DEFAULT_PORTS = {"http": 80, "https": 443}
# Services of clouds that hand out credentials have addresses in it, such as 169.254.169.254.
_LINK_LOCAL = ipaddress.IPv4Network("169.254.0.0/16")
_ALL = ipaddress.IPv4Network("0.0.0.0/0")
# Networks that are not part of the Internet: "this" network, private use, carriers, IETF protocols,
# benchmarks (also the links of services), multicast and reserved. Networks for documentation are
# left out, because some firewalls translate to them.
_PRIVATE = tuple(
    map(
        ipaddress.IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.0.0.0/24"),
            *("192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4"),
        ),
    )
)


@dataclass(frozen=True)
class BuildRule:
    """Whether builds reach a destination. The first rule that matches a packet applies."""

    destination: Destination
    is_open: bool


@dataclass(frozen=True)
class BuildProxy:
    """The filtering proxy of builds. `url` names it by its address, so builds need no name server.

    Attributes:
        url: with the user and the password of the setting, if it has them.
    """

    url: str
    destination: Destination


def list_proxy_variables(url: str) -> dict[str, str]:
    """Return the variables by which programs find a proxy; none for an empty URL."""
    names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    return dict.fromkeys(names, url) if url else {}


def list_build_rules(settings: Settings, servers: Iterable[Destination] = ()) -> list[BuildRule]:
    """Return the rules of builds that begin now, in their order.

    Args:
        settings: TACHO_BUILD_ALLOW and TACHO_BUILD_PROXY are read.
        servers: servers that the worker's own settings name, which builds may reach too.

    Raises:
        RuntimeFailure: the address of the proxy is not known.
    """
    allowed = [parse_destination(text) for text in settings.build_allow]
    proxy = find_build_proxy(settings)
    if proxy is not None:
        allowed.append(proxy.destination)
    else:
        allowed += servers
    return order_rules(list_own_addresses(), allowed, is_proxied=proxy is not None)


def order_rules(
    own: Iterable[ipaddress.IPv4Address], allowed: Sequence[Destination], *, is_proxied: bool
) -> list[BuildRule]:
    """Return the rules in their order.

    A network that is allowed does not open the addresses of this machine and link-local addresses.
    Only an entry for the address itself opens these.

    Args:
        own: addresses of this machine.
        allowed: destinations that the operator allows.
        is_proxied: whether all other destinations are closed.
    """
    rest = (_ALL,) if is_proxied else _PRIVATE
    return [
        *(BuildRule(each, is_open=True) for each in allowed if each.is_address),
        *(BuildRule(Destination(ipaddress.IPv4Network(each)), is_open=False) for each in own),
        BuildRule(Destination(_LINK_LOCAL), is_open=False),
        *(BuildRule(each, is_open=True) for each in allowed if not each.is_address),
        *(BuildRule(Destination(each), is_open=False) for each in rest),
    ]


def list_own_addresses() -> list[ipaddress.IPv4Address]:
    """Return the IPv4 addresses of this machine, except those of the loopback network."""
    found = {
        ipaddress.IPv4Address(address.address)
        for addresses in psutil.net_if_addrs().values()
        for address in addresses
        if address.family is socket.AF_INET
    }
    return sorted(address for address in found if not address.is_loopback)


def find_build_proxy(settings: Settings) -> BuildProxy | None:
    """Return the proxy of TACHO_BUILD_PROXY; None if there is none.

    Raises:
        RuntimeFailure: its name has no address, or that of a loopback device.
    """
    if not settings.build_proxy:
        return None
    parts = urlsplit(settings.build_proxy)
    assert parts.hostname is not None
    assert parts.port is not None
    address = next(iter(_resolve(parts.hostname)), None)
    if address is None:
        raise RuntimeFailure(
            f"The name {parts.hostname} in TACHO_BUILD_PROXY has no IPv4 address. Correct it."
        )
    if address.is_loopback:
        raise RuntimeFailure(
            f"TACHO_BUILD_PROXY names the loopback address {address}, which builds do not reach. "
            "Let the proxy listen on another address of this machine, and name that one."
        )
    user, at, _ = parts.netloc.rpartition("@")
    url = parts._replace(netloc=f"{user}{at}{address}:{parts.port}").geturl()
    return BuildProxy(url, Destination(ipaddress.IPv4Network(address), parts.port))


def list_named_servers(variables: Mapping[str, str]) -> list[Destination]:
    """Return the servers whose URLs are in these variables: proxies and package registries."""
    found: dict[Destination, None] = {}
    for url in _URL.findall(" ".join(variables.values())):
        with suppress(ValueError):
            parts = urlsplit(url)
            port = parts.port or _DEFAULT_PORTS[parts.scheme]
            for address in _resolve(parts.hostname or ""):
                found[Destination(ipaddress.IPv4Network(address), port)] = None
    return list(found)


def _resolve(name: str) -> list[ipaddress.IPv4Address]:
    """Return the IPv4 addresses of a name; none if it is not known."""
    try:
        found = socket.getaddrinfo(name, None, socket.AF_INET, socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [ipaddress.IPv4Address(each[4][0]) for each in found]
