"""The catalogue of an own service: the service, and its loads as scenarios."""

import json
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.manifest import (
    Argv,
    DockerRecipe,
    ImplementedScenario,
    ProcessRecipe,
    ProfileDefaults,
    ProfileManifest,
    ScenarioManifest,
    ServiceManifest,
)
from backend.core.catalog.own.http_file import parse_http_file, render_module
from backend.core.catalog.own.service_file import FILE_NAME, LoadTable, ServiceFile, find_line
from backend.core.catalog.profiles import find_faults
from backend.core.catalog.sources import SourceTree
from backend.core.errors import ManifestInvalid
from backend.core.units import ProfileKind, RuntimeKind

# The only profile of a load.
PROFILE = "load"
# Own services have slugs of their own, because builds of the same slug share caches.
_PREFIX = "own-"
_SCRIPTS = "script"
_MOST_SCRIPT_FILES = 200
_MOST_SCRIPT_BYTES = 16 * 1024 * 1024

_HTTP_LOAD = """\
import { defineFileLoad } from './lib/http_file.js';
import { file } from './requests.js';

export const { options, setup, run } = defineFileLoad(file);

export default run;
"""
_HTTP_VERIFY = """\
import { verifyFile } from './lib/http_file.js';
import { file } from './requests.js';

export { options } from './lib/conformance.js';

export default verifyFile(file);
"""
# Reads the responses that two versions are compared by.
_HTTP_RESPONSES = """\
import { readResponses } from './lib/http_file.js';
import { file } from './requests.js';

export { options } from './lib/conformance.js';

export default readResponses(file);
"""
_HTTP_SCRIPTS = {
    "load.js": _HTTP_LOAD,
    "verify.js": _HTTP_VERIFY,
    "responses.js": _HTTP_RESPONSES,
}
# A script checks the responses itself.
_SCRIPT_VERIFY = """\
import { conformance, expect, get } from './lib/conformance.js';

export { options } from './lib/conformance.js';

export default conformance(() => {
  const path = __PATH__;
  expect(`GET ${path} answers 200`, { expected: 200, got: get(path).status });
});
"""


class OwnServiceManifest(ServiceManifest):
    """An own service; port, readiness path and preparation are those of its `tacho.toml`."""

    port: int
    ready: str
    prepare: dict[RuntimeKind, Argv]

    @property
    def listening_port(self) -> int:
        """Return the port on which the service listens in a pod with a network of its own."""
        return self.port

    @property
    def ready_path(self) -> str:
        """Return the path that answers 200 once the service is ready."""
        return self.ready

    def find_preparation(self, runtime: RuntimeKind) -> Argv | None:
        """Return the command that fills the backing services in a runtime; None without one."""
        return self.prepare.get(runtime)


@dataclass(frozen=True)
class OwnCatalogue(Catalogue):
    """An own service and its loads.

    Attributes:
        root: the `services/` folder of Tacho, with backing services and shared scripts.
        service: describes how this version of the service is built and started.
        source: the files of this version.
        loads: describes the loads. Versions that are compared have the same loads.
        load_source: the files to which `loads` refers.
        scripts: a folder to which the scripts of the loads are written.
        namespace: of the slug. Services of different workspaces must not share a cache of builds,
            because a build could leave something in it for the next one.
    """

    service: ServiceFile
    source: Path
    loads: ServiceFile
    load_source: Path
    scripts: Path
    namespace: str = ""

    @property
    def slug(self) -> str:
        """Return the slug of the service in builds."""
        return f"{_PREFIX}{self.namespace}{self.service.service.name}"

    def get_framework(self, slug: str) -> tuple[ServiceManifest, SourceTree]:
        """Return the service by its slug; raise ManifestInvalid."""
        return self._entry if slug == self.slug else super().get_framework(slug)

    @cached_property
    def _entry(self) -> tuple[ServiceManifest, SourceTree]:
        table, docker, process = self.service.service, self.service.docker, self.service.process
        for at, slug in enumerate(table.backing):
            if slug not in self.backing_services:
                self._fail(
                    self.source,
                    ["service", "backing", str(at)],
                    f"{slug!r} is not a backing service of Tacho; it has "
                    f"{', '.join(self.backing_services)}",
                )
        implemented = ImplementedScenario(
            environment=table.environment, backing_services=table.backing
        )
        manifest = OwnServiceManifest(
            slug=self.slug,
            name=table.name,
            port=table.port,
            ready=table.ready,
            prepare={
                kind: recipe.prepare
                for kind, recipe in ((RuntimeKind.DOCKER, docker), (RuntimeKind.PROCESS, process))
                if recipe is not None and recipe.prepare is not None
            },
            docker=DockerRecipe(
                bases=(),
                memory_mb=table.memory_mb,
                dockerfile=docker.dockerfile if docker else "Dockerfile",
                read_only=docker.read_only if docker else False,
            ),
            process=None
            if process is None
            else ProcessRecipe(requires=process.requires, build=process.build, run=process.run),
            scenarios=dict.fromkeys(self.loads.loads, implemented),
        )
        source = self.source
        if docker is not None and docker.image is not None:
            # The engine pulls the image as it pulls the base of a Dockerfile.
            source = self.scripts / "image" / self.source.name
            source.mkdir(parents=True, exist_ok=True)
            (source / docker.dockerfile).parent.mkdir(parents=True, exist_ok=True)
            (source / docker.dockerfile).write_text(f"FROM {docker.image}\n", encoding="utf-8")
        return manifest, SourceTree(source, boundary=source, is_export=True)

    @cached_property
    def scenarios(self) -> dict[str, tuple[ScenarioManifest, Path]]:
        """Return manifest and folder of each load, whose scripts it writes.

        Raises:
            ManifestInvalid: a file of requests is wrong or missing, or a number is out of bounds.
        """
        shutil.copytree(self.root / "scenarios" / "lib", self.scripts / "lib", dirs_exist_ok=True)
        return {
            slug: (self._write_load(slug, load), self.scripts / slug)
            for slug, load in self.loads.loads.items()
        }

    def _write_load(self, slug: str, load: LoadTable) -> ScenarioManifest:
        folder, first_path, script = self.scripts / slug, None, None
        folder.mkdir(parents=True, exist_ok=True)
        if load.http is not None:
            file = parse_http_file(self.load_source / load.http, self.load_source)
            first_path = file.first_path
            (folder / "requests.js").write_text(render_module(file), encoding="utf-8")
            for name, text in _HTTP_SCRIPTS.items():
                (folder / name).write_text(text, encoding="utf-8")
        elif load.script is not None:
            script = self._copy_script(slug, load.script, folder / _SCRIPTS)
            verify = _SCRIPT_VERIFY.replace("__PATH__", json.dumps(self.loads.service.ready))
            (folder / "verify.js").write_text(verify, encoding="utf-8")
        scenario = _make_scenario(slug, load, first_path or self.loads.service.ready, script)
        for fault in find_faults(scenario):
            key = fault["field"].rsplit(".", 1)[-1]
            self._fail(self.load_source, ["loads", slug, key], fault["detail"])
        return scenario

    def _copy_script(self, slug: str, name: str, target: Path) -> str:
        """Copy a script with the files next to it; return its path in the folder of the load."""
        path = self.load_source / name
        if not path.is_file():
            self._fail(self.load_source, ["loads", slug, "script"], f"{name} does not exist")
        tree = SourceTree(path.parent, boundary=self.load_source, is_export=True)
        files = tree.list_files()
        size = sum(file.stat().st_size for file in files.values())
        if len(files) > _MOST_SCRIPT_FILES or size > _MOST_SCRIPT_BYTES:
            self._fail(
                self.load_source,
                ["loads", slug, "script"],
                f"the folder of {name} has {len(files)} files with {size // 1024} KiB, more than "
                f"{_MOST_SCRIPT_FILES} files or {_MOST_SCRIPT_BYTES // 1024} KiB; give the "
                "script a folder of its own",
            )
        tree.copy_to(target)
        return f"{_SCRIPTS}/{path.name}"

    def _fail(self, folder: Path, keys: list[str], detail: str) -> None:
        path = folder / FILE_NAME
        line = find_line(path.read_text(encoding="utf-8"), keys) if path.is_file() else 1
        field = ".".join(key for key in keys if not key.isdigit())
        raise ManifestInvalid(f"{path}:{line}: {field}: {detail}.", file=str(path))


def _make_scenario(slug: str, load: LoadTable, path: str, script: str | None) -> ScenarioManifest:
    kind = load.kind or (ProfileKind.SCRIPT if script is not None else ProfileKind.RATE)
    names = ProfileDefaults.model_fields
    values = {name: getattr(load, name) for name in names}
    if kind is ProfileKind.STEPS:
        values["duration_seconds"] = None
    defaults = ProfileDefaults(**values)
    description = load.description or f"The requests of {load.file}."
    profile = ProfileManifest(kind=kind, description=description, quick=defaults, full=defaults)
    return ScenarioManifest(
        slug=slug,
        name=slug,
        description=description,
        path=path,
        script=script,
        profiles={PROFILE: profile},
    )
