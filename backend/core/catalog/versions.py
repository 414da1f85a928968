"""Further versions of a framework: `versions/<name>/version.toml` in its folder.

A version is an ordinary entry of the catalogue with slug `<framework>-<name>`. Its manifest and its
folder contain only the differences from the framework.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from backend.core.catalog.manifest import (
    DockerRecipe,
    FrameworkManifest,
    ManifestPart,
    Mode,
    ProcessRecipe,
    Slug,
    Text,
    list_problems,
    parse_manifest,
)
from backend.core.catalog.sources import VERSIONS, SourceTree
from backend.core.documents import JsonObject
from backend.core.errors import ManifestInvalid


class VersionTexts(ManifestPart):
    """Texts of a version; omitted texts are those of the framework's manifest."""

    language: Text | None = None
    runtime: Text | None = None
    framework: Text


class VersionManifest(ManifestPart):
    """`version.toml`; omitted keys have the values of the framework's manifest.

    `docker` and `process` replace the framework's whole tables. `scenarios` lists the scenarios
    that this version implements.
    """

    name: Text
    description: Text | None = None
    mode: Literal[Mode.OOTB, Mode.TUNED] | None = None
    versions: VersionTexts
    docker: DockerRecipe | None = None
    process: ProcessRecipe | None = None
    scenarios: Annotated[tuple[Slug, ...], Field(min_length=1)] | None = None


def read_versions(
    base: FrameworkManifest, source: SourceTree
) -> Iterator[tuple[Path, FrameworkManifest, SourceTree]]:
    """Yield each further version of a framework: its file, manifest and source.

    Raises:
        ManifestInvalid: with the file, each wrong key, and what to do.
    """
    folders = (path for path in (source.folder / VERSIONS).glob("*") if path.is_dir())
    for overlay in sorted(folders):
        path = overlay / "version.toml"
        version = parse_manifest(VersionManifest, path)
        try:
            manifest = FrameworkManifest.model_validate(_merge(base, version, overlay.name, path))
        except ValidationError as error:
            problems = list_problems(error)
            listed = "; ".join(f"{problem['field']}: {problem['detail']}" for problem in problems)
            raise ManifestInvalid(f"{path}: {listed}", problems, file=str(path)) from error
        yield path, manifest, replace(source, overlay=overlay)


def _merge(base: FrameworkManifest, version: VersionManifest, name: str, path: Path) -> JsonObject:
    """Return the manifest of a version as a document."""
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
    kept = {slug: scenario for slug, scenario in base.scenarios.items() if slug in wanted}
    merged["scenarios"] = {slug: merged["scenarios"][slug] for slug in kept}
    used = {scenario.program for scenario in kept.values()}
    used |= {peer.program for scenario in kept.values() for peer in scenario.peers}
    merged["programs"] = {
        key: program for key, program in merged["programs"].items() if key in used
    }
    return merged
