"""The API closes connections that send or read nothing, and continues to serve others."""

import selectors
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import httpx2
import pytest

from backend.core.config import Settings
from backend.main import create_app
from backend.tests.api.http.connections import connect, read_all
from backend.tests.serving import serve
from backend.tests.waiting import LIMIT_S

PATH = "/api/v1/metrics"


@pytest.fixture(scope="module")
def url(installation: Settings) -> Iterator[str]:
    """A server with short timeouts for headers and bodies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.api.http.protocol.HEADER_SECONDS", 1.0)
        patch.setattr("backend.api.http.limits.BODY_SECONDS", 1.0)
        with serve(create_app()) as url:
            yield url


@pytest.mark.parametrize("sent", [b"", b"GET ", b"\r\n", f"GET {PATH} HTTP/1.1\r\nHost: ".encode()])
def test_half_sent_headers_are_closed(url: str, sent: bytes) -> None:
    with connect(url, sent) as connection:
        assert read_all(connection) == b""


def test_slowly_sent_headers_are_closed(url: str) -> None:
    with connect(url, f"GET {PATH} HTTP/1.1\r\n".encode()) as connection:
        connection.settimeout(0.1)
        received = b"not closed"
        for number in range(100):
            try:
                connection.sendall(f"X-{number}: 1\r\n".encode())
                received = connection.recv(1024)
            except TimeoutError:
                continue
            except OSError:
                received = b""
            break

    assert received == b""


def test_an_incomplete_second_request_is_closed(url: str) -> None:
    request = f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n".encode()
    with connect(url, request + b"\r\n") as connection:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        connection.sendall(request)
        rest = read_all(connection)

    assert b"HTTP/1.1" not in rest


def test_a_half_sent_body_gets_408(url: str) -> None:
    head = "POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
    with connect(url, head.encode()) as connection:
        answer = read_all(connection)

    assert answer.startswith(b"HTTP/1.1 408")
    assert b"application/problem+json" in answer
    assert b'"code": "request_timeout"' in answer


def test_hundreds_of_half_sent_requests_are_closed_while_others_are_served(url: str) -> None:
    waiting = selectors.DefaultSelector()
    with ExitStack() as stack:
        for _ in range(400):
            connection = stack.enter_context(connect(url, b"GET / HTTP/1.1\r\n"))
            waiting.register(connection, selectors.EVENT_READ)
        assert httpx2.get(f"{url}{PATH}", trust_env=False).status_code == 200
        while waiting.get_map():
            ready = waiting.select(timeout=LIMIT_S)
            assert ready
            for key, _ in ready:
                assert isinstance(key.fileobj, socket.socket)
                assert key.fileobj.recv(1) == b""
                waiting.unregister(key.fileobj)


def test_a_connection_above_the_limit_gets_a_problem_document(
    installation: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.api.http.protocol.MOST_CONNECTIONS", 2)
    with serve(create_app()) as url, connect(url, b""), connect(url, b""):
        answer = httpx2.get(f"{url}{PATH}", trust_env=False)

    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "2"
    assert answer.json()["code"] == "unavailable"


def test_a_client_that_reads_nothing_is_disconnected(
    installation: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.api.http.protocol.STALL_SECONDS", 0.5)
    request = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serve(create_app()) as url, connect(url, b"") as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        with pytest.raises(OSError, match=r"reset|[Bb]roken"):
            send_for_ever(connection, request)


def send_for_ever(connection: socket.socket, request: bytes) -> None:
    """Send requests until their answers fill all buffers and the server resets the connection."""
    while True:
        connection.sendall(request)
