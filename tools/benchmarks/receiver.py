"""A server that receives webhooks and verifies them by the rules of Standard Webhooks 1.0.

It shares no code with Tacho: the rules are those of the specification for receivers.
"""

import hashlib
import hmac
import json
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

_TOLERANCE_SECONDS = 300


@dataclass(frozen=True)
class Message:
    """One received message. `problem` is the reason not to trust it, or None."""

    id: str
    body: dict[str, Any]
    problem: str | None


@dataclass
class WebhookReceiver:
    """The address, the secret, and the messages received so far."""

    url: str
    secret: str = ""
    messages: list[Message] = field(default_factory=list)


def verify(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    now: float,
    tolerance_seconds: float = _TOLERANCE_SECONDS,
) -> str | None:
    """Return why a message is invalid; None if it is valid.

    Args:
        headers: with names in lower case.
        now: seconds since 1970.
        tolerance_seconds: how far the time of a message may be from `now`.
    """
    identifier, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
    if not identifier or not timestamp.isdigit():
        return "webhook-id or webhook-timestamp is missing"
    if abs(now - int(timestamp)) > tolerance_seconds:
        return "webhook-timestamp is too far from now"
    key = b64decode(secret.removeprefix("whsec_"))
    signed = f"{identifier}.{timestamp}.".encode() + body
    expected = "v1," + b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(item, expected) for item in given):
        return "no signature matches this body and secret"
    return None


@contextmanager
def receive(
    tolerance_seconds: float = _TOLERANCE_SECONDS, port: int = 0
) -> Iterator[WebhookReceiver]:
    """Run a receiver on loopback inside the context. It answers 204 and stores `messages`.

    Args:
        port: 0 for a free one.
    """
    server = ThreadingHTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler)
    receiver = WebhookReceiver(f"http://127.0.0.1:{server.server_port}/hook")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            problem = verify(receiver.secret, headers, body, time.time(), tolerance_seconds)
            told = Message(headers.get("webhook-id", ""), json.loads(body), problem)
            receiver.messages.append(told)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing; the requests are in `messages`."""

    server.RequestHandlerClass = Handler
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
