"""A real HTTP receiver of webhooks on loopback, which answers as a test wants."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass(frozen=True)
class Received:
    """One request as it came; header names are lower case."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """What came, and what is answered: each of `statuses` once, then 204."""

    url: str
    received: list[Received] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    location: str = ""
    answer: bytes = b""


@contextmanager
def receiver() -> Iterator[Receiver]:
    """One that listens as long as the context lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    told = Receiver(f"http://127.0.0.1:{server.server_port}/hook")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            told.received.append(Received(self.path, headers, body))
            self.send_response(told.statuses.pop(0) if told.statuses else 204)
            if told.location:
                self.send_header("Location", told.location)
            self.send_header("Content-Length", str(len(told.answer)))
            self.end_headers()
            self.wfile.write(told.answer)

        def log_message(self, *_: object) -> None:
            """Tests read `received`."""

    server.RequestHandlerClass = Handler
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
