"""Whether a request can only come from a program on this machine; pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backend.platform.network import is_loopback

# `localhost`, an IPv4 address or an IPv6 address in brackets, and optionally a port.
_HOST = re.compile(r"(?P<name>localhost|[0-9.]+|\[[0-9a-f:.]+\])(:(?P<port>[0-9]{1,5}))?")
_DEFAULT_PORT = 80
# `none`: the user opened the address. Browsers send no header at all to other plain-http hosts.
_OWN_SITES = {"none", "same-origin"}
_PROXY_HEADERS = {
    "cdn-loop",
    "client-ip",
    "fastly-client-ip",
    "fly-client-ip",
    "forwarded",
    "max-forwards",
    "proxy-connection",
    "true-client-ip",
    "via",
    "wl-proxy-client-ip",
    "x-amzn-trace-id",
    "x-azure-clientip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-host",
    "x-nginx-proxy",
    "x-proxyuser-ip",
    "x-real-ip",
    "x-request-start",
    "x-rewrite-url",
}
_PROXY_PREFIXES = ("cf-", "x-arr-", "x-envoy-", "x-forwarded", "x-original-", "x-proxy-")


@dataclass(frozen=True)
class Call:
    """The parts of a request that show where it came from. Header names are in lower case."""

    method: str
    client_host: str | None
    server_port: int | None
    http_version: str
    headers: Sequence[tuple[str, str]]

    def list_values(self, name: str) -> list[str]:
        """Return every value of a header, as it may be repeated."""
        return [value for key, value in self.headers if key == name]


def find_distrust_reason(call: Call) -> str | None:
    """Return what suggests that a request came from another machine or site; None without a sign.

    The sentence fits after "This request did not come directly from this machine:".
    """
    if call.client_host is None or not is_loopback(call.client_host):
        return "the client's address is not a loopback address"
    # nginx's plain `proxy_pass` uses HTTP/1.0 and adds no header that would reveal it.
    if call.http_version == "1.0":
        return "it uses HTTP/1.0, as proxies do"
    for name, _ in call.headers:
        if name in _PROXY_HEADERS or name.startswith(_PROXY_PREFIXES):
            return f"the header {name!r} shows that a proxy forwarded it"
    hosts = call.list_values("host")
    if len(hosts) != 1 or not is_own_host(hosts[0], call.server_port):
        return "the Host header does not name a loopback address with the port of this API"
    return find_foreign_page(call, hosts[0])


def find_foreign_page(call: Call, host: str) -> str | None:
    """Return what shows that a page of another site sent a request; None without a sign."""
    if not _opens_page(call) and any(
        site.lower() not in _OWN_SITES for site in call.list_values("sec-fetch-site")
    ):
        return "a page of another site sent it (Sec-Fetch-Site)"
    if any(origin.lower() != f"http://{host.lower()}" for origin in call.list_values("origin")):
        return "a page of another site sent it (Origin)"
    return None


def _opens_page(call: Call) -> bool:
    """Whether a person followed a link: the site that has the link cannot read what it opens."""
    return (
        call.method in {"GET", "HEAD"}
        and call.list_values("sec-fetch-mode") == ["navigate"]
        and call.list_values("sec-fetch-dest") == ["document"]
    )


def is_own_host(host: str, port: int | None) -> bool:
    """Return whether a Host header is well formed and names loopback and this port."""
    match = _HOST.fullmatch(host.lower())
    if match is None or not is_loopback(match["name"].strip("[]")):
        return False
    is_bracketed = match["name"].startswith("[")
    if is_bracketed != (":" in match["name"]):
        return False
    return int(match["port"] or _DEFAULT_PORT) == port
