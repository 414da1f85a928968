"""Real proxies in front of a real API: forwarded requests are not direct calls from this
machine."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

import httpx2
import pytest

from backend.platform.network import find_free_port
from backend.tests.asking import RUNS, body
from backend.tests.waiting import wait_for

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
CONFIG = """
daemon off; worker_processes 1; pid {folder}/pid; error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; location / {{ {directives} proxy_pass {upstream}; }} }}
}}
"""

pytestmark = pytest.mark.usefixtures("host_id")


def write(url: str, headers: dict[str, str] | None = None) -> int:
    answer = httpx2.post(f"{url}{RUNS}", json=body(), headers=headers or {}, trust_env=False)
    return answer.status_code


def is_listening(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(params=["", "proxy_http_version 1.1; proxy_set_header X-Real-IP $remote_addr;"])
def nginx_url(request: pytest.FixtureRequest, live_url: str, tmp_path: Path) -> Iterator[str]:
    """Start nginx with a plain `proxy_pass` to the API, or with a directive that operators often
    add."""
    if NGINX is None:
        assert not os.environ.get("CI"), "install nginx-light: CI runs this test"
        pytest.skip("nginx is not installed")
    port = find_free_port()
    config = tmp_path / "nginx.conf"
    config.write_text(
        CONFIG.format(folder=tmp_path, port=port, upstream=live_url, directives=request.param)
    )
    with subprocess.Popen([NGINX, "-c", str(config), "-p", str(tmp_path)]) as server:
        try:
            wait_for(lambda: is_listening(port))
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def test_nginx_does_not_make_its_clients_local(nginx_url: str, live_url: str) -> None:
    """The Host that nginx sends by default is the address of the API."""
    assert httpx2.get(f"{nginx_url}{RUNS}", trust_env=False).status_code == 200
    assert write(nginx_url) == 401
    assert write(live_url) == 202


@pytest.fixture
def forwarder_port(live_url: str) -> Iterator[int]:
    """Forward bytes from a port to the API unchanged, like `ssh -R` or `socat`."""
    upstream = ("127.0.0.1", int(live_url.rpartition(":")[2]))

    def copy(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65_536):
                sink.sendall(chunk)
            sink.shutdown(socket.SHUT_WR)

    class Forward(BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection(upstream) as inner:
                back = Thread(target=copy, args=(inner, self.request))
                back.start()
                copy(self.request, inner)
                back.join()

    with ThreadingTCPServer(("127.0.0.1", 0), Forward) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_a_forwarded_port_needs_the_token(
    forwarder_port: int, live_url: str, request: pytest.FixtureRequest
) -> None:
    """Such a call looks like a direct call, so a configured token is required for both."""
    forwarded = f"http://127.0.0.1:{forwarder_port}"
    # Without a token, the address of the port is foreign.
    assert write(forwarded) == 401
    token = request.getfixturevalue("token")
    pretended = {"Host": live_url.removeprefix("http://")}

    assert write(forwarded) == 401
    assert write(forwarded, pretended) == 401
    assert write(live_url) == 401
    assert write(forwarded, {"Authorization": f"Bearer {token}"}) == 202
