"""The container image of a release, whose bytes depend only on the commit and the base image.

A container engine stores the times of the build and ids of containers in an image. `normalise`
replaces them. The layers of the base image stay as they are.
"""

import gzip
import hashlib
import io
import json
import os
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from backend.core.config import get_settings
from tools.release.source import ReleaseError, ReleaseSource, run

_DEFAULT_BASE = "python:3.13-slim"
_LEVEL = 6
_GZIP = b"\x1f\x8b"
_BLOCK = 2**20
# Times of files in the headers of a tar archive, which replace the ordinary ones.
_TIMES = {"mtime", "atime", "ctime"}
# The engine that runs an image needs these keys. The other keys describe the build.
_KEPT = ("architecture", "variant", "os", "rootfs", "history", "config")


def choose_base(repository: Path) -> str:
    """Return the base image: BASE_PYTHON, or one of Debian packages with TACHO_BASES=debian."""
    if base := os.environ.get("BASE_PYTHON"):
        return base
    if os.environ.get("TACHO_BASES") != "debian":
        return _DEFAULT_BASE
    command = (sys.executable, "-m", "worker.runtime.bases", "build", "python")
    return run(repository, *command).strip().partition("=")[2]


def build_image(
    source: ReleaseSource, tree: Path, folder: Path, base: str, *, uses_cache: bool
) -> Path:
    """Build the image of a source tree, write it as an archive for `docker load`, and load it.

    The engine has it as `tacho:<version>` afterwards.
    """
    tag = _name_image(source)
    path = folder / f"{source.name}-image.tar.gz"
    options: tuple[str, ...] = ("--tag", tag, "--build-arg", f"BASE_PYTHON={base}")
    if not uses_cache:
        options += ("--no-cache",)
    if get_settings().build_network == "host":
        options += ("--network", "host")
    _run_docker("build", "--quiet", *options, str(tree))
    inspected = _run_docker("image", "inspect", "--format", "{{len .RootFS.Layers}}", base)
    with tempfile.TemporaryDirectory(prefix="tacho-image-", dir=folder) as scratch:
        saved = Path(scratch, "saved.tar")
        _run_docker("save", "--output", str(saved), tag)
        normalise(saved, path, source.epoch, int(inspected))
    _run_docker("load", "--quiet", "--input", str(path))
    shown = run_inside(source, "tacho", "--version").strip()
    if shown != f"tacho {source.version}":
        raise ReleaseError(f"The image has another version than {source.version}: {shown}")
    return path


def run_inside(source: ReleaseSource, *command: str) -> str:
    """Return the output of a program that runs in the image of a version, without a network."""
    return _run_docker("run", "--rm", "--network", "none", _name_image(source), *command)


def normalise(saved: Path, target: Path, epoch: int, base_layers: int) -> None:
    """Rewrite an image that `docker save` wrote.

    Args:
        saved: the archive of one image.
        target: the new archive, compressed.
        epoch: time of the image and its files, in seconds since 1970.
        base_layers: number of layers that belong to the base image. They are not changed.
    """
    with tarfile.open(saved) as archive, _open_compressed(target) as written:
        (manifest,) = json.load(_open(archive, "manifest.json"))
        config = json.load(_open(archive, manifest["Config"]))
        digests: list[str] = []
        for number, name in enumerate(manifest["Layers"]):
            with _open(archive, name) as layer, tempfile.TemporaryFile() as file:
                if number < base_layers:
                    _copy(layer, file)
                else:
                    _rewrite(layer, file, epoch)
                digest = _digest(file)
                if digest not in digests:
                    _add(written, f"{digest}.tar", file, epoch)
                digests.append(digest)
        document = json.dumps(describe(config, digests, epoch)).encode()
        name = f"{hashlib.sha256(document).hexdigest()}.json"
        layers = [f"{digest}.tar" for digest in digests]
        listed = [{"Config": name, "RepoTags": manifest["RepoTags"], "Layers": layers}]
        _add(written, name, io.BytesIO(document), epoch)
        _add(written, "manifest.json", io.BytesIO(json.dumps(listed).encode()), epoch)


def describe(config: dict[str, Any], digests: list[str], epoch: int) -> dict[str, Any]:
    """Return the description of an image without what differs between builds."""
    created = datetime.fromtimestamp(epoch, UTC).isoformat().replace("+00:00", "Z")
    kept = {key: config[key] for key in _KEPT if key in config}
    # The container that ran the last step, and the image before it.
    run_with = {
        key: value for key, value in config["config"].items() if key not in {"Hostname", "Image"}
    }
    return kept | {
        "created": created,
        "config": run_with,
        "history": [step | {"created": created} for step in config["history"]],
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in digests]},
    }


def _rewrite(layer: IO[bytes], target: IO[bytes], epoch: int) -> None:
    """Copy a layer, and give all of its files the same time."""
    with (
        tarfile.open(fileobj=layer) as source,
        tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as copy,
    ):
        for member in source:
            member.mtime = epoch
            member.uname = member.gname = ""
            member.pax_headers = {
                key: value for key, value in member.pax_headers.items() if key not in _TIMES
            }
            copy.addfile(member, source.extractfile(member) if member.isreg() else None)


def _copy(layer: IO[bytes], target: IO[bytes]) -> None:
    """Copy a layer as it is, so that the engine recognizes it. Some engines store it compressed."""
    is_compressed = layer.read(len(_GZIP)) == _GZIP
    layer.seek(0)
    with gzip.open(layer) if is_compressed else nullcontext(layer) as plain:
        shutil.copyfileobj(plain, target)


@contextmanager
def _open_compressed(path: Path) -> Iterator[tarfile.TarFile]:
    """Open a new archive whose compressed bytes depend only on its members."""
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        yield archive


def _open(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    """Return a member of an archive. Docker writes equal layers once, and links to them."""
    member = archive.extractfile(name)
    if member is None:
        raise ReleaseError(f"`docker save` wrote no file {name}.")
    return member


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes], epoch: int) -> None:
    member = tarfile.TarInfo(name)
    member.size = content.seek(0, os.SEEK_END)
    member.mtime = epoch
    content.seek(0)
    archive.addfile(member, content)


def _digest(file: IO[bytes]) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _name_image(source: ReleaseSource) -> str:
    return f"tacho:{source.version}"


def _run_docker(*arguments: str) -> str:
    return run(Path.cwd(), "docker", *arguments)
