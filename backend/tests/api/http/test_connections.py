"""Connections have limits of bytes and of time, and the API continues to serve others."""

import itertools
import json
import selectors
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress

import httpx2
import psutil
import pytest

from backend.api.http.protocol import MOST_HEADER_BYTES, MOST_HEADERS
from backend.core.config import Settings
from backend.main import create_app
from backend.tests.api.http.connections import connect, read_all, read_answer
from backend.tests.serving import serve
from backend.tests.waiting import LIMIT_S

PATH = "/api/v1/metrics"
GET = f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n".encode()
POST = b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
# The buffers of a connection on loopback hold less before the server has read anything.
BUFFERS_BYTES = 16_000_000


@pytest.fixture(scope="module")
def url(installation: Settings) -> Iterator[str]:
    with serve(create_app()) as url:
        yield url


def send(connection: socket.socket, parts: Iterable[bytes]) -> tuple[int, bytes]:
    """Return how many bytes the server accepted, and what it answered until it closed."""
    answer = b""

    def read() -> None:
        nonlocal answer
        with suppress(ConnectionResetError):
            while part := connection.recv(1 << 16):
                answer += part

    reader = threading.Thread(target=read)
    reader.start()
    sent = 0
    with suppress(OSError):
        for part in parts:
            connection.sendall(part)
            sent += len(part)
            if not reader.is_alive():
                break
    reader.join(LIMIT_S)
    assert not reader.is_alive(), "The server did not close the connection."
    return sent, answer


def read_problem(answer: bytes) -> dict[str, object]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n"), answer[:200]
    assert b"Connection: close" in head
    document: dict[str, object] = json.loads(body)
    assert (document["status"], document["code"]) == (431, "headers_too_large")
    return document


@pytest.mark.parametrize(
    "begin",
    [b"GET /", GET + b"X-", GET + b"X-Long: ", CHUNKED + b"1;", CHUNKED + b"0\r\nX-Trailer: "],
    ids=["address", "name", "value", "chunk-extension", "trailer"],
)
def test_an_endless_header_is_refused_before_it_fills_the_memory(url: str, begin: bytes) -> None:
    before = psutil.Process().memory_info().rss
    with connect(url, begin) as connection:
        sent, answer = send(connection, itertools.repeat(b"x" * 65_536, 2_000))
    grown = psutil.Process().memory_info().rss - before

    assert f"{MOST_HEADER_BYTES:,} bytes" in str(read_problem(answer)["detail"])
    assert sent < BUFFERS_BYTES
    assert grown < 2 * BUFFERS_BYTES
    assert httpx2.get(f"{url}{PATH}", trust_env=False).status_code == 200


@pytest.mark.parametrize(("count", "status"), [(MOST_HEADERS, 200), (MOST_HEADERS + 1, 431)])
def test_a_request_has_a_hundred_header_lines(url: str, count: int, status: int) -> None:
    # `Host` and `Connection` are two of them.
    lines = b"".join(f"X-{number}: 1\r\n".encode() for number in range(count - 2))
    with connect(url, GET + b"Connection: close\r\n" + lines + b"\r\n") as connection:
        answer = read_all(connection)

    assert answer.startswith(f"HTTP/1.1 {status} ".encode())


@pytest.mark.parametrize(("further", "status"), [(0, 200), (1, 431)])
def test_the_limit_of_bytes_is_exact(url: str, further: int, status: int) -> None:
    head = GET + b"Connection: close\r\nX-Long: "
    head += b"x" * (MOST_HEADER_BYTES - len(head) - 4 + further) + b"\r\n\r\n"
    with connect(url, head) as connection:
        answer = read_all(connection)

    assert answer.startswith(f"HTTP/1.1 {status} ".encode())


def test_headers_that_trickle_are_counted_together(url: str) -> None:
    pieces = (b"x" * 100 for _ in range(MOST_HEADER_BYTES // 100 + 1))
    with connect(url, GET + b"X-Long: ") as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _, answer = send(connection, pieces)

    read_problem(answer)


def test_each_request_of_a_connection_has_the_limit(url: str) -> None:
    header = b"X-Long: " + b"x" * (MOST_HEADER_BYTES - 1_000) + b"\r\n"
    with connect(url, b"") as connection:
        for _ in range(3):
            connection.sendall(GET + header + b"\r\n")
            assert read_answer(connection).startswith(b"HTTP/1.1 200 ")
        connection.sendall(GET + header + header)
        answer = read_all(connection)

    assert b"HTTP/1.1 431 " in answer


def test_a_body_is_not_a_header(url: str) -> None:
    chunk = b"%x\r\n%b\r\n" % (10_000, b'"' + b"x" * 9_998 + b'"')
    with connect(url, b"") as connection:
        for _ in range(5):
            connection.sendall(CHUNKED + chunk + b"0\r\n\r\n")
            assert read_answer(connection).startswith(b"HTTP/1.1 422 ")


def test_many_requests_without_waiting_for_answers_are_refused(url: str) -> None:
    with connect(url, b"") as connection:
        sent, answer = send(connection, itertools.repeat((GET + b"\r\n") * 1_000, 100))

    assert answer.count(b"HTTP/1.1 200") < 1_000
    assert sent < BUFFERS_BYTES
    assert httpx2.get(f"{url}{PATH}", trust_env=False).status_code == 200


def test_the_rest_of_a_refused_body_is_discarded_up_to_a_limit(url: str) -> None:
    head = POST + b"Content-Length: 10000000000\r\n\r\n"
    with connect(url, head) as connection:
        sent, answer = send(connection, itertools.repeat(b"x" * 65_536, 2_000))

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert sent < BUFFERS_BYTES


@pytest.fixture(scope="module")
def impatient_url(installation: Settings) -> Iterator[str]:
    """A server with short timeouts for headers and bodies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.api.http.protocol.HEADER_SECONDS", 1.0)
        patch.setattr("backend.api.http.limits.BODY_SECONDS", 1.0)
        with serve(create_app()) as url:
            yield url


def test_half_sent_headers_are_closed(impatient_url: str) -> None:
    with ExitStack() as stack:
        connections = [
            stack.enter_context(connect(impatient_url, sent))
            for sent in (b"", b"GET ", b"\r\n", f"GET {PATH} HTTP/1.1\r\nHost: ".encode())
        ]
        assert [read_all(connection) for connection in connections] == [b""] * 4


def test_slowly_sent_headers_are_closed(impatient_url: str) -> None:
    with connect(impatient_url, f"GET {PATH} HTTP/1.1\r\n".encode()) as connection:
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


def test_an_incomplete_second_request_is_closed(impatient_url: str) -> None:
    request = f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n".encode()
    with connect(impatient_url, request + b"\r\n") as connection:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        connection.sendall(request)
        rest = read_all(connection)

    assert b"HTTP/1.1" not in rest


def test_a_half_sent_body_gets_408(impatient_url: str) -> None:
    head = "POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
    with connect(impatient_url, head.encode()) as connection:
        answer = read_all(connection)

    assert answer.startswith(b"HTTP/1.1 408")
    assert b"application/problem+json" in answer
    assert b'"code": "request_timeout"' in answer


def test_hundreds_of_half_sent_requests_are_closed_while_others_are_served(
    impatient_url: str,
) -> None:
    waiting = selectors.DefaultSelector()
    with ExitStack() as stack:
        for _ in range(400):
            connection = stack.enter_context(connect(impatient_url, b"GET / HTTP/1.1\r\n"))
            waiting.register(connection, selectors.EVENT_READ)
        assert httpx2.get(f"{impatient_url}{PATH}", trust_env=False).status_code == 200
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
    with (
        serve(create_app()) as url,
        connect(url, b""),
        connect(url, b""),
    ):
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
