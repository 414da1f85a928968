"""Build the service, its peers and backing services, each once per content digest."""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from backend.core.catalog.manifest import (
    BackingServiceManifest,
    FrameworkManifest,
    ImplementedScenario,
    Peer,
    ProgramManifest,
    ScenarioManifest,
)
from backend.core.catalog.sources import SourceTree
from worker.bench import Bench
from worker.pipeline.reporter import Reporter
from worker.runtime.base import Artifact, BuildRequest
from worker.runtime.building import BoundedLog
from worker.stages.assignment import Assignment
from worker.stages.watch import Watch

_LIVE_LINES_PER_SECOND = 100


@dataclass(frozen=True)
class Built:
    """A built service or backing service, with what it was built from."""

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
    backing_services: Mapping[str, tuple[BackingServiceManifest, Built]]

    @property
    def implemented(self) -> ImplementedScenario:
        """Return this scenario in the framework's manifest."""
        return self.framework.scenarios[self.scenario.slug]

    @cached_property
    def data(self) -> Mapping[str, bytes]:
        """Return the scenario's data files by name. Services and scripts find them in a folder."""
        folder = self.scenario_folder / "data"
        return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))}

    @property
    def artifacts(self) -> list[Artifact]:
        """Return the artifacts of the service and its peers, each once."""
        built = [self.service, *(built for _, built in self.peers)]
        return list({build.artifact.reference: build.artifact for build in built}.values())

    @property
    def builds(self) -> dict[str, str]:
        """Return content digests (SHA-256, hex) of service, peers and own backing services by slug.

        A cell that is measured again with the same builds uses these digests.
        """
        own = [self.backing_services[slug][1] for slug in self.implemented.backing_services]
        parts = [self.service, *(built for _, built in self.peers), *own]
        return {built.request.slug: built.request.digest for built in parts}

    @property
    def digest(self) -> str:
        """Return a digest (SHA-256, hex) over service, peers and own backing services."""
        digests = list(self.builds.values())
        if len(digests) == 1:
            return digests[0]
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()


class LiveLines:
    """Passes on a limited number of lines per second, because a build can write without end.

    The next line that is passed on gives the number of lines left out.
    """

    def __init__(self, pass_on: Callable[[str], None]) -> None:
        self._pass_on = pass_on
        self._second = 0
        self._passed = 0
        self._left_out = 0

    def put(self, line: str) -> None:
        """Pass on a line, or leave it out."""
        second = int(time.monotonic())
        if second != self._second:
            self._second, self._passed = second, 0
        if self._passed >= _LIVE_LINES_PER_SECOND:
            self._left_out += 1
            return
        self._passed += 1
        if self._left_out:
            self._pass_on(f"[{self._left_out:,} lines are not shown here]")
            self._left_out = 0
        self._pass_on(line)


def build(
    bench: Bench, assignment: Assignment, reporter: Reporter, watch: Watch, log: BoundedLog
) -> Materials:
    """Build what is not built yet; the builders' output goes to `log` and to the live view.

    Raises:
        NotFound: the catalogue has changed since the run was requested.
        BuildFailed, BuildGone, RuntimeUnavailable, CancelledByUser.
    """
    catalogue = bench.read_catalogue()
    framework, own = catalogue.get_framework(assignment.framework)
    scenario, scenario_folder = catalogue.get_scenario(assignment.scenario)

    live = LiveLines(lambda line: reporter.log("build", line))

    def on_log(line: str) -> None:
        log.write(line)
        live.put(line)

    def built(
        slug: str,
        recipe: FrameworkManifest | BackingServiceManifest | ProgramManifest,
        source: SourceTree,
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
    backing_services = {
        slug: (catalogue.backing_services[slug][0], built(slug, *catalogue.backing_services[slug]))
        for slug in (*scenario.backing_services, *implemented.backing_services)
    }
    return Materials(
        framework=framework,
        scenario=scenario,
        scenario_folder=scenario_folder,
        scenario_digest=catalogue.scenario_digest(scenario.slug),
        service=program(implemented.program),
        peers=[(peer, program(peer.program)) for peer in implemented.peers],
        backing_services=backing_services,
    )
