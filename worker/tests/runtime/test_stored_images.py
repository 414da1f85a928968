"""Images that this installation has built are listed and removed, with the steps of builds."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import docker
import pytest
from docker.errors import ImageNotFound

from backend.core.catalog.sources import SourceTree
from backend.core.config import ROOT
from worker.runtime.base import BuildRequest
from worker.runtime.docker import DockerRuntime
from worker.runtime.docker.bases import Bases
from worker.runtime.docker.notes import ImageNotes
from worker.runtime.errors import BuildFailed, RuntimeFailure
from worker.runtime.stored import StoredItem, StoredKind
from worker.tests.runtime.bench import ignore, never

pytestmark = pytest.mark.docker

# The image does not contain the first stage. {mark} makes every step different from those of all
# other images, because the engine keeps a step that another image is built on.
_TWO_STAGES = """\
FROM scratch AS first
LABEL mark={mark}
COPY plain-service /plain-service
FROM scratch
LABEL mark={mark}
COPY --from=first /plain-service /plain-service
ENTRYPOINT ["/plain-service"]
"""


@pytest.fixture
def client() -> Iterator[docker.DockerClient]:
    opened = docker.from_env()
    yield opened
    opened.close()


@pytest.fixture
def runtime(k6: Path, tmp_path: Path) -> DockerRuntime:
    """A runtime with a data folder of its own, so that it has built no image yet."""
    bases = Bases.load(ROOT / "services/bases", "official")
    return DockerRuntime(k6, bases, tmp_path / "data")


@pytest.fixture
def notes(tmp_path: Path) -> ImageNotes:
    return ImageNotes(tmp_path / "data/build/docker")


@pytest.fixture
def request_of_two_stages(
    plain_service: BuildRequest, tmp_path: Path, client: docker.DockerClient
) -> Iterator[BuildRequest]:
    folder = tmp_path / "service"
    plain_service.source.copy_to(folder)
    (folder / "Dockerfile").write_text(_TWO_STAGES.format(mark=uuid4().hex))
    request = replace(
        plain_service, slug="stored-image", source=SourceTree(folder), digest=os.urandom(16).hex()
    )
    yield request
    with suppress(ImageNotFound):
        client.images.remove(tag_of(request), force=True)


def tag_of(request: BuildRequest) -> str:
    return f"tacho/{request.slug}:{request.digest[:12]}"


def has_image(client: docker.DockerClient, reference: str) -> bool:
    try:
        client.images.get(reference)
    except ImageNotFound:
        return False
    return True


def find_item(runtime: DockerRuntime, reference: str) -> StoredItem | None:
    return next((item for item in runtime.list_stored() if item.name == reference), None)


def test_an_image_goes_with_all_steps_of_its_build(
    runtime: DockerRuntime,
    request_of_two_stages: BuildRequest,
    client: docker.DockerClient,
    notes: ImageNotes,
) -> None:
    tag = tag_of(request_of_two_stages)
    artifact = runtime.build(request_of_two_stages, ignore, never)
    note = notes.find(tag)
    assert note is not None
    assert len(note.step_ids) >= 3
    item = find_item(runtime, tag)
    assert item is not None
    assert (item.kind, item.needed_because) == (StoredKind.BUILD, "")
    assert item.build_name == f"stored-image-{request_of_two_stages.digest[:12]}"
    # The binary is in the image, and once more in the first stage.
    assert item.size_bytes >= 2 * artifact.size_bytes

    item.remove()

    assert [step for step in (tag, *note.step_ids) if has_image(client, step)] == []
    assert runtime.list_stored() == []
    assert notes.find(tag) is None


def test_steps_that_another_build_has_stay(
    runtime: DockerRuntime,
    request_of_two_stages: BuildRequest,
    client: docker.DockerClient,
    notes: ImageNotes,
) -> None:
    again = replace(request_of_two_stages, slug="stored-image-again")
    for request in (request_of_two_stages, again):
        runtime.build(request, ignore, never)
    first, second = (notes.find(tag_of(request)) for request in (request_of_two_stages, again))
    assert first is not None
    assert second is not None
    shared = set(first.step_ids) & set(second.step_ids)
    assert shared
    items = {item.name: item for item in runtime.list_stored()}
    assert items[second.reference].size_bytes > items[first.reference].size_bytes

    items[first.reference].remove()

    assert [step for step in shared if not has_image(client, step)] == []
    assert has_image(client, second.reference)
    items[second.reference].remove()
    assert [step for step in shared if has_image(client, step)] == []


def test_an_image_of_a_container_is_not_removed(
    runtime: DockerRuntime, request_of_two_stages: BuildRequest, client: docker.DockerClient
) -> None:
    tag = tag_of(request_of_two_stages)
    runtime.build(request_of_two_stages, ignore, never)
    before = find_item(runtime, tag)
    container = client.containers.create(tag)
    try:
        during = find_item(runtime, tag)
        assert before is not None
        assert during is not None
        assert during.needed_because == "a container uses it"
        with pytest.raises(RuntimeFailure):
            before.remove()
        assert has_image(client, tag)
    finally:
        container.remove(force=True)


def test_images_of_other_installations_are_not_listed(
    runtime: DockerRuntime, request_of_two_stages: BuildRequest, k6: Path, tmp_path: Path
) -> None:
    bases = Bases.load(ROOT / "services/bases", "official")
    runtime.build(request_of_two_stages, ignore, never)
    other = DockerRuntime(k6, bases, tmp_path / "other")

    assert other.build(request_of_two_stages, ignore, never).cached

    assert other.list_stored() == []
    assert len(runtime.list_stored()) == 1


def test_a_use_of_an_image_is_noted(
    runtime: DockerRuntime, request_of_two_stages: BuildRequest, tmp_path: Path
) -> None:
    tag = tag_of(request_of_two_stages)
    runtime.build(request_of_two_stages, ignore, never)
    (note,) = (tmp_path / "data/build/docker").iterdir()
    os.utime(note, (1, 1))
    unused = find_item(runtime, tag)

    runtime.build(request_of_two_stages, ignore, never)

    used = find_item(runtime, tag)
    assert unused is not None
    assert used is not None
    assert unused.used_at.year == 1970
    assert used.used_at.year > 2000


def test_the_steps_of_a_failed_build_can_be_removed(
    runtime: DockerRuntime, request_of_two_stages: BuildRequest, client: docker.DockerClient
) -> None:
    dockerfile = request_of_two_stages.source.folder / "Dockerfile"
    dockerfile.write_text(f"{dockerfile.read_text()}COPY missing /\n")
    with pytest.raises(BuildFailed):
        runtime.build(request_of_two_stages, ignore, never)
    (item,) = runtime.list_stored()
    assert item.size_bytes > 1_000_000

    item.remove()

    assert runtime.list_stored() == []
