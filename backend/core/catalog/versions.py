"""Further versions of a framework: `versions/<name>/version.toml` in its folder.

A version is an entry of the catalogue like any other, with slug `<framework>-<name>`. It says only
what differs from the framework's manifest; its folder holds only the files that differ.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from backend.core.catalog.manifest import (
    DockerRecipe,
    FrameworkManifest,
    ManifestPart,
    ProcessRecipe,
    Slug,
    Text,
    list_problems,
    parse_manifest,
)
from backend.core.catalog.sources import VERSIONS, SourceTree
from backend.core.errors import ManifestInvalid


class VersionTexts(ManifestPart):
    """What is left out is as in the framework's manifest."""

    language: Text | None = None
    runtime: Text | None = None
    framework: Text


class VersionManifest(ManifestPart):
    """`version.toml`; what is left out is as in the framework's manifest.

    `docker` and `process` take the place of the framework's whole tables. `scenarios` are those
    that this version implements.
    """

    name: Text
    description: Text | None = None
    versions: VersionTexts
    docker: DockerRecipe | None = None
    process: ProcessRecipe | None = None
    scenarios: Annotated[tuple[Slug, ...], Field(min_length=1)] | None = None


def read_versions(
    base: FrameworkManifest, folder: Path
) -> Iterator[tuple[Path, FrameworkManifest, SourceTree]]:
    """Each further version in a framework's folder: its file, and the entry it makes.

    Raises:
        ManifestInvalid: naming the file, each wrong key, and what to do.
    """
    for overlay in sorted(path for path in (folder / VERSIONS).glob("*") if path.is_dir()):
        path = overlay / "version.toml"
        version = parse_manifest(VersionManifest, path)
        try:
            manifest = FrameworkManifest.model_validate(_merge(base, version, overlay.name, path))
        except ValidationError as error:
            problems = list_problems(error)
            listed = "; ".join(f"{problem['field']}: {problem['detail']}" for problem in problems)
            raise ManifestInvalid(f"{path}: {listed}", problems, file=str(path)) from error
        yield path, manifest, SourceTree(folder, overlay)


def _merge(
    base: FrameworkManifest, version: VersionManifest, name: str, path: Path
) -> dict[str, Any]:
    """The manifest of a version, as a document."""
    merged = base.model_dump(mode="json")
    stated = version.model_dump(mode="json", exclude_none=True)
    wanted = stated.pop("scenarios", list(base.scenarios))
    if unknown := set(wanted) - set(base.scenarios):
        raise ManifestInvalid(
            f"{path}: scenarios: {', '.join(sorted(unknown))}: the framework's service.toml has no "
            f"such table; it has {', '.join(base.scenarios)}.",
            file=str(path),
        )
    merged["versions"] |= stated.pop("versions")
    merged |= stated
    merged |= {"slug": f"{base.slug}-{name}", "version_of": base.slug}
    kept = {slug: one for slug, one in base.scenarios.items() if slug in wanted}
    merged["scenarios"] = {slug: merged["scenarios"][slug] for slug in kept}
    used = {one.program for one in kept.values()}
    used |= {peer.program for one in kept.values() for peer in one.peers}
    merged["programs"] = {key: one for key, one in merged["programs"].items() if key in used}
    return merged
