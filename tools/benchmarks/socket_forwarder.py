"""A TCP address that forwards to a Unix socket and can be cut, like a network that fails."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

_BYTES = 65_536


class SocketForwarder:
    """Forwards connections to `target` while it is whole. Use it as a context."""

    def __init__(self, target: Path, address: str = "127.0.0.1") -> None:
        """Listen on a free port of `address`, an IP address of this machine."""
        self._target = target
        self._listener = socket.create_server((address, 0))
        self._ends: list[socket.socket] = []
        self._lock = threading.Lock()
        self._is_cut = False

    @property
    def port(self) -> int:
        """Return the port on which it listens."""
        return int(self._listener.getsockname()[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self._close_all()

    @contextmanager
    def cut(self) -> Iterator[None]:
        """End all connections, and accept none until the context ends."""
        with self._lock:
            self._is_cut = True
        self._close_all()
        try:
            yield
        finally:
            with self._lock:
                self._is_cut = False

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._is_cut:
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._target))
                self._ends += [client, server]
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=_forward, args=(source, sink), daemon=True).start()

    def _close_all(self) -> None:
        with self._lock:
            ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def _forward(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_BYTES):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)
