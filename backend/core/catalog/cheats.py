"""The gallery of cheats: services that Tacho must catch, in `services/reference/cheats/`.

One program, described by `cheats.toml`, implements honest services of all scenarios. Each file in
`manifests/` describes a cheat that replaces a part of them. Only `python -m worker.verify.cheats`
runs these services. They are not in the database, so no list, run or ranking contains them.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field

from backend.core.catalog.manifest import (
    FrameworkManifest,
    ManifestPart,
    Slug,
    Text,
    parse_manifest,
)
from backend.core.catalog.sources import SourceTree
from backend.core.errors import ManifestInvalid

# The variable by which the program and its peers know their cheat.
_VARIABLE = "CHEAT"


class CatchingCheck(StrEnum):
    """A check that catches cheats: verification before the load, or an excluding verdict."""

    VERIFICATION = "verification"
    WORK_NOT_DONE = "work_not_done"
    WRONG_ANSWERS = "wrong_answers"
    FASTER_THAN_POSSIBLE = "faster_than_possible"
    BEHAVIOUR_CHANGED = "behaviour_changed"


class CheatManifest(ManifestPart):
    """`manifests/<slug>.toml`: a cheat in one scenario, and the check that must catch it.

    `caught_by` has more than one check only if each of them is equally right. `parameters` replace
    those of the load that `worker.verify.cheats` sends.
    """

    name: Text
    description: Text
    scenario: Slug
    caught_by: Annotated[tuple[CatchingCheck, ...], Field(min_length=1)]
    parameters: dict[str, int] = Field(default_factory=dict)


@dataclass(frozen=True)
class Cheat:
    """A cheat, and the program as a framework with only the cheat's scenario."""

    manifest: CheatManifest
    framework: FrameworkManifest


@dataclass(frozen=True)
class Gallery:
    """The cheats by slug, and the program without a cheat. All share one source and one build."""

    honest: FrameworkManifest
    source: SourceTree
    cheats: dict[str, Cheat]

    @property
    def programs(self) -> dict[str, FrameworkManifest]:
        """Return the program with and without a cheat, by slug."""
        cheating = {slug: cheat.framework for slug, cheat in self.cheats.items()}
        return {self.honest.slug: self.honest, **cheating}


def read_gallery(folder: Path) -> Gallery:
    """Return the gallery in a folder.

    Raises:
        ManifestInvalid: with the file, each wrong key, and what to do.
    """
    honest = parse_manifest(FrameworkManifest, folder / f"{folder.name}.toml")
    cheats = {}
    for path in sorted((folder / "manifests").glob("*.toml")):
        manifest = parse_manifest(CheatManifest, path)
        if manifest.scenario not in honest.scenarios:
            raise ManifestInvalid(
                f"{path}: scenario: {manifest.scenario!r} is not a scenario of the program, which "
                f"implements {', '.join(honest.scenarios)}.",
                file=str(path),
            )
        cheats[path.stem] = Cheat(manifest, _select(honest, path.stem, manifest.scenario))
    # Services share files by links to services/frameworks/shared.
    return Gallery(honest, SourceTree(folder, boundary=folder.parents[1]), cheats)


def _select(honest: FrameworkManifest, slug: str, scenario: str) -> FrameworkManifest:
    """Return the program with one scenario, in which service and peers know the cheat."""
    implemented = honest.scenarios[scenario]
    peers = tuple(
        peer.model_copy(update={"environment": {**peer.environment, _VARIABLE: slug}})
        for peer in implemented.peers
    )
    environment = {**implemented.environment, _VARIABLE: slug}
    cheating = implemented.model_copy(update={"environment": environment, "peers": peers})
    return honest.model_copy(update={"scenarios": {scenario: cheating}})
