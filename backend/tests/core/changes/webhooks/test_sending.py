"""A POST to an untrusted receiver over real sockets."""

import socket
import time
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

from backend.core.changes.webhooks import sending
from backend.core.changes.webhooks.sending import EXCERPT_BYTES, post
from backend.tests.receiving import Receiver, receiver


def allow(port: int | str, host: str = "127.0.0.1") -> list[str]:
    """Return the setting that allows one port of a host."""
    return [f"{host}:{port}"]


def port_of(target: Receiver) -> str:
    return target.url.split(":")[2].split("/")[0]


@pytest.fixture
def target() -> Iterator[Receiver]:
    with receiver() as told:
        yield told


def test_a_message_arrives_and_a_part_of_its_response_is_stored(target: Receiver) -> None:
    target.answer, target.statuses = b"x" * 100_000, [200]

    outcome = post(target.url, {"webhook-id": "1"}, b"{}", allow(port_of(target)))

    assert outcome.is_delivered
    assert outcome.excerpt == "x" * EXCERPT_BYTES
    (got,) = target.received
    assert (got.path, got.body, got.headers["webhook-id"]) == ("/hook", b"{}", "1")
    assert got.headers["host"] == target.url.split("/")[2]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "0"])
def test_loopback_is_refused_under_every_name_and_nothing_is_sent(
    target: Receiver, host: str
) -> None:
    outcome = post(target.url.replace("127.0.0.1", host), {}, b"{}", ())

    assert not outcome.is_delivered
    assert outcome.error is not None
    assert "does not resolve to a public address" in outcome.error
    assert target.received == []


def test_a_refusal_does_not_reveal_what_a_name_resolves_to(target: Receiver) -> None:
    """Names that do not exist, and internal names, get the same message."""
    port = port_of(target)
    internal = post(f"http://localhost:{port}/", {}, b"{}", ())
    missing = post(f"http://no-such-host.invalid:{port}/", {}, b"{}", ())

    assert internal.error is not None
    assert missing.error is not None
    assert "127.0.0.1" not in internal.error
    assert "::1" not in internal.error
    assert internal.error == missing.error.replace("no-such-host.invalid", "localhost")


def test_the_connection_goes_to_the_address_that_was_checked(
    target: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name resolves to a public address first and to loopback afterwards (DNS rebinding)."""
    answers = ["192.0.2.1", "127.0.0.1"]
    resolve = socket.getaddrinfo

    def rebind(host: str, *args: Any, **named: Any) -> Any:
        return resolve(answers.pop(0) if host == "rebound.example" else host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", rebind)
    monkeypatch.setattr(sending, "TOTAL_SECONDS", 0.5)
    port = port_of(target)

    outcome = post(f"http://rebound.example:{port}/", {}, b"{}", allow(port, "192.0.2.0/24"))

    assert not outcome.is_delivered
    assert target.received == []
    assert answers == ["127.0.0.1"]


def test_only_allowed_addresses_are_tried(
    target: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(port_of(target))
    found = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
        for address in ("10.0.0.1", "127.0.0.1")
    ]
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *args, **named: (
            found if host == "both.example" else resolve(host, *args, **named)
        ),
    )

    outcome = post(f"http://both.example:{port}/", {}, b"{}", allow(port))

    assert outcome.status == 204
    assert target.received[0].headers["host"] == f"both.example:{port}"


def test_a_redirect_is_not_followed(target: Receiver) -> None:
    target.statuses, target.location = [302], target.url + "/elsewhere"

    outcome = post(target.url, {}, b"{}", allow(port_of(target)))

    assert (outcome.status, outcome.is_delivered) == (302, False)
    assert "Redirects are not followed" in (outcome.error or "")
    assert len(target.received) == 1


def test_a_missing_receiver_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    outcome = post(f"http://127.0.0.1:{port}/", {}, b"{}", allow(port))

    assert outcome.status is None
    assert "refused" in (outcome.error or "")


def test_a_slow_receiver_is_disconnected_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "TOTAL_SECONDS", 0.5)

    def drip(listening: socket.socket) -> None:
        peer, _ = listening.accept()
        with peer:
            peer.sendall(b"HTTP/1.1 200 OK\r\n")
            try:
                for _ in range(100):
                    peer.sendall(b"x-a: b\r\n")
                    time.sleep(0.1)
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=drip, args=(listening,))
        thread.start()
        port = listening.getsockname()[1]
        outcome = post(f"http://127.0.0.1:{port}/", {}, b"{}", allow(port))
        thread.join()

    assert outcome.error == "No answer within 0 s."
    assert outcome.duration_ms > 400
