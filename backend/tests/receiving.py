"""An HTTP receiver of webhooks on loopback, with responses that a test chooses."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from backend.core.config import Settings, get_settings


@dataclass(frozen=True)
class Received:
    """A received request; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """The received requests. Responses have each of `statuses` once, then 204."""

    url: str
    received: list[Received] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    location: str = ""
    answer: bytes = b""


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Run a receiver within the context."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    target = Receiver(f"http://127.0.0.1:{server.server_port}/hook")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            target.received.append(Received(self.path, headers, body))
            self.send_response(target.statuses.pop(0) if target.statuses else 204)
            if target.location:
                self.send_header("Location", target.location)
            self.send_header("Content-Length", str(len(target.answer)))
            self.end_headers()
            self.wfile.write(target.answer)

        def log_message(self, *_: object) -> None:
            """Tests read `received`."""

    server.RequestHandlerClass = Handler
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield target
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def target(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver on loopback, which the settings allow. They also allow a port that is closed."""
    with receiver() as told:
        port = told.url.split(":")[2].split("/")[0]
        allowed = f"localhost:{port}, 127.0.0.1:{port}, 127.0.0.1:9"
        monkeypatch.setenv("TACHO_WEBHOOK_ALLOW", allowed)
        get_settings.cache_clear()
        yield told
    monkeypatch.undo()
    get_settings.cache_clear()
