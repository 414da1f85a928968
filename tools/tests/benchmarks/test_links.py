"""Links join namespaces, delay their packets, limit their rate, and leave nothing behind."""

import os
import shutil
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.platform.tools import get_tool, module_go
from tools.benchmarks import links
from tools.benchmarks.links import LINK_MODULE, FarHost, LinkShape, open_far_hosts

_DELAY_US = 20_000
_RATE_MBPS = 8
_SENT_BYTES = 500_000

# Prints the shortest of some round trips, in seconds.
_PING = """
import socket, sys, time
with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=60) as connection:
    trips = []
    for _ in range(20):
        sent = time.monotonic()
        connection.sendall(b"x")
        assert connection.recv(1) == b"x"
        trips.append(time.monotonic() - sent)
print(min(trips))
"""
# Prints the seconds until the bytes that it sent have come back.
_STREAM = """
import socket, sys, threading, time
with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=60) as connection:
    left = count = int(sys.argv[3])
    began = time.monotonic()
    threading.Thread(target=connection.sendall, args=(bytes(count),)).start()
    while left:
        left -= len(connection.recv(65536))
print(time.monotonic() - began)
"""


class Echo(socketserver.BaseRequestHandler):
    """Sends back all bytes of a connection."""

    def handle(self) -> None:
        while data := self.request.recv(65_536):
            self.request.sendall(data)


@pytest.fixture(scope="module", params=["netem", "program"])
def far_host(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FarHost]:
    """A namespace behind each kind of link."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--net", "true"], check=False).returncode:
        pytest.skip("making network namespaces needs root")
    if shutil.which("ip") is None:
        pytest.skip("ip is missing; install iproute2")
    if request.param == "program" and not Path("/dev/net/tun").exists():
        pytest.skip("this kernel or container has no TUN devices")
    go = get_tool(module_go(LINK_MODULE)).path
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "program":
            patch.setattr(links, "has_netem", lambda _: False)
        with open_far_hosts(1, go, tmp_path_factory.mktemp("link")) as (host,):
            if request.param == "netem" and host.link.kind != "netem":
                pytest.skip("this kernel has no netem")
            yield host


@pytest.fixture
def echo_port(far_host: FarHost) -> Iterator[int]:
    """The port of an echo server at the address that the namespace reaches."""
    with socketserver.ThreadingTCPServer((far_host.near_address, 0), Echo) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield int(server.server_address[1])
        server.shutdown()
        thread.join()
    far_host.link.change(LinkShape())


def run_on(host: FarHost, script: str, *arguments: object) -> float:
    """Run a script on a far host against the echo server, and return the number that it prints."""
    words = [sys.executable, "-c", script, host.near_address, *map(str, arguments)]
    done = subprocess.run(
        [*host.launcher, *words], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


def test_a_delay_adds_twice_to_each_round_trip(far_host: FarHost, echo_port: int) -> None:
    added_s = 2 * _DELAY_US / 1e6
    far_host.link.change(LinkShape(delay_us=_DELAY_US))

    assert run_on(far_host, _PING, echo_port) >= added_s

    # Without the delay, a round trip takes that long only while the machine is busy.
    far_host.link.change(LinkShape())
    deadline = time.monotonic() + 120
    while run_on(far_host, _PING, echo_port) >= added_s:
        assert time.monotonic() < deadline


def test_bytes_arrive_no_faster_than_the_rate(far_host: FarHost, echo_port: int) -> None:
    far_host.link.change(LinkShape(rate_mbps=_RATE_MBPS))

    took_s = run_on(far_host, _STREAM, echo_port, _SENT_BYTES)

    assert took_s >= _SENT_BYTES * 8 / (_RATE_MBPS * 1e6)


def test_a_link_is_the_only_way_out(far_host: FarHost) -> None:
    routes = subprocess.run(
        [*far_host.launcher, "ip", "-4", "route"], capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert [route.split()[0] for route in routes] == [far_host.near_address]


def test_nothing_stays_behind(
    far_host: FarHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if far_host.link.kind != "netem":
        monkeypatch.setattr(links, "has_netem", lambda _: False)
    with open_far_hosts(2, get_tool(module_go(LINK_MODULE)).path, tmp_path) as hosts:
        spaces = [Path("/var/run/netns", host.namespace) for host in hosts]
        names = [host.namespace.removeprefix("tacho-") for host in hosts]
        devices = [Path("/sys/class/net", f"tn{name}") for name in names]
        assert all(path.exists() for path in (*spaces, *devices))

    assert not any(path.exists() for path in (*spaces, *devices))
