"""The secrets and services that hostile services try to reach, planted for one check.

A sentinel process stands for the worker, an HTTP server for the API, a socket for the database, and
files for the settings and for another trial.
"""

import os
import secrets
import socket
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil

_PORT_TRIES = 20


@dataclass
class Bait:
    """The planted secrets and servers, and the connections to them.

    Attributes:
        secret: a text that no hostile service may know.
        loopback_calls: connections to the API on 127.0.0.1.
        address_calls: connections to the API on other addresses of this machine.
        socket_calls: connections to the socket of the database.
    """

    secret: str
    mark: str
    folder: Path
    port: int
    addresses: list[str]
    sentinel: "subprocess.Popen[bytes]"
    loopback_calls: list[str] = field(default_factory=list)
    address_calls: list[str] = field(default_factory=list)
    socket_calls: list[str] = field(default_factory=list)

    @property
    def hints(self) -> dict[str, str]:
        """Return where everything is, for placeholders of manifests."""
        return {
            "env_file": str(self.folder / ".env"),
            "trial_file": str(self.folder / "trials" / "other" / "scripts" / "load.js"),
            "trials": str(self.folder / "trials"),
            "socket": str(self.folder / "database.sock"),
            "addresses": " ".join(self.addresses),
            "port": str(self.port),
            "pid": str(self.sentinel.pid),
            "mark": self.mark,
            # Recognises a `sleep` by its argument.
            "mark_seconds": f"600.{int(self.mark, 16)}",
        }

    def forget_calls(self) -> None:
        """Forget the connections so far."""
        for calls in (self.loopback_calls, self.address_calls, self.socket_calls):
            calls.clear()


@contextmanager
def plant(folder: Path) -> Iterator[Bait]:
    """Plant everything below `folder`, and remove it afterwards."""
    secret, mark = f"canary-{secrets.token_hex(16)}", secrets.token_hex(6)
    (folder / "trials" / "other" / "scripts").mkdir(parents=True)
    for path in (folder / ".env", folder / "trials" / "other" / "scripts" / "load.js"):
        path.write_text(f"TACHO_TOKEN={secret}\n")
    environment = {**os.environ, "DATABASE_URL": secret, "AWS_SECRET_ACCESS_KEY": secret}
    with ExitStack() as planted:
        sentinel = subprocess.Popen(["sleep", "86400"], env=environment)
        planted.callback(sentinel.wait)
        planted.callback(sentinel.kill)
        addresses = _list_addresses()
        loopback, port = _listen_on_free_port(addresses)
        bait = Bait(secret, mark, folder, port, addresses, sentinel)
        _serve(planted, loopback, bait.loopback_calls, secret)
        for address in addresses:
            _serve(planted, _listen(address, port), bait.address_calls, "")
        _serve_socket(planted, Path(bait.hints["socket"]), bait.socket_calls)
        yield bait


def _list_addresses() -> list[str]:
    return [
        address.address
        for addresses in psutil.net_if_addrs().values()
        for address in addresses
        if address.family is socket.AF_INET and not address.address.startswith("127.")
    ]


def _listen(address: str, port: int) -> ThreadingHTTPServer:
    return ThreadingHTTPServer((address, port), BaseHTTPRequestHandler)


def _listen_on_free_port(addresses: list[str]) -> tuple[ThreadingHTTPServer, int]:
    """Return a server on a port of the loopback that is free on all addresses."""
    for _ in range(_PORT_TRIES):
        server = _listen("127.0.0.1", 0)
        port = server.server_port
        try:
            for address in addresses:
                _listen(address, port).server_close()
        except OSError:
            server.server_close()
            continue
        return server, port
    raise OSError("No port is free on all addresses of this machine.")


def _serve(planted: ExitStack, server: ThreadingHTTPServer, calls: list[str], answer: str) -> None:
    class _CallRecorder(BaseHTTPRequestHandler):
        def handle(self) -> None:
            calls.append(str(self.client_address[0]))
            super().handle()

        def do_POST(self) -> None:
            body = answer.encode()
            self.send_response(202)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Do nothing."""

    server.RequestHandlerClass = _CallRecorder
    _run(planted, server)


def _serve_socket(planted: ExitStack, path: Path, calls: list[str]) -> None:
    class _ConnectionRecorder(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            calls.append(str(path))

    server = socketserver.ThreadingUnixStreamServer(str(path), _ConnectionRecorder)
    path.chmod(0o777)
    _run(planted, server)


def _run(planted: ExitStack, server: socketserver.BaseServer) -> None:
    server.daemon_threads = True  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, name="bait", daemon=True).start()
    planted.callback(server.server_close)
    planted.callback(server.shutdown)
