"""The contents of the manifests `service.toml`, `backing.toml` and `scenario.toml`.

Every fault is a ManifestInvalid that names the file, the key and the fix.
"""

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from backend.core.errors import ManifestInvalid
from backend.core.units import ProfileKind, RuntimeKind
from backend.core.validation import explain_fault


def _stay_inside(path: str) -> str:
    if path.startswith("/") or ".." in path.split("/"):
        raise ValueError("must be a path inside the service's folder, without a leading / and ..")
    return path


def _check_address(url: str) -> str:
    if ADDRESS not in url:
        raise ValueError(f"must contain {ADDRESS}, which stands for the address of the service")
    return url


# In the URL of a backing service, its host and port.
ADDRESS = "{address}"
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
ToolRequirement = Annotated[
    str,
    StringConstraints(
        pattern=r"^(node|npm|python|go|java|mvn|cargo|rabbitmq|postgres|redis)(>=\d+(\.\d+)*)?$"
    ),
]
Argv = Annotated[tuple[str, ...], Field(min_length=1)]
# A file of the service's own folder. An absolute path would read any file of the worker.
OwnFile = Annotated[
    str, StringConstraints(min_length=1, max_length=200), AfterValidator(_stay_inside)
]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$")]
M = TypeVar("M", bound="ManifestPart")


_NAMED_BY_FOLDER = ("service", "backing", "scenario")
# Names of other parts of a trial: a peer must not use them for its log, container and cgroup.
_OTHER_NAMES = ("service", "load", "build", "holder")


class Concurrency(StrEnum):
    """How a framework serves concurrent requests."""

    BLOCKING = "blocking"
    EVENT_LOOP = "event_loop"
    COROUTINE = "coroutine"
    VIRTUAL_THREADS = "virtual_threads"
    GOROUTINE = "goroutine"
    ACTOR = "actor"


class Mode(StrEnum):
    """How a framework is used: as in its guide, tuned, or as a reference for calibration."""

    OOTB = "ootb"
    TUNED = "tuned"
    REFERENCE = "reference"


class ManifestPart(BaseModel):
    """Base of every part of a manifest; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DockerRecipe(ManifestPart):
    """How the Docker runtime builds and limits a service."""

    bases: tuple[Slug, ...]
    memory_mb: int = Field(512, ge=16, le=65536)
    dockerfile: OwnFile = "Dockerfile"
    read_only: bool = True


class ProcessRecipe(ManifestPart):
    """How the process runtime builds and starts a service.

    `{node}`, `{npm}`, `{python}`, `{go}`, `{java}`, `{mvn}`, `{cargo}`, `{rabbitmq}`,
    `{postgres}`, `{redis}` stand for the resolved tools.
    """

    requires: tuple[ToolRequirement, ...]
    build: tuple[Argv, ...] = ()
    run: Argv


class Versions(ManifestPart):
    language: Text
    runtime: Text
    framework: Text


class Links(ManifestPart):
    website: Text
    source: str | None = None


class ProgramManifest(ManifestPart):
    """An additional program of a framework, in a subfolder of the same name.

    Topologies use it for services that have other dependencies than the main service.
    """

    docker: DockerRecipe
    process: ProcessRecipe | None = None


class Peer(ManifestPart):
    """A service behind the one under load; `program` None means the framework's main program."""

    name: Slug
    program: Slug | None = None
    environment: dict[str, str] = Field(default_factory=dict)


class ImplementedScenario(ManifestPart):
    """A scenario that a framework implements.

    `program` is the program under load; None means the main one. `peers` start before it, in this
    order. `backing_services` start in addition to those of the scenario.
    """

    environment: dict[str, str] = Field(default_factory=dict)
    program: Slug | None = None
    peers: tuple[Peer, ...] = ()
    backing_services: tuple[Slug, ...] = ()


class ServiceManifest(ManifestPart):
    """How a service is built, what it consists of, and the scenarios that it implements."""

    slug: Slug
    name: Text
    docker: DockerRecipe
    process: ProcessRecipe | None = None
    programs: dict[Slug, ProgramManifest] = Field(default_factory=dict)
    scenarios: Annotated[dict[Slug, ImplementedScenario], Field(min_length=1)]

    @property
    def all_programs(self) -> tuple[ProgramManifest, ...]:
        """Return the main program and the additional ones."""
        return (ProgramManifest(docker=self.docker, process=self.process), *self.programs.values())

    @property
    def listening_port(self) -> int:
        """Return the port on which the service listens in a pod with a network of its own."""
        return 8080

    @property
    def ready_path(self) -> str:
        """Return the path that answers 200 once the service is ready."""
        return "/health"

    def find_preparation(self, runtime: RuntimeKind) -> Argv | None:  # noqa: ARG002
        """Return the command that fills the backing services in a runtime; None without one."""
        return None

    @model_validator(mode="after")
    def _check_topologies(self) -> Self:
        for slug, scenario in self.scenarios.items():
            named = {scenario.program, *(peer.program for peer in scenario.peers)} - {None}
            if unknown := named - set(self.programs):
                known = ", ".join(self.programs) or "none"
                raise ValueError(
                    f"scenarios.{slug}: program {', '.join(map(str, sorted(unknown, key=str)))} "
                    f"has no table in programs, which has {known}"
                )
            names = [peer.name for peer in scenario.peers]
            taken = {*_OTHER_NAMES, *scenario.backing_services}
            if len(set(names)) < len(names) or taken.intersection(names):
                raise ValueError(
                    f"scenarios.{slug}.peers: names must differ, also from backing services and "
                    f"from {', '.join(_OTHER_NAMES)}"
                )
        return self


class FrameworkManifest(ServiceManifest):
    """`services/frameworks/<language>/<slug>/service.toml`, `services/reference/<slug>/…`.

    Only the catalogue sets `version_of`, for entries from a `version.toml`.
    """

    version_of: Slug | None = None
    language: Text
    description: Text
    concurrency: Concurrency
    mode: Mode = Mode.OOTB
    licence: Text
    versions: Versions
    links: Links


class BackingServiceManifest(ManifestPart):
    """`services/backing/<slug>/backing.toml`: a service that a scenario or a framework needs.

    It answers `/health` on `port`, passed as `PORT`. If it uses another protocol, it does so on
    `rpc_port`, passed as `RPC_PORT`. Services get `url`, in which `{address}` stands for the host
    with `rpc_port` if there is one, else with `port`.
    """

    slug: Slug
    name: Text
    description: Text
    port: int = Field(ge=1, le=65535)
    rpc_port: int | None = Field(None, ge=1, le=65535)
    url: Annotated[Text, AfterValidator(_check_address)] = f"http://{ADDRESS}"
    url_variable: Variable
    docker: DockerRecipe
    process: ProcessRecipe | None = None


class ScenarioParameter(ManifestPart):
    """A parameter of the scenario itself; `environment` passes it as variables."""

    type: Literal["integer"]
    minimum: int
    maximum: int
    default: int
    description: Text
    environment: dict[Literal["service", "backing"], str] = Field(default_factory=dict)


class ProfileDefaults(ManifestPart):
    """The values of one variant of a profile. The profile's kind decides which are required."""

    warm_up_seconds: int
    duration_seconds: int | None = None
    timeout_ms: int = 5000
    rate_rps: int | None = None
    users: int | None = None
    pause_ms: int | None = None
    connections: int | None = None
    first_rps: int | None = None
    step_rps: int | None = None
    steps: int | None = None
    step_seconds: int | None = None
    drain_seconds: int = 0
    success_percent: int | None = None
    requests: int | None = None
    values: tuple[int, ...] | None = None


class ProfileManifest(ManifestPart):
    """A way of offering load, in a short and a long variant.

    `sweeps` names a parameter; the profile then has one cell for each of its `values`. `parameters`
    are the values of the scenario's own parameters in this profile.
    """

    kind: ProfileKind
    description: Text
    sweeps: str | None = None
    parameters: dict[str, int] = Field(default_factory=dict)
    quick: ProfileDefaults
    full: ProfileDefaults


class ScenarioManifest(ManifestPart):
    """`services/scenarios/<slug>/scenario.toml`.

    Each of `secrets` is a variable with 64 random hexadecimal digits, new in every trial, which
    services and scripts receive. The service under load does not receive `peer_secrets`. Only
    backing services and scripts receive `backing_secrets`. Each service receives its own values of
    `part_secrets`. With `peer_data`, the service under load does not receive the data files. With
    `changes_data`, the load changes data files, so it must come from the host of the service.
    A peer whose CPU time per call is below `peer_cpu_us` did not do its work. `enforced_wait` names
    the parameter (ms) that is the shortest possible latency. `first_body` is the JSON that is
    posted to `path` for the first response; None sends a GET request. `script` is a k6 script in
    the scenario's folder that sends the load itself, instead of `load.js`.
    """

    slug: Slug
    name: Text
    description: Text
    path: Annotated[str, StringConstraints(pattern=r"^/")]
    first_body: Text | None = None
    script: OwnFile | None = None
    backing_services: tuple[Slug, ...] = ()
    secrets: tuple[Variable, ...] = ()
    peer_secrets: tuple[Variable, ...] = ()
    part_secrets: tuple[Variable, ...] = ()
    backing_secrets: tuple[Variable, ...] = ()
    peer_data: bool = False
    changes_data: bool = False
    peer_cpu_us: int = Field(0, ge=0)
    enforced_wait: str | None = None
    position: int = Field(100, ge=1, description="Position in lists; the simplest come first.")
    reference: bool = Field(False, description="For calibration only; not shown in lists.")
    parameters: dict[str, ScenarioParameter] = Field(default_factory=dict)
    profiles: Annotated[dict[Slug, ProfileManifest], Field(min_length=1)]

    @property
    def first_method(self) -> Literal["GET", "POST"]:
        """Return the method of the first request."""
        return "GET" if self.first_body is None else "POST"

    @model_validator(mode="after")
    def _check_wait(self) -> Self:
        if self.enforced_wait is not None and self.enforced_wait not in self.parameters:
            known = ", ".join(self.parameters) or "none"
            raise ValueError(
                f"enforced_wait: {self.enforced_wait} is not a parameter; the scenario has {known}"
            )
        return self

    @model_validator(mode="after")
    def _check_script(self) -> Self:
        for name, profile in self.profiles.items():
            if profile.kind is ProfileKind.SCRIPT and self.script is None:
                raise ValueError(
                    f'profiles.{name}.kind: "script" needs a k6 script; name it as script'
                )
            if profile.kind is not ProfileKind.SCRIPT and self.script is not None:
                raise ValueError(
                    f'profiles.{name}.kind: must be "script", because {self.script} sends the load'
                )
        return self


def parse_manifest(model: type[M], path: Path) -> M:
    """Read and validate one manifest.

    Raises:
        ManifestInvalid: naming the file, each wrong key, and what to do.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ManifestInvalid(f"{path}: the manifest is missing; add it.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ManifestInvalid(f"{path}: not valid TOML: {error}. Fix the line it names.") from error
    try:
        manifest = model.model_validate(document)
    except ValidationError as error:
        problems = list_problems(error)
        listed = "; ".join(f"{problem['field']}: {problem['detail']}" for problem in problems)
        raise ManifestInvalid(f"{path}: {listed}", problems, file=str(path)) from error
    # The name is that of the folder, or of the file if the manifest has no folder of its own.
    is_folders = path.stem in _NAMED_BY_FOLDER
    name = path.parent.name if is_folders else path.stem
    slug = getattr(manifest, "slug", name)
    if slug != name:
        where = "folder" if is_folders else "file"
        raise ManifestInvalid(
            f"{path}: slug: is {slug!r} but the {where} is {name!r}; make them equal.",
            file=str(path),
        )
    return manifest


def list_problems(error: ValidationError) -> list[dict[str, str]]:
    """Return a problem `{"field", "detail"}` for each wrong key, with what to do about it."""
    return [
        {"field": ".".join(map(str, fault["loc"])), "detail": explain_fault(fault).rstrip(".")}
        for fault in error.errors()
    ]
