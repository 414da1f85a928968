"""The order of rules about the addresses that builds reach."""

from ipaddress import IPv4Address, IPv4Network

import pytest

from backend.core.config import Settings
from backend.core.destinations import Destination, parse_destination
from worker.runtime.build_rules import (
    BuildRule,
    find_build_proxy,
    list_named_servers,
    order_rules,
)
from worker.runtime.docker.build_network import format_filter
from worker.runtime.errors import RuntimeFailure
from worker.runtime.process.network import format_rules

_OWN = IPv4Address("203.0.113.7")


def _reaches(rules: list[BuildRule], address: str, port: int) -> bool:
    """Return what the first rule that matches decides, as the kernel does."""
    for rule in rules:
        network = rule.destination.network
        if IPv4Address(address) in network and rule.destination.port in {None, port}:
            return rule.is_open
    return True


@pytest.mark.parametrize(
    ("allowed", "address", "expected"),
    [
        ((), "198.51.100.9", True),
        ((), "203.0.113.7", False),
        ((), "169.254.169.254", False),
        ((), "10.1.2.3", False),
        ((), "172.17.0.1", False),
        ((), "192.168.1.1", False),
        ((), "100.100.100.200", False),
        (("10.1.0.0/16",), "10.1.2.3", True),
        (("10.1.0.0/16",), "10.2.2.3", False),
        (("10.1.2.3:443",), "10.1.2.3", True),
        (("10.1.2.3:8443",), "10.1.2.3", False),
        (("203.0.113.7:443",), "203.0.113.7", True),
        (("203.0.113.0/24",), "203.0.113.7", False),
        (("0.0.0.0/0",), "169.254.169.254", False),
        (("169.254.169.254",), "169.254.169.254", True),
    ],
)
def test_builds_reach_the_internet_and_what_is_allowed(
    allowed: tuple[str, ...], address: str, expected: bool
) -> None:
    destinations = [parse_destination(text) for text in allowed]
    rules = order_rules([_OWN], destinations, is_proxied=False)
    assert _reaches(rules, address, 443) is expected


@pytest.mark.parametrize(
    ("address", "port", "expected"),
    [
        ("10.1.2.3", 3128, True),
        ("10.1.2.3", 22, False),
        ("198.51.100.9", 443, False),
        ("10.9.0.1", 443, True),
    ],
)
def test_with_a_proxy_builds_reach_it_and_what_is_allowed(
    address: str, port: int, expected: bool
) -> None:
    destinations = [parse_destination(text) for text in ("10.1.2.3:3128", "10.9.0.0/16")]
    assert _reaches(order_rules([_OWN], destinations, is_proxied=True), address, port) is expected


def test_servers_that_variables_name_are_found() -> None:
    found = list_named_servers(
        {
            "GOPROXY": "http://10.0.0.5:8081/go,https://10.0.0.6,direct",
            "PIP_INDEX_URL": "https://user:secret@10.0.0.7/simple",
            "LANG": "C.UTF-8",
            "HTTP_PROXY": "http://no-such-host.invalid:3128",
        }
    )
    assert found == [
        Destination(IPv4Network("10.0.0.5"), 8081),
        Destination(IPv4Network("10.0.0.6"), 443),
        Destination(IPv4Network("10.0.0.7"), 443),
    ]


def test_a_proxy_is_named_by_its_address() -> None:
    proxy = find_build_proxy(Settings(build_proxy="http://user:word@10.1.2.3:3128"))
    assert proxy is not None
    assert proxy.url == "http://user:word@10.1.2.3:3128"
    assert proxy.destination == Destination(IPv4Network("10.1.2.3"), 3128)


def test_a_proxy_without_an_address_is_reported() -> None:
    with pytest.raises(RuntimeFailure, match=r"no-such-host\.invalid in TACHO_BUILD_PROXY"):
        find_build_proxy(Settings(build_proxy="http://no-such-host.invalid:3128"))


def test_rules_of_both_runtimes_keep_their_order() -> None:
    rules = order_rules([_OWN], [parse_destination("10.1.2.3:443")], is_proxied=True)
    assert format_rules(rules).splitlines() == [
        "rule add pref 100 to 10.0.2.2 lookup main",
        "rule add pref 101 to 10.1.2.3/32 ipproto tcp dport 443 lookup main",
        "rule add pref 102 to 203.0.113.7/32 prohibit",
        "rule add pref 103 to 169.254.0.0/16 prohibit",
        "rule add pref 104 to 0.0.0.0/0 prohibit",
    ]
    assert [line.strip() for line in format_filter("builds", rules, []).splitlines()[2:6]] == [
        "meta l4proto tcp ct original ip daddr 10.1.2.3/32 ct original proto-dst 443 return",
        "ct original ip daddr 203.0.113.7/32 reject with icmp type admin-prohibited",
        "ct original ip daddr 169.254.0.0/16 reject with icmp type admin-prohibited",
        "reject with icmp type admin-prohibited",
    ]
