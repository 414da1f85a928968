"""Notes in the data folder about the images that this installation has built.

Several installations may share an engine. Each removes only images that it has a note about.
"""

import json
import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from worker.runtime.stored import read_change_time

# Services have images such as tacho/node:0123456789ab, base images tacho-base/node:….
_REPOSITORY = "tacho/"
_SLASH = "+"
_SUFFIX = ".json"


@dataclass(frozen=True)
class ImageNote:
    """A note about an image, which may be gone.

    Attributes:
        step_ids: ids of the images that the engine stored for the steps of the build. Those of
            earlier stages of a Dockerfile are not part of the image.
    """

    reference: str
    used_at: datetime
    build_seconds: float
    step_ids: tuple[str, ...]


class ImageNotes:
    """One file for each image. Its time of change is the last use of the image."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(
        self, reference: str, build_seconds: float = 0.0, step_ids: Collection[str] = ()
    ) -> None:
        """Note that this installation has built an image."""
        self._folder.mkdir(parents=True, exist_ok=True)
        note = {"build_seconds": build_seconds, "steps": list(dict.fromkeys(step_ids))}
        self._path(reference).write_text(json.dumps(note), encoding="utf-8")

    def touch(self, reference: str) -> None:
        """Note that an image is used now, if this installation has built it."""
        with suppress(FileNotFoundError):
            os.utime(self._path(reference))

    def forget(self, reference: str) -> None:
        """Remove the note about an image."""
        self._path(reference).unlink(missing_ok=True)

    def find(self, reference: str) -> ImageNote | None:
        """Return the note about an image; None if this installation has not built it."""
        path = self._path(reference)
        try:
            return _read(reference, path)
        except FileNotFoundError:
            return None

    def list_all(self) -> list[ImageNote]:
        """Return all notes, the image that was used last first."""
        paths = self._folder.glob(f"*-*{_SUFFIX}")
        notes = [note for path in paths if (note := self.find(_read_reference(path))) is not None]
        return sorted(notes, key=lambda note: note.used_at, reverse=True)

    def _path(self, reference: str) -> Path:
        repository, _, tag = reference.rpartition(":")
        name = repository.removeprefix(_REPOSITORY).replace("/", _SLASH)
        return self._folder / f"{name}-{tag}{_SUFFIX}"


def _read_reference(path: Path) -> str:
    """Return the reference that a file is about: no tag contains a hyphen."""
    name, _, tag = path.name.removesuffix(_SUFFIX).rpartition("-")
    repository = name.replace(_SLASH, "/")
    return f"{repository}:{tag}" if "/" in repository else f"{_REPOSITORY}{repository}:{tag}"


def _read(reference: str, path: Path) -> ImageNote:
    """Return a note. Notes of earlier versions have no steps; raises FileNotFoundError."""
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:  # the disk was full
        note = {}
    return ImageNote(
        reference,
        read_change_time(path),
        float(note.get("build_seconds", 0.0)),
        tuple(note.get("steps", ())),
    )
