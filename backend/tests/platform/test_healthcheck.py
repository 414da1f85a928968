"""The health check of containers, against a server that answers like the API."""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from backend.platform.healthcheck import has_heartbeat, is_well

HEALTH = {"status": "ok", "database": "ok", "broker": "ok", "hosts": [], "version": "0.1.0"}
ONLINE = [{"name": "bench-01", "status": "ok", "state": "idle"}]
LOST = [{"name": "bench-01", "status": "down", "state": "offline"}]


@contextmanager
def answering(status: int, body: dict[str, object]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "changed", "api_well", "host_well"),
    [
        (200, {"hosts": ONLINE}, True, True),
        (503, {"status": "down"}, True, False),
        (503, {"status": "down", "hosts": LOST}, True, False),
        (503, {"status": "down", "database": "down"}, False, False),
    ],
)
def test_the_api_and_its_hosts_are_distinguished(
    status: int, changed: dict[str, object], api_well: bool, host_well: bool
) -> None:
    with answering(status, HEALTH | changed) as url:
        assert is_well(url, None) is api_well
        assert is_well(url, "bench-01") is host_well


def test_a_missing_server_is_an_error() -> None:
    with pytest.raises(OSError, match="refused"):
        is_well("http://127.0.0.1:9", None)


def test_an_old_heartbeat_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "heartbeat"
    assert not has_heartbeat(str(file))
    file.touch()
    assert has_heartbeat(str(file))
    minute_ago = time.time() - 61
    os.utime(file, (minute_ago, minute_ago))
    assert not has_heartbeat(str(file))
