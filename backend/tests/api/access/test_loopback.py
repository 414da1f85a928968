"""Requests that count as direct calls from this machine, as a table of cases."""

import pytest

from backend.api.access.loopback import Call, find_distrust_reason

HOST = ("host", "127.0.0.1:8000")
FOLLOWED = (
    HOST,
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-mode", "navigate"),
)


def call(
    *headers: tuple[str, str],
    client: str | None = "127.0.0.1",
    version: str = "1.1",
    port: int | None = 8000,
    method: str = "GET",
) -> Call:
    return Call(
        method=method,
        client_host=client,
        server_port=port,
        http_version=version,
        headers=headers,
    )


DIRECT = {
    "curl": call(HOST, ("user-agent", "curl/8"), ("accept", "*/*")),
    "localhost": call(("host", "localhost:8000")),
    "capitals": call(("host", "LocalHost:8000"), ("origin", "http://localhost:8000")),
    "another loopback address": call(("host", "127.8.9.1:8000"), client="127.8.9.1"),
    "IPv6": call(("host", "[::1]:8000"), client="::1"),
    "IPv6 in full": call(("host", "[0:0:0:0:0:0:0:1]:8000"), client="::1"),
    "default port": call(("host", "localhost"), port=80),
    "default port, written": call(("host", "localhost:80"), port=80),
    "address typed into a browser": call(HOST, ("sec-fetch-site", "none")),
    "link on another site": call(*FOLLOWED, ("sec-fetch-dest", "document")),
    "our own page": call(
        HOST, ("sec-fetch-site", "same-origin"), ("origin", "http://127.0.0.1:8000")
    ),
}

DISTRUSTED = {
    "another machine": call(HOST, client="10.0.0.1"),
    "unix socket": call(HOST, client=None),
    "no address": call(HOST, client="unix"),
    "HTTP/1.0": call(HOST, version="1.0"),
    "no Host": call(),
    "empty Host": call(("host", "")),
    "two Hosts": call(HOST, HOST),
    "foreign Host": call(("host", "evil.com:8000")),
    "foreign Host with empty port": call(("host", "evil.com:")),
    "empty port": call(("host", "127.0.0.1:")),
    "empty port on 80": call(("host", "localhost:"), port=80),
    "no port": call(("host", "127.0.0.1")),
    "another port": call(("host", "127.0.0.1:8001")),
    "port out of range": call(("host", "127.0.0.1:99999")),
    "port not a number": call(("host", "127.0.0.1:80a0")),
    "port in other digits": call(("host", "127.0.0.1:८०००")),
    "port with sign": call(("host", "127.0.0.1:+8000")),
    "unclosed bracket": call(("host", "[::1")),
    "unclosed bracket with port": call(("host", "[::1:8000")),
    "no brackets": call(("host", "::1:8000")),
    "brackets around IPv4": call(("host", "[127.0.0.1]:8000")),
    "user before the name": call(("host", "127.0.0.1:8000@evil.com")),
    "name that begins with ours": call(("host", "127.0.0.1.evil.com:8000")),
    "name that begins with localhost": call(("host", "localhost.evil.com:8000")),
    "trailing dot": call(("host", "localhost.:8000")),
    "short address": call(("host", "127.1:8000")),
    "octal address": call(("host", "0177.0.0.1:8000")),
    "any address": call(("host", "0.0.0.0:8000")),
    "path after the port": call(("host", "127.0.0.1:8000/evil")),
    "space": call(("host", " 127.0.0.1:8000")),
    "line break": call(("host", "127.0.0.1:8000\n")),
    "cross-site": call(HOST, ("sec-fetch-site", "cross-site")),
    "form on another site": call(*FOLLOWED, ("sec-fetch-dest", "document"), method="POST"),
    "frame on another site": call(*FOLLOWED, ("sec-fetch-dest", "iframe")),
    "fetch of another site": call(
        HOST, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "cors")
    ),
    "same-site": call(HOST, ("sec-fetch-site", "same-site")),
    "two claims of a site": call(
        HOST, ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")
    ),
    "foreign Origin": call(HOST, ("origin", "https://evil.com")),
    "opaque Origin": call(HOST, ("origin", "null")),
    "Origin of another port": call(HOST, ("origin", "http://127.0.0.1:9000")),
    "Origin of another name": call(HOST, ("origin", "http://localhost:8000")),
    "Origin over TLS": call(HOST, ("origin", "https://127.0.0.1:8000")),
    "two Origins": call(HOST, ("origin", "http://127.0.0.1:8000"), ("origin", "https://evil.com")),
    "Origin against its own Host": call(
        ("host", "evil.com:8000"), ("origin", "http://evil.com:8000")
    ),
    **{
        name: call(HOST, (name, "127.0.0.1"))
        for name in (
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto",
            "x-forwarded-server",
            "x-forwarded",
            "forwarded",
            "via",
            "x-real-ip",
            "true-client-ip",
            "cf-connecting-ip",
            "cf-ray",
            "cdn-loop",
            "x-client-ip",
            "x-cluster-client-ip",
            "x-envoy-external-address",
            "x-original-forwarded-for",
            "fly-client-ip",
            "fastly-client-ip",
            "x-request-start",
            "max-forwards",
        )
    },
}


@pytest.mark.parametrize("name", DIRECT)
def test_direct_calls_are_trusted(name: str) -> None:
    assert find_distrust_reason(DIRECT[name]) is None


@pytest.mark.parametrize("name", DISTRUSTED)
def test_any_sign_of_another_origin_ends_the_trust(name: str) -> None:
    assert find_distrust_reason(DISTRUSTED[name])
