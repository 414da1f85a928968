"""The allowed targets of webhooks."""

from ipaddress import ip_address

import pytest

from backend.core.changes.webhooks.targets import check_url, is_public, may_reach
from backend.core.errors import InvalidRequest

INSIDE = (
    *("127.0.0.1", "127.8.9.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192"),
    *("198.18.0.1", "224.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1"),
    *("::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "2002:7f00:1::"),
    *("64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "fec0::1", "fec0::1%eth0", "::ffff:0:127.0.0.1"),
    *("::ffff:0:9.9.9.9", "100::1", "4000::1", "5f00::1", "2001::1", "3fff::1", "2001:db8::1"),
)


@pytest.mark.parametrize("inside", INSIDE)
def test_addresses_that_are_not_public(inside: str) -> None:
    assert not is_public(ip_address(inside))
    assert not may_reach(
        "name.example", 443, ip_address(inside), ["other.example", "203.0.113.0/24"]
    )


@pytest.mark.parametrize("outside", ["9.9.9.9", "2620:fe::9", "::ffff:9.9.9.9", "64:ff9b::909:909"])
def test_addresses_that_are(outside: str) -> None:
    assert is_public(ip_address(outside))


@pytest.mark.parametrize("entry", ["hooks.lan", "HOOKS.lan.", "10.0.0.0/8", "10.1.2.3"])
def test_targets_that_the_operator_allows(entry: str) -> None:
    for port in (443, 80):
        assert may_reach("hooks.lan", port, ip_address("10.1.2.3"), [entry])
        assert not may_reach("sub.hooks.lan", port, ip_address("192.168.0.1"), [entry])
    assert not may_reach("hooks.lan", 5432, ip_address("10.1.2.3"), [entry])


@pytest.mark.parametrize("entry", ["hooks.lan:8443", "10.0.0.0/8:8443", "10.1.2.3:8443"])
def test_an_entry_with_a_port_opens_only_that_port(entry: str) -> None:
    address = ip_address("10.1.2.3")
    assert may_reach("hooks.lan", 8443, address, [entry])
    for port in (443, 80, 5432, 6379, 844):
        assert not may_reach("hooks.lan", port, address, [entry])


def test_an_ipv6_address_has_its_port_after_brackets() -> None:
    address = ip_address("fd00::1")
    assert may_reach("hooks.lan", 8443, address, ["[fd00::1]:8443"])
    assert may_reach("hooks.lan", 443, address, ["fd00::1"])
    assert not may_reach("hooks.lan", 443, address, ["[fd00::1]:8443"])


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("", "not an http"),
        ("hook", "not an http"),
        ("ftp://example.org/", "not an http"),
        ("https://", "not an http"),
        ("https://exämple.org/", "plain ASCII"),
        ("https://example.org/a b", "plain ASCII"),
        ("https://example.org/\n", "plain ASCII"),
        ("https://example.org:port/", "not a URL"),
        ("https://[::1", "not a URL"),
        ("https://user:secret@example.org/", "credentials"),
        ("https://example.org/#part", "fragment"),
        ("https://169.254.169.254/latest", "TACHO_WEBHOOK_ALLOW=169.254.169.254"),
        ("https://[::ffff:10.0.0.1]/", "not public"),
        ("http://example.org/", "use https"),
        (f"https://example.org/{'a' * 2000}", "longer"),
    ],
)
def test_refused_urls(url: str, fault: str) -> None:
    with pytest.raises(InvalidRequest, match=fault) as caught:
        check_url(url, ())
    assert caught.value.problems[0]["field"] == "url"


def test_accepted_urls() -> None:
    assert check_url("https://example.org:8443/hook?key=1", ())
    assert check_url("http://hooks.lan/hook", ["hooks.lan"])
    assert check_url("http://127.0.0.1:9000/hook", ["127.0.0.0/8:9000"])
    with pytest.raises(InvalidRequest, match=r"TACHO_WEBHOOK_ALLOW=127\.0\.0\.1:9001"):
        check_url("http://127.0.0.1:9001/hook", ["127.0.0.0/8:9000"])
