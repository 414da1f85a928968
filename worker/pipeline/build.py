"""Build: the service and what runs beside it, each once per content digest."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from backend.core.catalog.manifest import (
    FrameworkManifest,
    ImplementedScenario,
    ScenarioManifest,
    SupportManifest,
)
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
    supports: Mapping[str, tuple[SupportManifest, Built]]

    @property
    def implemented(self) -> ImplementedScenario:
        """What the framework's manifest says of this scenario."""
        return self.framework.scenarios[self.scenario.slug]


def build(
    bench: Bench, assignment: Assignment, reporter: Reporter, watch: Watch, log: list[str]
) -> Materials:
    """Build what is not built yet, relaying the builders' words to `log` and the live view.

    Raises:
        NotFound: the catalogue has changed since the run was asked for.
        BuildFailed, RuntimeUnavailable, CancelledByUser.
    """
    catalogue = bench.read_catalogue()
    framework, folder = catalogue.get_framework(assignment.framework)
    scenario, scenario_folder = catalogue.get_scenario(assignment.scenario)

    def on_log(line: str) -> None:
        log.append(line)
        reporter.log("build", line)

    def built(manifest: FrameworkManifest | SupportManifest, path: Path) -> Built:
        digest = bench.digest(path, manifest.docker)
        request = BuildRequest(manifest.slug, path, digest, manifest.docker, manifest.process)
        return Built(request, bench.runtime.build(request, on_log, watch.is_stopped))

    supports = {
        slug: (catalogue.supports[slug][0], built(*catalogue.supports[slug]))
        for slug in scenario.support
    }
    return Materials(
        framework=framework,
        scenario=scenario,
        scenario_folder=scenario_folder,
        scenario_digest=catalogue.scenario_digest(scenario.slug),
        service=built(framework, folder),
        supports=supports,
    )
