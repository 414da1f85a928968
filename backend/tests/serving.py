"""Serve the app over HTTP in a thread of the test's process."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn
from fastapi import FastAPI

from backend.api.http.protocol import BoundedProtocol
from backend.tests.waiting import LIMIT_S, wait_for

# For clients of plain HTTP. By default, each client loads all certificates of the machine.
WITHOUT_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@contextmanager
def serve(app: FastAPI) -> Iterator[str]:
    """Yield the address of the app, which is served within the context."""
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            host="127.0.0.1",
            port=0,
            http=BoundedProtocol,
            # Without a configuration of its own, so that pytest captures what uvicorn logs.
            log_config=None,
            log_level="warning",
            ws="none",
            timeout_graceful_shutdown=2,
        )
    )
    thread = Thread(target=server.run)
    thread.start()
    wait_for(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(LIMIT_S)
