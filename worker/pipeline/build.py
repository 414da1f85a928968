"""Build: the service and what runs beside it, each once per content digest."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from backend.core.catalog.manifest import (
    FrameworkManifest,
    ImplementedScenario,
    Peer,
    Program,
    ScenarioManifest,
    SupportManifest,
)
from backend.core.catalog.sources import SourceTree
from worker.bench import Bench
from worker.pipeline.assignment import Assignment
from worker.pipeline.reporter import Reporter
from worker.pipeline.watch import Watch
from worker.runtime.base import Artifact, BuildRequest


@dataclass(frozen=True)
class Built:
    """A built service or support service, with what it was built from."""

    request: BuildRequest
    artifact: Artifact


@dataclass(frozen=True)
class Materials:
    """All that a trial needs before it starts."""

    framework: FrameworkManifest
    scenario: ScenarioManifest
    scenario_folder: Path
    scenario_digest: str
    service: Built
    peers: Sequence[tuple[Peer, Built]]
    supports: Mapping[str, tuple[SupportManifest, Built]]

    @property
    def implemented(self) -> ImplementedScenario:
        """What the framework's manifest says of this scenario."""
        return self.framework.scenarios[self.scenario.slug]

    @cached_property
    def data(self) -> Mapping[str, bytes]:
        """The scenario's data files by name; its services and scripts find them in a folder."""
        folder = self.scenario_folder / "data"
        return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))}

    @property
    def artifacts(self) -> list[Artifact]:
        """What the service and its peers run, each once."""
        built = [self.service, *(built for _, built in self.peers)]
        return list({one.artifact.reference: one.artifact for one in built}.values())

    @property
    def builds(self) -> dict[str, str]:
        """Slug to content digest (SHA-256, hex) of the service, its peers and support of its own.

        Those of a cell that is to be measured with the same builds again.
        """
        own = [self.supports[slug][1] for slug in self.implemented.support]
        parts = [self.service, *(built for _, built in self.peers), *own]
        return {built.request.slug: built.request.digest for built in parts}

    @property
    def digest(self) -> str:
        """Content digest (SHA-256, hex) of the service, its peers and support of its own."""
        digests = list(self.builds.values())
        if len(digests) == 1:
            return digests[0]
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def build(
    bench: Bench, assignment: Assignment, reporter: Reporter, watch: Watch, log: list[str]
) -> Materials:
    """Build what is not built yet, relaying the builders' words to `log` and the live view.

    Raises:
        NotFound: the catalogue has changed since the run was asked for.
        BuildFailed, BuildGone, RuntimeUnavailable, CancelledByUser.
    """
    catalogue = bench.read_catalogue()
    framework, own = catalogue.get_framework(assignment.framework)
    scenario, scenario_folder = catalogue.get_scenario(assignment.scenario)

    def on_log(line: str) -> None:
        log.append(line)
        reporter.log("build", line)

    def built(
        slug: str, recipe: FrameworkManifest | SupportManifest | Program, source: SourceTree
    ) -> Built:
        kept = (assignment.builds or {}).get(slug)
        digest = kept or bench.digest(source, recipe.docker)
        request = BuildRequest(
            slug, source, digest, recipe.docker, recipe.process, is_kept=kept is not None
        )
        return Built(request, bench.runtime.build(request, on_log, watch.is_stopped))

    def program(name: str | None) -> Built:
        if name is None:
            return built(framework.slug, framework, own)
        return built(f"{framework.slug}-{name}", framework.programs[name], own.part(name))

    implemented = framework.scenarios[scenario.slug]
    supports = {
        slug: (catalogue.supports[slug][0], built(slug, *catalogue.supports[slug]))
        for slug in (*scenario.support, *implemented.support)
    }
    return Materials(
        framework=framework,
        scenario=scenario,
        scenario_folder=scenario_folder,
        scenario_digest=catalogue.scenario_digest(scenario.slug),
        service=program(implemented.program),
        peers=[(peer, program(peer.program)) for peer in implemented.peers],
        supports=supports,
    )
