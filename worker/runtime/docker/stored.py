"""Lists and removes the images that this installation has built."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import docker.errors

from worker.runtime.docker.answers import ListedImage
from worker.runtime.docker.engine import EngineClient, engine_errors
from worker.runtime.docker.notes import ImageNote, ImageNotes
from worker.runtime.stored import StoredItem, StoredKind

# A label for each base of an image, with its reference.
LABEL_BASE = "tacho.base."
HOLDER_REPOSITORY = "tacho/k6"
BASE_REPOSITORY = "tacho-base"
_ID_CHARACTERS = 12
_UNNAMED = "<none>"
_CONFLICT = 409


@dataclass(frozen=True)
class _Images:
    """The images of an engine by id, with those of single steps of builds."""

    by_id: Mapping[str, ListedImage]
    by_tag: Mapping[str, str]
    by_short_id: Mapping[str, str]
    in_containers: frozenset[str]

    @classmethod
    def read(cls, engine: EngineClient) -> "_Images":
        """Ask the engine."""
        with engine_errors("Listing images"):
            images: list[ListedImage] = engine.images(all=True)
            containers = engine.containers(all=True)
        return cls(
            by_id={image["Id"]: image for image in images},
            by_tag={tag: image["Id"] for image in images for tag in list_names(image["RepoTags"])},
            by_short_id={_shorten(image["Id"]): image["Id"] for image in images},
            in_containers=frozenset(container["ImageID"] for container in containers),
        )

    def list_own(self, note: ImageNote) -> set[str]:
        """Return the ids of an image, of its unnamed ancestors, and of the steps of its build."""
        own = {self.by_short_id[step] for step in note.step_ids if step in self.by_short_id}
        own = {image_id for image_id in own if not self._has_name(image_id)}
        found = self.by_tag.get(note.reference)
        if found is not None:
            own.add(found)
            for ancestor in self._list_ancestors(found):
                if self._has_name(ancestor):
                    break
                own.add(ancestor)
        return own

    def measure_bytes(self, image_ids: Iterable[str]) -> int:
        """Return the size of the layers that these images add to their parents."""
        return sum(self._measure_step_bytes(image_id) for image_id in image_ids)

    def explain_use(self, reference: str) -> str:
        """Return what uses an image now; empty if nothing does."""
        found = self.by_tag.get(reference)
        if found is None:
            return ""
        if found in self.in_containers:
            return "a container uses it"
        for image in self.by_id.values():
            if not list_names(image["RepoTags"]) or image["Id"] == found:
                continue
            labels = image["Labels"] or {}
            is_base = any(
                name.startswith(LABEL_BASE) and value == reference for name, value in labels.items()
            )
            if is_base or found in self._list_ancestors(image["Id"]):
                return "images on this engine are built on it"
        return ""

    def _has_name(self, image_id: str) -> bool:
        image = self.by_id[image_id]
        return bool(list_names(image["RepoTags"]) or list_names(image["RepoDigests"]))

    def _list_ancestors(self, image_id: str) -> Iterator[str]:
        parent = self.by_id[image_id]["ParentId"]
        while parent in self.by_id:
            yield parent
            parent = self.by_id[parent]["ParentId"]

    def _measure_step_bytes(self, image_id: str) -> int:
        image = self.by_id[image_id]
        parent = self.by_id.get(image["ParentId"])
        return max(0, image["Size"] - (parent["Size"] if parent else 0))


def list_images(engine: EngineClient, notes: ImageNotes, holder: str) -> list[StoredItem]:
    """Return the images that this installation has built and that the engine still has.

    Layers that several of them share count for the image that was used last.

    Args:
        holder: reference of the image with the load generator that this worker uses.
    """
    images = _Images.read(engine)
    counted: set[str] = set()
    items = []
    for note in notes.list_all():
        own = images.list_own(note)
        if not own:
            continue
        is_holder = note.reference == holder
        items.append(
            StoredItem(
                kind=_find_kind(note.reference),
                name=note.reference,
                size_bytes=images.measure_bytes(own - counted),
                used_at=note.used_at,
                remove=partial(_remove, engine, notes, note),
                build_name=note.reference.rpartition("/")[2].replace(":", "-"),
                needed_because="this version of Tacho uses it"
                if is_holder
                else images.explain_use(note.reference),
                is_image=True,
            )
        )
        counted |= own
    return items


def list_names(names: Iterable[str] | None) -> list[str]:
    """Return the tags or digests of an image; the engine lists `<none>` for an unnamed image."""
    return [name for name in names or () if not name.startswith(_UNNAMED)]


def _find_kind(reference: str) -> StoredKind:
    repository = reference.rpartition(":")[0]
    if repository == HOLDER_REPOSITORY:
        return StoredKind.LOAD_GENERATOR
    is_base = repository.startswith(f"{BASE_REPOSITORY}/")
    return StoredKind.BASE if is_base else StoredKind.BUILD


def _remove(engine: EngineClient, notes: ImageNotes, note: ImageNote) -> None:
    """Remove an image with its unnamed ancestors, and the steps that no other build has.

    Raises:
        RuntimeFailure: a container uses the image, or the engine does not answer.
    """
    with (
        engine_errors(f"Removing {note.reference}"),
        suppress(docker.errors.ImageNotFound),
    ):
        engine.remove_image(note.reference)
    others = {
        step
        for other in notes.list_all()
        if other.reference != note.reference
        for step in other.step_ids
    }
    # Later steps are built on earlier ones.
    for step in reversed(note.step_ids):
        if step not in others:
            _remove_step(engine, step)
    notes.forget(note.reference)


def _remove_step(engine: EngineClient, step: str) -> None:
    """Remove the image of a step, unless it has a name or something is built on it."""
    with engine_errors(f"Removing the image {step}"):
        try:
            image = engine.inspect_image(step)  # type: ignore[no-untyped-call]
            if not (list_names(image["RepoTags"]) or list_names(image["RepoDigests"])):
                engine.remove_image(step)
        except docker.errors.ImageNotFound:
            return
        except docker.errors.APIError as error:
            if error.status_code != _CONFLICT:
                raise


def _shorten(image_id: str) -> str:
    return image_id.removeprefix("sha256:")[:_ID_CHARACTERS]
