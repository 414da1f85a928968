"""Official bases are pinned by digest: a tag that moves in the registry changes no build."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import docker.errors
import pytest

from backend.core.catalog.manifest import DockerRecipe
from backend.core.catalog.sources import SourceTree
from worker.runtime.base import Artifact, BuildRequest
from worker.runtime.docker.bases import Bases
from worker.runtime.docker.build import DockerBuild
from worker.runtime.docker.engine import EngineClient, connect
from worker.runtime.docker.images import build_from_memory, find_image
from worker.runtime.docker.notes import ImageNotes
from worker.runtime.docker.pins import BasePins
from worker.runtime.errors import RuntimeUnavailable
from worker.tests.runtime.bench import ignore, never
from worker.tests.runtime.registry import Images, serve_images

_BUILT = "tacho/pinned:"
_DOCKERFILE = "ARG BASE_NODE\nFROM ${BASE_NODE}\nCOPY Dockerfile /made\n"


@pytest.fixture
def engine() -> Iterator[EngineClient]:
    opened = connect()
    yield opened
    opened.close()


@pytest.fixture
def images(engine: EngineClient) -> Iterator[Images]:
    """A registry with the image node:1. Images that came from it are removed afterwards."""
    with serve_images() as images:
        images.put("node", "1", "first")
        yield images
    for prefix in (_BUILT, images.address):
        for image in engine.images():
            for name in [*(image["RepoTags"] or ()), *(image["RepoDigests"] or ())]:
                if name.startswith(prefix):
                    with suppress(docker.errors.ImageNotFound):
                        engine.remove_image(name, force=True)


def _base_layer(engine: EngineClient, image_id: str | None) -> str:
    """Return the digest of the lowest layer of an image."""
    details: dict[str, dict[str, list[str]]]
    details = engine.inspect_image(image_id)  # type: ignore[no-untyped-call]
    return details["RootFS"]["Layers"][0]


def load(tmp_path: Path, address: str, host: str = "host") -> Bases:
    """Return the bases of a bench host."""
    folder, data = tmp_path / "bases", tmp_path / host
    folder.mkdir(exist_ok=True)
    data.mkdir(exist_ok=True)
    (folder / "bases.toml").write_text(
        f'[root]\nsuite = "trixie"\n[bases.node]\nofficial = "{address}/node:1"\n'
        '[bases.static]\nofficial = "scratch"\n'
    )
    return Bases.load(folder, "official", BasePins.of(data))


def build(tmp_path: Path, bases: Bases) -> Artifact:
    """Return the image of a service that starts from the base `node`."""
    source = tmp_path / "service"
    source.mkdir(exist_ok=True)
    (source / "Dockerfile").write_text(_DOCKERFILE)
    recipe = DockerRecipe(bases=("node",), memory_mb=64)
    request = BuildRequest("pinned", SourceTree(source), os.urandom(16).hex(), recipe, None)
    return DockerBuild(request, bases, ImageNotes(tmp_path / "notes")).run(ignore, never)


@pytest.mark.docker
def test_a_tag_that_moves_changes_no_build_until_it_is_renewed(
    images: Images, engine: EngineClient, tmp_path: Path
) -> None:
    first = images.contents["/v2/node/manifests/1"].digest
    bases = load(tmp_path, images.address)
    bases.pin(["node", "static"])
    built = build(tmp_path, bases)
    second = images.put("node", "1", "second")

    bases.pin(["node"])
    again = build(tmp_path, bases)

    pinned = f"{images.address}/node:1@{first}"
    assert built.base_images == again.base_images == (pinned,)
    assert bases.reference("static") == "scratch"
    assert _base_layer(engine, built.image_id) == _base_layer(engine, again.image_id)

    renewed = f"{images.address}/node:1@{second}"
    assert BasePins.of(tmp_path / "host").renew() == [(pinned, renewed)]
    assert BasePins.of(tmp_path / "host").renew() == []
    later = build(tmp_path, bases)
    assert later.base_images == (renewed,)
    assert _base_layer(engine, later.image_id) != _base_layer(engine, built.image_id)


@pytest.mark.docker
def test_an_image_of_the_engine_is_used_before_the_registry_is_asked(
    images: Images, engine: EngineClient, tmp_path: Path
) -> None:
    first = images.contents["/v2/node/manifests/1"].digest
    engine.pull(f"{images.address}/node", tag="1")
    images.put("node", "1", "second")

    bases = load(tmp_path, images.address)
    bases.pin(["node"])

    assert bases.reference("node") == f"{images.address}/node:1@{first}"


@pytest.mark.docker
def test_an_image_without_a_registry_is_pinned_by_its_id(
    images: Images, engine: EngineClient, tmp_path: Path
) -> None:
    tag = f"{images.address}/node:1"
    dockerfile = f"FROM scratch\nLABEL of={tmp_path}\n".encode()
    build_from_memory(engine, tag, {"Dockerfile": dockerfile})
    image = find_image(engine, tag)
    assert image is not None
    bases = load(tmp_path, images.address)

    bases.pin(["node"])

    assert bases.reference("node") == image["Id"]
    built = build(tmp_path, bases)
    assert built.base_images == (image["Id"],)
    for reference in (built.reference, tag):
        engine.remove_image(reference, force=True)
    bases.pin(["node"])
    assert bases.reference("node").startswith(f"{tag}@sha256:")


@pytest.mark.docker
def test_a_registry_that_does_not_answer_is_named_with_the_fix(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        bases = load(tmp_path, address)
        with pytest.raises(RuntimeUnavailable, match=f"digest of {address}/node:1") as failure:
            bases.pin(["node"])

    assert "TACHO_BASES=debian" in failure.value.fix
    assert bases.reference("node") == f"{address}/node:1"


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "bases.json").write_text("{")

    with pytest.raises(RuntimeUnavailable, match=r"bases\.json is damaged"):
        load(tmp_path, "127.0.0.1:9").reference("node")
