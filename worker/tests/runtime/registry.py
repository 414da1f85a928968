"""Small image registries on loopback, which the Docker engine reads over plain HTTP."""

import gzip
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
_CONFIG = "application/vnd.docker.container.image.v1+json"
_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"
_EMPTY = json.dumps({"schemaVersion": 2, "mediaType": _LIST, "manifests": []}).encode()


@dataclass(frozen=True)
class _Content:
    kind: str
    data: bytes

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.data).hexdigest()}"

    @property
    def descriptor(self) -> dict[str, object]:
        return {"mediaType": self.kind, "size": len(self.data), "digest": self.digest}


@dataclass
class Images:
    """The images of a registry. A tag can move to another image."""

    address: str = ""
    contents: dict[str, _Content] = field(default_factory=dict)

    def put(self, name: str, tag: str, text: str) -> str:
        """Give a tag to an image with one file `text`, and return the digest of the image."""
        archive = _pack(text.encode())
        layer = _Content(_LAYER, gzip.compress(archive, mtime=0))
        diff = f"sha256:{hashlib.sha256(archive).hexdigest()}"
        config = _Content(
            _CONFIG,
            json.dumps(
                {
                    "architecture": "amd64",
                    "os": "linux",
                    "config": {},
                    "rootfs": {"type": "layers", "diff_ids": [diff]},
                    "history": [{"created_by": "a test"}],
                }
            ).encode(),
        )
        document = {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": config.descriptor,
            "layers": [layer.descriptor],
        }
        manifest = _Content(_MANIFEST, json.dumps(document).encode())
        for blob in (config, layer):
            self.contents[f"/v2/{name}/blobs/{blob.digest}"] = blob
        for reference in (tag, manifest.digest):
            self.contents[f"/v2/{name}/manifests/{reference}"] = manifest
        return manifest.digest


@contextmanager
def serve_images() -> Iterator[Images]:
    """Run a registry that has the images that the test puts there."""
    images = Images()
    with _serve(images.contents.get) as images.address:
        yield images


@contextmanager
def serve_registry(names: Collection[str]) -> Iterator[str]:
    """Run a registry with empty images of these names, with any tag; yield its address."""

    def find(path: str) -> _Content | None:
        return _Content(_LIST, _EMPTY) if path.split("/")[2] in names else None

    with _serve(find) as address:
        yield address


def _pack(text: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("text")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return packed.getvalue()


@contextmanager
def _serve(find: Callable[[str], _Content | None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/v2/":
                self._answer(200, _Content("application/json", b"{}"))
            elif found := find(self.path):
                self._answer(200, found)
            else:
                fault = {"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}
                self._answer(404, _Content("application/json", json.dumps(fault).encode()))

        def do_HEAD(self) -> None:
            self.do_GET()

        def _answer(self, status: int, content: _Content) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content.kind)
            self.send_header("Content-Length", str(len(content.data)))
            self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
            self.send_header("Docker-Content-Digest", content.digest)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content.data)

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
