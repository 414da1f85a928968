"""Build the service, its peers and backing services, each once per content digest."""

import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.language_settings import choose_settings
from backend.core.catalog.manifest import (
    BackingServiceManifest,
    ImplementedScenario,
    Peer,
    ProgramManifest,
    ScenarioManifest,
    ServiceManifest,
)
from backend.core.catalog.sources import SourceTree
from backend.core.errors import SourcesChanged
from worker.runtime.base import Artifact, BuildRequest
from worker.runtime.building import BoundedLog
from worker.stages.assignment import Assignment
from worker.stages.context import TrialContext

_LIVE_LINES_PER_SECOND = 100
# A build uses all CPUs, and two builds at once would build shared parts twice.
_BUILDING = threading.Lock()


@dataclass(frozen=True)
class Program:
    """A program of the catalogue: its slug in builds, its recipes, and its files."""

    slug: str
    recipe: ServiceManifest | BackingServiceManifest | ProgramManifest
    source: SourceTree

    @classmethod
    def of_framework(
        cls, framework: ServiceManifest, source: SourceTree, name: str | None
    ) -> "Program":
        """Return a program of a framework by its name; None stands for the main program."""
        if name is None:
            return cls(framework.slug, framework, source)
        return cls(f"{framework.slug}-{name}", framework.programs[name], source.part(name))


def list_programs(catalogue: Catalogue) -> list[Program]:
    """Return all programs of the frameworks and backing services of a catalogue."""
    own = [
        Program.of_framework(framework, source, name)
        for framework, source in catalogue.frameworks.values()
        for name in (None, *framework.programs)
    ]
    backing_services = catalogue.backing_services.items()
    return [*own, *(Program(slug, recipe, source) for slug, (recipe, source) in backing_services)]


@dataclass(frozen=True)
class BuiltProgram:
    """A built service or backing service, and the request that it was built for."""

    request: BuildRequest
    artifact: Artifact


@dataclass(frozen=True)
class Materials:
    """The manifests, files and built programs that a trial needs to start."""

    framework: ServiceManifest
    scenario: ScenarioManifest
    scenario_folder: Path
    scenario_digest: str
    service: BuiltProgram
    peers: Sequence[tuple[Peer, BuiltProgram]]
    backing_services: Mapping[str, tuple[BackingServiceManifest, BuiltProgram]]

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
    def build_seconds(self) -> float | None:
        """Return the time it took to build service and peers; None if all were built before."""
        fresh = [artifact.build_seconds for artifact in self.artifacts if not artifact.cached]
        return sum(fresh) if fresh else None

    @property
    def programs(self) -> list[BuiltProgram]:
        """Return service, peers and own backing services."""
        own = [self.backing_services[slug][1] for slug in self.implemented.backing_services]
        return [self.service, *(built for _, built in self.peers), *own]

    def list_settings(self, cpus: int) -> dict[str, str]:
        """Return the variables that set up the language runtimes of service and peers, by program.

        Programs without such variables are left out.

        Args:
            cpus: the number of CPUs of the service.
        """
        found = {}
        for built in (self.service, *(built for _, built in self.peers)):
            docker = built.request.docker
            settings = choose_settings(docker.bases, docker.memory_mb, cpus)
            if settings:
                found[built.request.slug] = " ".join(
                    f"{name}={settings[name]}" for name in settings
                )
        return found

    @property
    def builds(self) -> dict[str, str]:
        """Return content digests (SHA-256, hex) of service, peers and own backing services by slug.

        A cell that is measured again with the same builds uses these digests.
        """
        return {built.request.slug: built.request.digest for built in self.programs}

    @property
    def image_ids(self) -> dict[str, str]:
        """Return the engine's content digest of each image by slug; empty without images."""
        return {
            built.request.slug: built.artifact.image_id
            for built in self._all_programs
            if built.artifact.image_id is not None
        }

    @property
    def base_images(self) -> dict[str, list[str]]:
        """Return the references that each image was built on by slug; empty without images."""
        return {
            built.request.slug: list(built.artifact.base_images)
            for built in self._all_programs
            if built.artifact.base_images
        }

    @property
    def _all_programs(self) -> list[BuiltProgram]:
        return [*self.programs, *(built for _, built in self.backing_services.values())]

    @property
    def digest(self) -> str:
        """Return a digest (SHA-256, hex) over service, peers and own backing services."""
        digests = list(self.builds.values())
        if len(digests) == 1:
            return digests[0]
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()


class LiveLines:
    """Passes on a limited number of lines per second, because a build may write any number of them.

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


def build(context: TrialContext) -> Materials:
    """Build what is not built yet; the builders' output goes to the logs and to the live view.

    Raises:
        NotFound, SourcesChanged: the catalogue has changed since the run was requested.
        BuildFailed, BuildGone, RuntimeUnavailable, CancelledByUser.
    """
    log = BoundedLog()
    try:
        with _BUILDING:
            return _Builder(context, log).build()
    finally:
        if log.text:
            context.logs["build"] = log.text


def check_sources(assignment: Assignment, catalogue: Catalogue) -> None:
    """Raise SourcesChanged if the files differ from those for which the run was requested."""
    compared = (
        (assignment.framework, assignment.framework_digest, catalogue.framework_digest),
        (assignment.scenario, assignment.scenario_digest, catalogue.scenario_digest),
    )
    for slug, requested, find_digest in compared:
        if requested is not None and (found := find_digest(slug)) != requested:
            raise SourcesChanged(
                f"The files of {slug} on this host have the digest {found[:12]}; the run was "
                f"requested for {requested[:12]}. Request the run again to measure the new files, "
                "or check out the earlier ones."
            )


class _Builder:
    """Builds the programs of a trial."""

    def __init__(self, context: TrialContext, log: BoundedLog) -> None:
        self._context = context
        self._log = log
        self._live = LiveLines(lambda line: context.progress.log("build", line))

    def build(self) -> Materials:
        """Return the materials of the trial."""
        assignment, catalogue = self._context.assignment, self._context.bench.read_catalogue()
        framework, source = catalogue.get_framework(assignment.framework)
        scenario, scenario_folder = catalogue.get_scenario(assignment.scenario)
        check_sources(assignment, catalogue)
        implemented = framework.scenarios[scenario.slug]
        backing_services = {}
        for slug in (*scenario.backing_services, *implemented.backing_services):
            manifest, own_source = catalogue.backing_services[slug]
            program = Program(slug, manifest, own_source)
            backing_services[slug] = (manifest, self._build_program(program))
        return Materials(
            framework=framework,
            scenario=scenario,
            scenario_folder=scenario_folder,
            scenario_digest=catalogue.scenario_digest(scenario.slug),
            service=self._build_part(framework, source, implemented.program),
            peers=[
                (peer, self._build_part(framework, source, peer.program))
                for peer in implemented.peers
            ],
            backing_services=backing_services,
        )

    def _build_part(
        self, framework: ServiceManifest, source: SourceTree, name: str | None
    ) -> BuiltProgram:
        return self._build_program(Program.of_framework(framework, source, name))

    def _build_program(self, program: Program) -> BuiltProgram:
        bench = self._context.bench
        earlier_digest = (self._context.assignment.builds or {}).get(program.slug)
        request = BuildRequest(
            program.slug,
            program.source,
            earlier_digest or bench.digest(program.source, program.recipe.docker),
            program.recipe.docker,
            program.recipe.process,
            is_kept=earlier_digest is not None,
        )
        artifact = bench.runtime.build(request, self._write_line, self._context.watch.is_stopped)
        return BuiltProgram(request, artifact)

    def _write_line(self, line: str) -> None:
        self._log.write(line)
        self._live.put(line)
