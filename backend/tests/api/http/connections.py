"""Connections that send what no HTTP client would."""

import socket
from urllib.parse import urlsplit

from backend.tests.waiting import LIMIT_S


def connect(url: str, sent: bytes) -> socket.socket:
    """Open a connection and send these bytes."""
    address = urlsplit(url)
    connection = socket.create_connection((address.hostname, address.port), timeout=LIMIT_S)
    connection.sendall(sent)
    return connection


def read_all(connection: socket.socket) -> bytes:
    """Return what the server sends until it closes the connection. Raises TimeoutError if it does
    not."""
    received = b""
    while part := connection.recv(1 << 16):
        received += part
    return received


def read_answer(connection: socket.socket) -> bytes:
    """Return one response with a `Content-Length`, and no byte of the next."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(1)
    head = received.decode().lower()
    left = int(head.partition("content-length: ")[2].partition("\r\n")[0])
    while left:
        part = connection.recv(left)
        assert part, "The server closed the connection."
        received += part
        left -= len(part)
    return received
