"""A real load generator and a small real service for its tests."""

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from worker.tests.loadgen.bench import LOAD, Load

_ROOT = Path(__file__).resolve().parents[3]


class _Answers(BaseHTTPRequestHandler):
    """All paths answer `right`; /unavailable answers 503, /moved 302, and /slow after 0.7 s.

    /stall answers nothing for 0.5 s, once, after a second of load.
    """

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/slow":
            time.sleep(0.7)
        if self.path == "/stall":
            assert isinstance(self.server, _Server)
            self.server.await_stall()
        statuses = {"/unavailable": "503 Service Unavailable", "/moved": "302 Found"}
        status = statuses.get(self.path, "200 OK")
        self.wfile.write(f"HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\nright".encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base's name
        pass


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    _stall_from: float | None = None

    def await_stall(self) -> None:
        """Wait until the stall is over, if it has begun."""
        now = time.monotonic()
        if self._stall_from is None:
            self._stall_from = now + 1.0
        if self._stall_from <= now < self._stall_from + 0.5:
            time.sleep(self._stall_from + 0.5 - now)


@pytest.fixture
def service_url() -> Iterator[str]:
    server = _Server(("127.0.0.1", 0), _Answers)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def start_load(k6: Path, service_url: str, tmp_path: Path) -> Iterator[Callable[..., Load]]:
    """Start load.js (by default the plain one) against the service, with parameters."""
    shutil.copytree(_ROOT / "services/scenarios/lib", tmp_path / "lib")
    started: list[subprocess.Popen[str]] = []

    def start(parameters: dict[str, object], script: str = LOAD, **environment: str) -> Load:
        (tmp_path / "load.js").write_text(script)
        load = Load.start(k6, tmp_path, parameters, {"TACHO_TARGET": service_url} | environment)
        started.append(load.process)
        return load

    yield start
    for process in started:
        process.kill()
        process.communicate()
