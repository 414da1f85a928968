"""Images that differ only in times and in ids of the engine become the same bytes."""

import gzip
import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

from tools.release.image import normalise

EPOCH = 1_764_000_000
BASE = b"the layer of the base image"


def pack(files: dict[str, bytes], mtime: int, attributes: dict[str, str]) -> bytes:
    """Return a layer."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode, member.uid = len(content), mtime, 0o640, 10_001
            member.pax_headers = attributes.copy()
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("link")
        link.type, link.linkname, link.mtime = tarfile.LNKTYPE, next(iter(files)), mtime
        archive.addfile(link)
    return packed.getvalue()


def save(path: Path, layers: list[bytes], container: str, created: str) -> Path:
    """Write an image as `docker save` does."""
    config = {
        "architecture": "amd64",
        "os": "linux",
        "created": created,
        "container": container,
        "container_config": {"Hostname": container},
        "docker_version": "20.10",
        "config": {"Cmd": ["tacho", "api"], "Hostname": container, "Image": f"sha256:{container}"},
        "history": [{"created": created, "created_by": "COPY"}],
        "rootfs": {"type": "layers", "diff_ids": []},
    }
    names = [f"{container}-{number}/layer.tar" for number in range(len(layers))]
    manifest = [{"Config": "config.json", "RepoTags": ["tacho:1"], "Layers": names}]
    members = {
        **dict(zip(names, layers, strict=True)),
        "config.json": json.dumps(config).encode(),
        "manifest.json": json.dumps(manifest).encode(),
    }
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def build(folder: Path, name: str, mtime: int, content: bytes = b"code") -> Path:
    """Return a normalised image that was built at a time, in a container of this name."""
    times = {"mtime": f"{mtime}.25", "SCHILY.xattr.user.kept": "yes"}
    layers = [BASE, pack({"app.py": content}, mtime, times)]
    saved = save(folder / f"{name}.tar", layers, name, f"2026-11-25T00:00:{mtime % 60:02}Z")
    target = folder / f"{name}.tar.gz"
    normalise(saved, target, EPOCH, base_layers=1)
    return target


def read(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]


def test_only_the_content_decides_the_bytes(tmp_path: Path) -> None:
    first, second = build(tmp_path, "aaaa", 1_764_000_001), build(tmp_path, "bbbb", 1_764_999_999)
    third = build(tmp_path, "cccc", 1_764_000_001, content=b"edit")

    assert first.read_bytes() == second.read_bytes() != third.read_bytes()


def test_the_image_can_be_loaded(tmp_path: Path) -> None:
    """Ids are digests of what they name, as an engine requires."""
    files = read(build(tmp_path, "aaaa", 1_764_000_001))

    (manifest,) = json.loads(files["manifest.json"])
    config: dict[str, Any] = json.loads(files[manifest["Config"]])
    assert manifest["RepoTags"] == ["tacho:1"]
    assert config["config"] == {"Cmd": ["tacho", "api"]}
    assert config["created"] == config["history"][0]["created"] == "2025-11-24T16:00:00Z"
    assert config["rootfs"]["diff_ids"] == [
        f"sha256:{hashlib.sha256(files[name]).hexdigest()}" for name in manifest["Layers"]
    ]


def test_compressed_layers_of_the_base_image_are_unpacked(tmp_path: Path) -> None:
    """Some engines save them compressed. Their ids are digests of what is inside."""
    saved = save(tmp_path / "saved.tar", [gzip.compress(BASE)], "aaaa", "2026-11-25T00:00:00Z")

    normalise(saved, tmp_path / "image.tar.gz", EPOCH, base_layers=1)

    assert BASE in read(tmp_path / "image.tar.gz").values()


def test_files_keep_everything_but_their_time_and_the_base_is_not_changed(tmp_path: Path) -> None:
    files = read(build(tmp_path, "aaaa", 1_764_000_001))
    assert files[f"{hashlib.sha256(BASE).hexdigest()}.tar"] == BASE

    (manifest,) = json.loads(files["manifest.json"])
    with tarfile.open(fileobj=io.BytesIO(files[manifest["Layers"][1]])) as layer:
        app, link = layer.getmember("app.py"), layer.getmember("link")
    assert (app.mtime, app.mode, app.uid, app.size) == (EPOCH, 0o640, 10_001, 4)
    assert app.pax_headers == {"SCHILY.xattr.user.kept": "yes"}
    assert (link.islnk(), link.linkname, link.mtime) == (True, "app.py", EPOCH)
