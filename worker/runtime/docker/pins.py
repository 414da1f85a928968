"""The digests of official base images.

A registry may give the tag of an image to a newer image at any time. Each host therefore resolves a
tag once, and builds with the digest until `python -m worker.runtime.bases renew` resolves it again.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import docker.errors
import requests
from docker.utils import parse_repository_tag
from pydantic import TypeAdapter, ValidationError

from worker.runtime.docker.engine import EngineClient, connect
from worker.runtime.docker.images import find_image
from worker.runtime.errors import RuntimeUnavailable

_NAME = "bases.json"
_PINS = TypeAdapter(dict[str, str])
_NO_IMAGE = "scratch"


@dataclass(frozen=True)
class BasePins:
    """The references with digests of a host, by their references with tags, in a file."""

    path: Path

    @classmethod
    def of(cls, data: Path) -> "BasePins":
        """Return the references of the host with this data folder."""
        return cls(data / _NAME)

    def find(self, reference: str) -> str | None:
        """Return the reference with a digest, or None if the tag was not resolved yet.

        A reference with a digest, and `scratch`, stand for themselves.

        Raises:
            RuntimeUnavailable: the file is damaged.
        """
        return reference if _is_fixed(reference) else self._read().get(reference)

    def ensure(self, references: Iterable[str]) -> None:
        """Resolve the tags that this host has not resolved yet.

        An image that the engine has is used. Otherwise the engine asks the registry.

        Raises:
            RuntimeUnavailable: the file is damaged, or the engine or the registry does not answer.
        """
        open_references = [known for known in references if not _is_fixed(self.find(known) or "")]
        if not open_references:
            return
        with connect() as engine:
            for reference in open_references:
                self._resolve(engine, reference)

    def _resolve(self, engine: EngineClient, reference: str) -> None:
        pinned = self.find(reference)
        # An image that did not come from a registry may be gone. Then its tag is resolved again.
        if pinned is None or find_image(engine, pinned) is None:
            self._store(reference, _find_local(engine, reference) or _ask(engine, reference))

    def renew(self) -> list[tuple[str, str]]:
        """Ask the registries for all known tags again; return the earlier and new references that
        differ.

        Raises:
            RuntimeUnavailable: as `ensure`; nothing is changed.
        """
        with connect() as engine:
            before = self._read()
            after = {reference: _ask(engine, reference) for reference in before}
        self._write(after)
        return [(before[known], after[known]) for known in before if before[known] != after[known]]

    def _read(self) -> dict[str, str]:
        try:
            return _PINS.validate_json(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except ValidationError as error:
            raise RuntimeUnavailable(
                f"{self.path} is damaged.",
                "Remove it; Tacho then resolves the tags of base images again.",
            ) from error

    def _store(self, reference: str, pinned: str) -> None:
        self._write({**self._read(), reference: pinned})

    def _write(self, pins: dict[str, str]) -> None:
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(pins, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        part.replace(self.path)


def _is_fixed(reference: str) -> bool:
    return reference == _NO_IMAGE or "@" in reference


def _find_local(engine: EngineClient, reference: str) -> str | None:
    """Return the reference with the digest of the engine's image; None if it has no such image.

    An image that did not come from a registry is identified by its id.
    """
    image = find_image(engine, reference)
    if image is None:
        return None
    repository, _ = parse_repository_tag(reference)
    for known in image["RepoDigests"] or ():
        name, _, digest = known.partition("@")
        if name == repository:
            return f"{reference}@{digest}"
    return image["Id"]


def _ask(engine: EngineClient, reference: str) -> str:
    """Return the reference with the digest that its registry reports now."""
    try:
        found = engine.inspect_distribution(reference)  # type: ignore[no-untyped-call]
    except (docker.errors.APIError, requests.RequestException) as error:
        cause = str(getattr(error, "explanation", None) or error).strip()
        raise RuntimeUnavailable(
            f"The image registry does not report the digest of {reference} ({cause}).",
            "Fix the network of the engine, or set TACHO_BASES=debian to build the base images "
            "from Debian packages (needs mmdebstrap), and restart the worker.",
        ) from error
    return f"{reference}@{found['Descriptor']['digest']}"
