"""A small image registry on loopback, which the Docker engine reads over plain HTTP."""

import hashlib
import json
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_MANIFEST = "application/vnd.docker.distribution.manifest.list.v2+json"
_CONTENT = json.dumps({"schemaVersion": 2, "mediaType": _MANIFEST, "manifests": []}).encode()


@contextmanager
def serve_registry(names: Collection[str]) -> Iterator[str]:
    """Run a registry with images of these names, with any tag; yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/v2/":
                self._answer(200, "application/json", b"{}")
            elif self.path.split("/")[2] in names:
                self._answer(200, _MANIFEST, _CONTENT)
            else:
                fault = {"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}
                self._answer(404, "application/json", json.dumps(fault).encode())

        def do_HEAD(self) -> None:
            self.do_GET()

        def _answer(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
            digest = hashlib.sha256(content).hexdigest()
            self.send_header("Docker-Content-Digest", f"sha256:{digest}")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
