"""The gallery of hostile services, in `services/reference/hostile/`.

One program contains the attacks of services. Each file in `manifests/` describes an attack and what
must contain it: of the program, of a build, of the files of a service, or of the repository of an
own service. Only `python -m worker.verify.isolation` runs them. They are not in the catalogue.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from backend.core.catalog.manifest import FrameworkManifest, ManifestPart, Text, parse_manifest
from backend.core.catalog.sources import SourceTree
from backend.core.errors import NotFound

_PROGRAM = "hostile"


class AttackStage(StrEnum):
    """Where an attack is: in a service, its build, its files, or the files of an own service."""

    SERVICE = "service"
    BUILD = "build"
    SOURCE = "source"
    REPOSITORY = "repository"


class Containment(StrEnum):
    """The way in which an attack is contained.

    NOTHING_GAINED: it ends without a secret, a connection or a right. LIMITED: it uses at most what
    the manifest states. STOPPED: the build fails with a reason. REFUSED: the service is not built.
    """

    NOTHING_GAINED = "nothing_gained"
    LIMITED = "limited"
    STOPPED = "stopped"
    REFUSED = "refused"


class AttackLimits(ManifestPart):
    """Limits of the build of an attack, so that it is stopped soon."""

    seconds: int = Field(120, ge=1)
    memory_mb: int = Field(2048, ge=256)
    disk_mb: int = Field(1024, ge=64)


class AttackManifest(ManifestPart):
    """`manifests/<slug>.toml`. In all shell commands, files and paths, words in braces are hints.

    Attributes:
        most: the largest amount (MiB or processes) that the service may use; only for `limited`.
        script: shell commands of a build.
        again: shell commands of a second build, which uses Go and the caches of the first one.
        run: shell commands of a service that is built so. It writes to a copy of its folder.
        writes_folder: whether the service writes to a copy of its folder.
        files: texts of files of the repository by path. One is `load.js` or `load.http`, its load.
        link: target of a symbolic link named `stolen` in the folder.
        dockerfile: path of the Dockerfile.
        needs_filter: whether the operator gives up this protection with TACHO_BUILD_NETWORK=host.
    """

    name: Text
    description: Text
    stage: AttackStage
    expected: Containment
    most: Annotated[int, Field(ge=0)] | None = None
    script: str = ""
    again: str = ""
    run: str = ""
    writes_folder: bool = False
    files: dict[str, str] = Field(default_factory=dict)
    link: str = ""
    dockerfile: str = ""
    needs_filter: bool = False
    limits: AttackLimits = AttackLimits()

    @model_validator(mode="after")
    def _check_fields(self) -> Self:
        if (self.most is not None) != (self.expected is Containment.LIMITED):
            raise ValueError("most: belongs to expected = 'limited', and only to it")
        if bool(self.script) != (self.stage is AttackStage.BUILD):
            raise ValueError("script: belongs to stage = 'build', and only to it")
        if (self.again or self.run) and self.stage is not AttackStage.BUILD:
            raise ValueError("again and run: belong to stage = 'build'")
        if self.writes_folder and self.stage is not AttackStage.SERVICE:
            raise ValueError("writes_folder: belongs to stage = 'service'")
        if bool(self.files) != (self.stage is AttackStage.REPOSITORY):
            raise ValueError("files: belongs to stage = 'repository', and only to it")
        is_source = self.stage is AttackStage.SOURCE
        if bool(self.link or self.dockerfile) != is_source and not self.files:
            raise ValueError("link or dockerfile: belongs to stage = 'source'")
        if self.needs_filter and self.stage is not AttackStage.BUILD:
            raise ValueError("needs_filter: belongs to stage = 'build'")
        return self


@dataclass(frozen=True)
class Attack:
    """An attack and its name, which is that of its file."""

    slug: str
    manifest: AttackManifest


@dataclass(frozen=True)
class HostileGallery:
    """The program that contains the attacks of services, and all attacks."""

    program: FrameworkManifest
    source: SourceTree
    attacks: Sequence[Attack]

    def select(self, slugs: Sequence[str]) -> Sequence[Attack]:
        """Return the attacks of these slugs, by default all; raises NotFound."""
        known = {attack.slug for attack in self.attacks}
        if unknown := set(slugs) - known:
            raise NotFound(f"There is no attack {', '.join(sorted(unknown))}.")
        return [attack for attack in self.attacks if not slugs or attack.slug in slugs]


def read_hostile(services: Path) -> HostileGallery:
    """Return the gallery of a catalogue's folder.

    Raises:
        ManifestInvalid: with the file, each wrong key, and what to do.
    """
    folder = services / "reference" / _PROGRAM
    program = parse_manifest(FrameworkManifest, folder / f"{_PROGRAM}.toml")
    paths = sorted((folder / "manifests").glob("*.toml"))
    attacks = [Attack(path.stem, parse_manifest(AttackManifest, path)) for path in paths]
    return HostileGallery(program, SourceTree(folder), attacks)


def sample_attacks(attacks: Sequence[Attack], count: int, seed: int) -> list[Attack]:
    """Draw attacks with this seed, from every stage in turn."""
    drawn = random.Random(seed)  # noqa: S311
    stages = [[a for a in attacks if a.manifest.stage is stage] for stage in AttackStage]
    for of_stage in stages:
        drawn.shuffle(of_stage)
    found: list[Attack] = []
    while len(found) < count and any(stages):
        for of_stage in stages:
            if of_stage and len(found) < count:
                found.append(of_stage.pop())
    return found
