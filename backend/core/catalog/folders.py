"""The catalogue in the file system: the manifests, and the sources of each."""

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from backend.core.catalog.cheats import Gallery, read_gallery
from backend.core.catalog.manifest import (
    BackingServiceManifest,
    FrameworkManifest,
    Mode,
    ProcessRecipe,
    ScenarioManifest,
    ServiceManifest,
    parse_manifest,
)
from backend.core.catalog.profiles import find_faults
from backend.core.catalog.sources import SourceTree, digest_sources
from backend.core.catalog.study import StudyManifest
from backend.core.catalog.study_plan import find_study_faults
from backend.core.catalog.versions import read_versions
from backend.core.errors import ManifestInvalid, NotFound


@dataclass(frozen=True)
class Catalogue:
    """All manifests, validated together. `root` is the `services/` folder."""

    root: Path

    @cached_property
    def frameworks(self) -> dict[str, tuple[FrameworkManifest, SourceTree]]:
        """Return manifest and source of frameworks and their versions, by slug.

        Raises:
            ManifestInvalid: a manifest is wrong, two share a slug, or a scenario is unknown.
        """
        found: dict[str, tuple[FrameworkManifest, SourceTree]] = {}
        ordinary = sorted((self.root / "frameworks").glob("*/*/service.toml"))
        reference = sorted((self.root / "reference").glob("*/service.toml"))
        for path in [*ordinary, *reference]:
            manifest = parse_manifest(FrameworkManifest, path)
            if (manifest.mode is Mode.REFERENCE) != (path in reference):
                raise ManifestInvalid(
                    f"{path}: mode: reference services, and no others, lie in services/reference; "
                    "move the folder or correct the mode.",
                    file=str(path),
                )
            if manifest.version_of is not None:
                raise ManifestInvalid(
                    f"{path}: version_of: is not a known key; a further version is a folder "
                    "versions/<name> with a version.toml.",
                    file=str(path),
                )
            # Services share files by links to services/frameworks/shared.
            own = SourceTree(path.parent, boundary=self.root)
            entry = (path, manifest, own)
            for file, version, source in (entry, *read_versions(manifest, own)):
                if version.slug in found:
                    other = found[version.slug][1]
                    taken = other.overlay or other.folder
                    raise ManifestInvalid(f"{file}: slug: {version.slug!r} is taken by {taken}.")
                self._check_scenarios(file, version)
                found[version.slug] = (version, source)
        return found

    def _check_scenarios(self, path: Path, manifest: FrameworkManifest) -> None:
        for slug, implemented in manifest.scenarios.items():
            if slug not in self.scenarios:
                known = ", ".join(self.scenarios)
                raise ManifestInvalid(
                    f"{path}: scenarios.{slug}: there is no such scenario; there are {known}."
                )
            for needed in implemented.backing_services:
                if needed not in self.backing_services:
                    raise ManifestInvalid(
                        f"{path}: scenarios.{slug}.backing_services: {needed!r} is not a folder of "
                        "services/backing; add it."
                    )

    @cached_property
    def scenarios(self) -> dict[str, tuple[ScenarioManifest, Path]]:
        """Return manifest and folder of scenarios by slug; raise ManifestInvalid."""
        found = {}
        for path in sorted((self.root / "scenarios").glob("*/scenario.toml")):
            manifest = parse_manifest(ScenarioManifest, path)
            faults = find_faults(manifest)
            if faults:
                listed = "; ".join(f"{fault['field']}: {fault['detail']}" for fault in faults)
                raise ManifestInvalid(f"{path}: {listed}.", faults, file=str(path))
            for slug in manifest.backing_services:
                if slug not in self.backing_services:
                    raise ManifestInvalid(
                        f"{path}: backing_services: {slug!r} is not a folder of "
                        "services/backing; add it."
                    )
            found[manifest.slug] = (manifest, path.parent)
        return found

    @cached_property
    def backing_services(self) -> dict[str, tuple[BackingServiceManifest, SourceTree]]:
        """Return manifest and source by slug; raise ManifestInvalid."""
        return {
            path.parent.name: (
                parse_manifest(BackingServiceManifest, path),
                # Backing services share files by links to services/backing/shared.
                SourceTree(path.parent, boundary=self.root),
            )
            for path in sorted((self.root / "backing").glob("*/backing.toml"))
        }

    @cached_property
    def studies(self) -> dict[str, tuple[StudyManifest, Path]]:
        """Return manifest and file of studies by slug; raise ManifestInvalid.

        A study may name frameworks and scenarios that are not in this catalogue. Its requests to
        those in the catalogue are validated.
        """
        scenarios = {slug: manifest for slug, (manifest, _) in self.scenarios.items()}
        found = {}
        for path in sorted((self.root / "studies").glob("*.toml")):
            manifest = parse_manifest(StudyManifest, path)
            if faults := find_study_faults(manifest, scenarios):
                listed = "; ".join(f"{fault['field']}: {fault['detail']}" for fault in faults)
                raise ManifestInvalid(f"{path}: {listed}", faults, file=str(path))
            found[manifest.slug] = (manifest, path)
        return found

    @cached_property
    def gallery(self) -> Gallery | None:
        """Return the cheats, which are not among the frameworks; None if there are none.

        Raises:
            ManifestInvalid: a manifest is wrong.
        """
        folder = self.root / "reference" / "cheats"
        return read_gallery(folder) if folder.is_dir() else None

    def list_process_recipes(self, manifest: ServiceManifest) -> list[ProcessRecipe | None]:
        """Return the process recipe of each program and backing service; None without one."""
        backing_services = {
            slug for scenario in manifest.scenarios.values() for slug in scenario.backing_services
        }
        return [
            *(program.process for program in manifest.all_programs),
            *(self.backing_services[slug][0].process for slug in sorted(backing_services)),
        ]

    def list_bases(self) -> list[str]:
        """Return the sorted names of the base images of frameworks and their backing services.

        A backing service that only own services use is left out, so that hosts without an own
        service do not need its image.
        """
        frameworks = [manifest for manifest, _ in self.frameworks.values()]
        implemented = (part for manifest in frameworks for part in manifest.scenarios.values())
        used = {
            *chain.from_iterable(part.backing_services for part in implemented),
            *chain.from_iterable(part.backing_services for part, _ in self.scenarios.values()),
        }
        recipes = [
            *(program.docker for manifest in frameworks for program in manifest.all_programs),
            *(self.backing_services[slug][0].docker for slug in used),
        ]
        return sorted({base for recipe in recipes for base in recipe.bases})

    def get_framework(self, slug: str) -> tuple[ServiceManifest, SourceTree]:
        """Return the framework or cheat of this slug; raise NotFound if there is none."""
        if slug in self.frameworks:
            return self.frameworks[slug]
        if self.gallery is not None and slug in self.gallery.programs:
            return self.gallery.programs[slug], self.gallery.source
        raise NotFound(f"There is no framework {slug!r} in {self.root}.")

    def get_scenario(self, slug: str) -> tuple[ScenarioManifest, Path]:
        """Return the entry of this slug; raise NotFound if there is none."""
        if slug not in self.scenarios:
            raise NotFound(f"There is no scenario {slug!r} in {self.root}.")
        return self.scenarios[slug]

    def framework_digest(self, slug: str) -> str:
        """Return the digest of a framework's folder and of the backing services that it adds."""
        manifest, source = self.get_framework(slug)
        added = dict.fromkeys(
            name for scenario in manifest.scenarios.values() for name in scenario.backing_services
        )
        return digest_sources([source, *(self.backing_services[name][1] for name in added)])

    def scenario_digest(self, slug: str) -> str:
        """Return the digest of a scenario's folder, the shared scripts and backing services."""
        manifest, folder = self.get_scenario(slug)
        scenarios = self.root / "scenarios"
        # Scenarios share files by symbolic links.
        own = [SourceTree(folder, boundary=scenarios), SourceTree(scenarios / "lib")]
        backing = (self.backing_services[name][1] for name in manifest.backing_services)
        return digest_sources([*own, *backing])
