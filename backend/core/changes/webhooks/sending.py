"""Send a POST request to an untrusted receiver: checked address, limited time and response size.

The name is resolved here, and the connection uses the checked address. A name that changes its
address in between (DNS rebinding) has no effect. TLS still checks the name.
Redirects are not followed and no proxy is used.
"""

import logging
import socket
import ssl
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address

import httpcore

from backend.core.changes.webhooks.targets import allow_hint, may_reach

_log = logging.getLogger(__name__)

TOTAL_SECONDS = 10.0
# Long enough to show the receiver's error message.
EXCERPT_BYTES = 1_000


@dataclass(frozen=True)
class DeliveryOutcome:
    """The result of one attempt: a status, or the reason why there is none."""

    status: int | None
    error: str | None
    duration_ms: float
    excerpt: str = ""

    @property
    def is_delivered(self) -> bool:
        """Return whether the status is 2xx. A redirect is not followed and counts as a failure."""
        return self.status is not None and 200 <= self.status < 300


def post(
    url: str, headers: Mapping[str, str], body: bytes, allowed: Sequence[str]
) -> DeliveryOutcome:
    """Send one request. Errors are part of the outcome, not raised.

    Args:
        allowed: TACHO_WEBHOOK_ALLOW.
    """
    began = time.monotonic()
    deadline = began + TOTAL_SECONDS
    status, error, excerpt = None, None, b""
    extensions = {
        "timeout": dict.fromkeys(("connect", "read", "write", "pool"), TOTAL_SECONDS),
    }
    try:
        with (
            httpcore.ConnectionPool(
                ssl_context=_tls(), network_backend=_CheckedBackend(allowed, deadline)
            ) as pool,
            pool.stream(
                "POST",
                url,
                headers=list(headers.items()),
                content=body,
                extensions=extensions,
            ) as answer,
        ):
            status = answer.status
            for chunk in answer.iter_stream():
                excerpt += chunk
                if len(excerpt) >= EXCERPT_BYTES:
                    break
    except _Refused as refusal:
        error = str(refusal)
    except httpcore.TimeoutException:
        error = f"No answer within {TOTAL_SECONDS:.0f} s."
    except (httpcore.NetworkError, httpcore.ProtocolError) as failure:
        error = f"{type(failure).__name__}: {failure}"
    if status is not None and 300 <= status < 400:
        error = "Redirects are not followed; use the final URL."
    text = excerpt[:EXCERPT_BYTES].decode(errors="replace").replace("\x00", "\ufffd")
    # A received status is more useful than the error of an incomplete body.
    return DeliveryOutcome(status, error, (time.monotonic() - began) * 1000, text)


@lru_cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class _Refused(Exception):
    """Webhooks may not reach the address of the receiver."""


class _CheckedBackend(httpcore.NetworkBackend):
    """Connects only to addresses that `may_reach` allows."""

    def __init__(self, allowed: Sequence[str], deadline: float) -> None:
        self._allowed = allowed
        self._deadline = deadline
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to an allowed address of the host; raise _Refused if there is none."""
        addresses = _resolve(host, port)
        reachable = [a for a in addresses if may_reach(host, port, ip_address(a), self._allowed)]
        if not reachable:
            # Only the operator may learn what internal names exist, and what they resolve to.
            _log.info(
                "webhooks may not reach %s, port %d: %s", host, port, addresses or "no address"
            )
            raise _Refused(f"{host} does not resolve to a public address; {allow_hint(host, port)}")
        failure: httpcore.NetworkError | httpcore.TimeoutException | None = None
        for address in reachable:
            try:
                stream = self._sockets.connect_tcp(
                    address, port, _left(self._deadline, timeout), local_address, socket_options
                )
                return _TimedStream(stream, self._deadline)
            except (httpcore.NetworkError, httpcore.TimeoutException) as error:
                failure = error
        assert failure is not None
        raise failure


def _resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a name; none if it has none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))


class _TimedStream(httpcore.NetworkStream):
    """A stream that ends at a deadline, even if the other side sends slowly."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._deadline, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._deadline, timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(
            ssl_context, server_hostname, _left(self._deadline, timeout)
        )
        return _TimedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _left(deadline: float, timeout: float | None) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left if timeout is None else min(left, timeout)
