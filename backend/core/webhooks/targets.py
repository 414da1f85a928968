"""Where webhooks may go: to public addresses, and to what TACHO_WEBHOOK_ALLOW names.

Whoever may create a webhook makes this machine send requests; without these rules it would send
them into its own network (server-side request forgery), to the cloud's metadata for instance.
"""

import re
from collections.abc import Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import urlsplit

from backend.core.errors import InvalidRequest

Address = IPv4Address | IPv6Address
MAX_URL_LENGTH = 2_000
# Global to Python's ipaddress, at least before 3.13, yet nobody's webhook: Azure's host agent,
# protocol assignments (Oracle's metadata), documentation.
_INSIDE = tuple(map(ip_network, ("168.63.129.16/32", "192.0.0.0/24", "3fff::/20")))
# All of IPv6 that is given out for global unicast. Python has what lies beyond be global too, such
# as site-local addresses and IPv4 in deprecated, translated and local wrappings.
_GIVEN_OUT = IPv6Network("2000::/3")
# A name or path beyond ASCII is written as punycode or percent-encoded.
_PLAIN = re.compile(r"[!-~]+")
_SUCH_AS = "give one such as https://example.org/hook."
_NAT64 = IPv6Network("64:ff9b::/96")


def parse_allowed(entry: str) -> IPv4Network | IPv6Network | str:
    """One entry of TACHO_WEBHOOK_ALLOW: a network, an address, or else a host's name."""
    try:
        return ip_network(entry, strict=False)
    except ValueError:
        return entry.lower().rstrip(".")


def is_public(address: Address) -> bool:
    """Whether an address is anyone's to reach: not private, loopback, link-local, shared (CGNAT),
    reserved, multicast, or one of these wrapped in IPv6.
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


def may_reach(host: str, address: Address, allowed: Sequence[str]) -> bool:
    """Whether a webhook to `host`, which resolved to `address`, may connect there."""
    return is_public(address) or _is_allowed(host, address, allowed)


def check_url(url: str, allowed: Sequence[str]) -> str:
    """The URL, once it can be a webhook's; what its name resolves to is checked when connecting.

    Raises:
        InvalidRequest: not an absolute http(s) URL, with credentials, plain http to a host that
            is not allowed by name, or an address that webhooks may not reach.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise _wrong(f"is not a URL ({error}); {_SUCH_AS}") from error
    if parts.scheme not in {"http", "https"} or not host or not _PLAIN.fullmatch(url):
        raise _wrong(f"is not an http(s) URL in plain ASCII; {_SUCH_AS}")
    if len(url) > MAX_URL_LENGTH:
        raise _wrong(f"is longer than {MAX_URL_LENGTH:,} characters; give a shorter one.")
    if parts.username is not None or parts.fragment:
        raise _wrong("holds credentials or a fragment; leave them out.")
    address = _literal(host)
    if address is not None and not may_reach(host, address, allowed):
        raise _wrong(f"leads to {address}, which is not public; {allow_hint(host)}")
    if parts.scheme == "http" and not _is_allowed(host, address, allowed):
        raise _wrong(f"would send in clear text; use https, or {allow_hint(host)}")
    return url


def allow_hint(host: str) -> str:
    """How the operator lets webhooks go there."""
    return f"the operator can allow it with TACHO_WEBHOOK_ALLOW={host}."


def _is_allowed(host: str, address: Address | None, allowed: Sequence[str]) -> bool:
    for entry in map(parse_allowed, allowed):
        if isinstance(entry, str):
            if entry == host.lower().rstrip("."):
                return True
        elif address is not None and address in entry:
            return True
    return False


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _wrong(detail: str) -> InvalidRequest:
    return InvalidRequest(f"url: {detail}", [{"field": "url", "detail": detail}])
