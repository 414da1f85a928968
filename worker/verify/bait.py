"""The secrets and services that hostile services try to reach, planted for one check.

A sentinel process stands for the worker, an HTTP server for the API, a socket for the database, and
files for the settings and for another trial. A server on a link-local address, in a network
namespace, stands for the metadata service of a cloud. Files and a folder of the worker's user show
whether an attack led the worker there.
"""

import os
import secrets
import shutil
import socket
import socketserver
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

import psutil

from worker.runtime.firewall import explain_missing_programs, run_program
from worker.runtime.service_link import hold_namespace

_PORT_TRIES = 20
_METADATA = "169.254.169.254/80"
_METADATA_PORT = 8080
# The address of this machine on the link to the server of metadata.
_NEAR = "198.18.255.254/32"
_START_S = 10.0
# A server of `http.server` would first look up its own name, which takes long without a network.
_ACCEPT = """
import socket, sys
with socket.create_server((sys.argv[1], int(sys.argv[2]))) as server:
    while True:
        server.accept()[0].close()
"""
_POLL_S = 0.05
_SHOWN_BYTES = 100
# Size of a file in the folder that attacks lead the worker to. It takes no space.
LARGE_BYTES = 64 * 1024**3
_VICTIM_TEXT = "TACHO_TOKEN={secret}\n"


@dataclass(frozen=True)
class VictimState:
    """The properties of a file or folder that an attack could change."""

    mode: str
    owner: int
    group: int
    size_bytes: int
    begin: bytes

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the state of a file or folder."""
        status = path.lstat()
        is_file = stat.S_ISREG(status.st_mode)
        begin = b""
        if is_file:
            with path.open("rb") as file:
                begin = file.read(_SHOWN_BYTES)
        size_bytes = status.st_size if is_file else 0
        return cls(stat.filemode(status.st_mode), status.st_uid, status.st_gid, size_bytes, begin)


@dataclass
class Bait:
    """The planted secrets and servers, and the connections to them.

    Attributes:
        secret: a text that no hostile service may know.
        loopback_calls: connections to the API on 127.0.0.1.
        metadata: address and port of servers for metadata, such as 169.254.169.254/80, as bash
            writes them.
        address_calls: connections to the API on other addresses of this machine.
        socket_calls: connections to the socket of the database.
    """

    secret: str
    mark: str
    folder: Path
    port: int
    addresses: list[str]
    sentinel: "subprocess.Popen[bytes]"
    metadata: str
    loopback_calls: list[str] = field(default_factory=list)
    address_calls: list[str] = field(default_factory=list)
    socket_calls: list[str] = field(default_factory=list)
    _before: dict[str, VictimState] = field(default_factory=dict)

    @property
    def hints(self) -> dict[str, str]:
        """Return where everything is, for placeholders of manifests."""
        return {
            "env_file": str(self.folder / ".env"),
            "trial_file": str(self.folder / "trials" / "other" / "scripts" / "load.js"),
            "trials": str(self.folder / "trials"),
            "victim_file": str(self.victim / "settings"),
            "victim_folder": str(self.victim / "folder"),
            "socket": str(self.folder / "database.sock"),
            "addresses": " ".join(self.addresses),
            "port": str(self.port),
            "metadata": self.metadata,
            "pid": str(self.sentinel.pid),
            "mark": self.mark,
            # Recognises a `sleep` by its argument.
            "mark_seconds": f"600.{int(self.mark, 16)}",
        }

    @property
    def victim(self) -> Path:
        """Return the folder whose content no attack may change."""
        return self.folder / "victim"

    def restore(self) -> None:
        """Create the files and the folder again to which attacks lead the worker."""
        shutil.rmtree(self.victim, ignore_errors=True)
        (self.victim / "folder").mkdir(parents=True)
        for name in ("settings", "folder/kept"):
            path = self.victim / name
            path.write_text(_VICTIM_TEXT.format(secret=self.secret))
            path.chmod(0o600)
        with (self.victim / "folder" / "large").open("wb") as large:
            large.truncate(LARGE_BYTES)
        self._before = self._survey()

    def find_changes(self) -> list[str]:
        """Return what differs in the victim since `restore`."""
        before, after = self._before, self._survey()
        return [
            *(f"a file in a folder of its choice: {name}" for name in after.keys() - before.keys()),
            *(f"the removal of {name}" for name in before.keys() - after.keys()),
            *(
                f"a change of {name}: {before[name]} became {after[name]}"
                for name in before.keys() & after.keys()
                if before[name] != after[name]
            ),
        ]

    def _survey(self) -> dict[str, VictimState]:
        """Return the state of each file and folder by relative name."""
        return {
            path.relative_to(self.victim).as_posix(): VictimState.read(path)
            for path in (self.victim, *self.victim.rglob("*"))
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
        loopback, *others = _listen_on_free_port(["127.0.0.1", *addresses])
        port = loopback.server_port
        metadata = " ".join([_METADATA, *_serve_metadata(planted)])
        bait = Bait(secret, mark, folder, port, addresses, sentinel, metadata)
        bait.restore()
        _serve(planted, loopback, bait.loopback_calls, secret)
        for server in others:
            _serve(planted, server, bait.address_calls, "")
        _serve_socket(planted, Path(bait.hints["socket"]), bait.socket_calls)
        yield bait


def _serve_metadata(planted: ExitStack) -> list[str]:
    """Start a server on a link-local address, in a network namespace; none without root."""
    if os.geteuid() != 0 or explain_missing_programs(("ip", "unshare", "nsenter")):
        return []
    pid = planted.enter_context(hold_namespace())
    address = f"169.254.{1 + secrets.randbelow(254)}.{1 + secrets.randbelow(254)}"
    device = f"tacho-m{secrets.token_hex(3)}"
    run_program(
        "ip", "link", "add", device, "type", "veth", "peer", "name", "far", "netns", str(pid)
    )
    planted.callback(run_program, "ip", "link", "delete", device)
    run_program("ip", "address", "add", _NEAR, "dev", device)
    run_program("ip", "link", "set", device, "up")
    run_program("ip", "route", "add", address, "dev", device)
    inside = ("nsenter", "--target", str(pid), "--net", "--")
    run_program(*inside, "ip", "address", "add", address, "dev", "far")
    run_program(*inside, "ip", "link", "set", "far", "up")
    run_program(*inside, "ip", "route", "add", "default", "dev", "far")
    server = subprocess.Popen(
        [*inside, sys.executable, "-c", _ACCEPT, address, str(_METADATA_PORT)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    planted.callback(server.wait)
    planted.callback(server.kill)
    end = time.monotonic() + _START_S
    while not _answers(address, _METADATA_PORT):
        if time.monotonic() > end:
            raise OSError(f"The server of metadata on {address} did not start.")
    return [f"{address}/{_METADATA_PORT}"]


def _answers(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), timeout=0.2):
            return True
    except OSError:
        time.sleep(_POLL_S)
        return False


def _list_addresses() -> list[str]:
    """Return the IPv4 addresses of this machine, without the loopback. Two links may share one."""
    found = {
        address.address
        for addresses in psutil.net_if_addrs().values()
        for address in addresses
        if address.family is socket.AF_INET and not address.address.startswith("127.")
    }
    return sorted(found)


def _listen_on_free_port(addresses: list[str]) -> list[ThreadingHTTPServer]:
    """Return a server for each address, all on one port that is free on all of them."""
    for _ in range(_PORT_TRIES):
        with ExitStack() as servers:
            port = 0
            listening = []
            try:
                for address in addresses:
                    server = ThreadingHTTPServer((address, port), BaseHTTPRequestHandler)
                    listening.append(servers.enter_context(server))
                    port = server.server_port
            except OSError:
                continue
            servers.pop_all()
            return listening
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
