"""Addresses that are refused at start, and the messages."""

import socket
from pathlib import Path

import pytest

from backend.platform.errors import PlatformError
from backend.platform.network import (
    check_port,
    find_free_port,
    is_loopback,
    is_proxied,
    name_network,
    public_url,
    trusts_loopback,
)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("bench.example", False),
    ],
)
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.parametrize(
    ("host", "has_token", "chosen", "trusted"),
    [
        ("127.0.0.1", False, None, True),
        ("::1", False, True, True),
        ("127.0.0.1", False, False, False),
        ("127.0.0.1", True, None, False),
        ("127.0.0.1", True, True, False),
        ("0.0.0.0", False, True, False),
        ("0.0.0.0", True, None, False),
    ],
)
def test_only_a_loopback_installation_without_a_token_trusts_loopback(
    host: str, has_token: bool, chosen: bool | None, trusted: bool
) -> None:
    assert trusts_loopback(host, chosen, has_token=has_token, has_proxy=False) is trusted
    assert not trusts_loopback(host, chosen, has_token=has_token, has_proxy=True)


@pytest.mark.parametrize(
    ("url", "proxies", "proxied"),
    [
        ("", (), False),
        ("http://127.0.0.1:8000", (), False),
        ("http://[::1]:8000", (), False),
        ("http://localhost:8000", (), False),
        ("https://tacho.example.org", (), True),
        ("", ("127.0.0.1",), True),
        ("http://localhost:8000", ("10.1.0.0/16",), True),
    ],
)
def test_a_public_url_or_a_trusted_proxy_shows_a_proxy(
    url: str, proxies: tuple[str, ...], proxied: bool
) -> None:
    assert is_proxied(url, proxies) is proxied


def test_a_busy_port_names_the_setting() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PlatformError, match=f"{port}.*in use.*TACHO_PORT"):
            check_port("127.0.0.1", port)
    check_port("127.0.0.1", find_free_port())


def test_ports_are_free_distinct_and_below_the_outgoing_range() -> None:
    taken: set[int] = set()
    for _ in range(20):
        port = find_free_port(taken)
        taken.add(port)
        with socket.socket() as server:
            server.bind(("127.0.0.1", port))
    outgoing = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    assert len(taken) == 20
    assert max(taken) < int(outgoing[0])


def test_an_address_of_another_machine_names_the_setting() -> None:
    with pytest.raises(PlatformError, match="TACHO_HOST"):
        check_port("192.0.2.1", 8000)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("::", "http://[::1]:8000"),
    ],
)
def test_url_for_a_person(host: str, url: str) -> None:
    assert public_url(host, 8000) == url


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("unknown", "unknown"),
    ],
)
def test_addresses_of_one_customer_count_together(address: str, network: str) -> None:
    assert name_network(address) == network
