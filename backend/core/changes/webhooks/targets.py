"""Allowed targets of webhooks: public addresses, and host and port of those in TACHO_WEBHOOK_ALLOW.

A user who creates a webhook makes this machine send requests. Without these rules, it could send
them into its own network (server-side request forgery), such as to the cloud's metadata service.
"""

import re
from collections.abc import Sequence
from ipaddress import (
    IPv4Address,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import urlsplit

from backend.core.destinations import DEFAULT_PORTS, Address, parse_allowed
from backend.core.errors import InvalidRequest

MAX_URL_LENGTH = 2_000
# Global according to Python's ipaddress (before 3.13), but never the target of a webhook: Azure's
# host agent, protocol assignments (Oracle's metadata), documentation.
_INSIDE = tuple(map(ip_network, ("168.63.129.16/32", "192.0.0.0/24", "3fff::/20")))
# The IPv6 range that is allocated for global unicast. According to Python, other addresses are
# global too, such as site-local ones and IPv4 in deprecated, translated and local forms.
_GIVEN_OUT = IPv6Network("2000::/3")
# A name or path with other characters is written as punycode or percent-encoded.
_PLAIN = re.compile(r"[!-~]+")
_SUCH_AS = "use one such as https://example.org/hook."
_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Return whether an address is public.

    Private, loopback, link-local, shared (CGNAT), reserved and multicast addresses are not, nor are
    these wrapped in IPv6.
    """
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address not in _GIVEN_OUT:
            return False
    inside = any(address in network for network in _INSIDE)
    return address.is_global and not address.is_multicast and not inside


def may_reach(host: str, port: int, address: Address, allowed: Sequence[str]) -> bool:
    """Return whether a webhook to `host`, which resolved to `address`, may connect to a port."""
    return is_public(address) or _is_allowed(host, port, address, allowed)


def check_url(url: str, allowed: Sequence[str]) -> str:
    """Return the URL if it is valid for a webhook; addresses are checked when connecting.

    Raises:
        InvalidRequest: the URL is not an absolute http(s) URL, has credentials, uses plain http
            for a host that is not allowed by name, or has an address that is not allowed.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _wrong(f"is not a URL ({error}); {_SUCH_AS}") from error
    if parts.scheme not in {"http", "https"} or not host or not _PLAIN.fullmatch(url):
        raise _wrong(f"is not an http(s) URL in plain ASCII; {_SUCH_AS}")
    if len(url) > MAX_URL_LENGTH:
        raise _wrong(f"is longer than {MAX_URL_LENGTH:,} characters; use a shorter one.")
    if parts.username is not None or parts.fragment:
        raise _wrong("holds credentials or a fragment; leave them out.")
    port = port or DEFAULT_PORTS[parts.scheme]
    address = _literal(host)
    if address is not None and not may_reach(host, port, address, allowed):
        raise _wrong(f"leads to {address}, which is not public; {allow_hint(host, port)}")
    if parts.scheme == "http" and not _is_allowed(host, port, address, allowed):
        raise _wrong(f"would send in clear text; use https, or {allow_hint(host, port)}")
    return url


def allow_hint(host: str, port: int) -> str:
    """Return how the operator can allow a host and port."""
    shown = f"[{host}]" if ":" in host else host
    entry = host if port in DEFAULT_PORTS.values() else f"{shown}:{port}"
    return f"the operator can allow it with TACHO_WEBHOOK_ALLOW={entry}."


def _is_allowed(host: str, port: int, address: Address | None, allowed: Sequence[str]) -> bool:
    return any(parse_allowed(entry).includes(host, port, address) for entry in allowed)


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _wrong(detail: str) -> InvalidRequest:
    return InvalidRequest(f"url: {detail}", [{"field": "url", "detail": detail}])
