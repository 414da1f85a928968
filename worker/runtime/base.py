"""Where a trial lives: the one Protocol behind which Docker and plain processes look alike.

A `Runtime` builds services and opens pods; a `Pod` is a trial's private place, holding the
service, its backing services and the load generator, and is gone without trace once removed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self

from backend.core.catalog.manifest import DockerRecipe, ProcessRecipe
from backend.core.catalog.sources import SourceTree
from backend.core.units import RuntimeKind
from worker.runtime.exit import Exit


class Role(StrEnum):
    """What a container or process does in a trial; resources are counted by role."""

    SERVICE = "service"
    BACKING = "backing"
    LOAD = "load"


@dataclass(frozen=True)
class CpuSets:
    """The CPU numbers each role is pinned to; disjoint where the host has enough of them."""

    service: tuple[int, ...]
    load: tuple[int, ...]
    backing: tuple[int, ...]

    def of(self, role: Role) -> tuple[int, ...]:
        """CPU numbers of one role."""
        return {Role.SERVICE: self.service, Role.LOAD: self.load, Role.BACKING: self.backing}[role]

    @property
    def all(self) -> frozenset[int]:
        """The CPU numbers of all roles together."""
        return frozenset((*self.service, *self.load, *self.backing))

    def by_name(self) -> dict[str, tuple[int, ...]]:
        """CPU numbers by the role's name, as they are kept with a trial."""
        return {role.value: self.of(role) for role in Role}


@dataclass(frozen=True)
class BuildRequest:
    """What is to be built. The same digest means the same artifact, built once.

    `is_kept` asks for an earlier build of this digest, whose source is no longer in the folder.
    """

    slug: str
    source: SourceTree
    digest: str
    docker: DockerRecipe
    process: ProcessRecipe | None
    is_kept: bool = False


@dataclass(frozen=True)
class Artifact:
    """A built service. `reference` is an image tag (docker) or a folder (process)."""

    reference: str
    digest: str
    build_seconds: float
    size_bytes: int
    cached: bool


@dataclass(frozen=True)
class ServiceSpec:
    """One service to start in a pod; `role` is SERVICE or BACKING, `port` goes in as `PORT`."""

    name: str
    role: Role
    artifact: Artifact
    request: BuildRequest
    port: int
    environment: Mapping[str, str]
    memory_mb: int


@dataclass(frozen=True)
class StartedService:
    """A started service; `started_wall_ns` is the Unix time in ns when its start was asked for.

    So a boot includes what the engine needs to start a container, some 60 to 100 ms; its own
    `StartedAt` comes after the program's first instructions and would make fast ones negative.
    """

    name: str
    started_wall_ns: int


@dataclass(frozen=True)
class PodSpec:
    """Whose pod it is, which CPUs its roles get, and whether `put_data` will be called.

    `attempt` keeps a trial's attempts apart: a pod removes only what carries its own number.
    """

    run_id: str
    trial_id: str
    cpus: CpuSets
    has_data: bool = False
    attempt: int = 1


@dataclass(frozen=True)
class ResourceReading:
    """Cumulative counters and gauges of one role at one instant, summed over its containers.

    `source` is `cgroup_v1`, `cgroup_v2`, `process` or `engine_stats`: how far to trust it.
    A container that has gone keeps contributing its last known `cpu_seconds`.
    """

    wall_ns: int
    cpu_seconds: float
    throttled_seconds: float
    memory_bytes: int
    memory_peak_bytes: int
    memory_anon_bytes: int
    memory_file_bytes: int
    memory_sock_bytes: int
    threads: int
    source: str


@dataclass(frozen=True)
class RuntimeInfo:
    """What runs the services, for the host's fingerprint."""

    kind: RuntimeKind
    engine: str
    version: str


class Execution(Protocol):
    """One command running in a pod on the load CPUs."""

    def lines(self) -> Iterator[str]:
        """Stdout line by line as it comes, without line ends; ends with the command."""
        ...

    def interrupt(self) -> None:
        """Send SIGINT to the command; harmless when it has ended."""
        ...

    def finish(self) -> None:
        """Let a load that has begun end: nothing more is sent, what is under way is answered.

        Sends SIGUSR1; harmless when it has ended.
        """
        ...

    def wait(self, timeout_s: float) -> Exit:
        """How the command ended.

        Raises `TimeoutError` when it still runs after `timeout_s`, and `RuntimeFailure` when the
        pod is gone or could not start it.
        """
        ...

    @property
    def stderr(self) -> str:
        """The last 64 KiB the command wrote to stderr so far."""
        ...


class Pod(Protocol):
    """A trial's private place. As a context manager, leaving it removes everything."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    @property
    def cpus(self) -> CpuSets:
        """The CPUs its roles are pinned to."""
        ...

    @property
    def services(self) -> Mapping[str, Role]:
        """Name and role of every service that was started, in that order."""
        ...

    def reserve_port(self, preferred: int) -> int:
        """A port free in this pod: `preferred` itself in docker, a loopback port otherwise."""
        ...

    def start(self, spec: ServiceSpec) -> StartedService:
        """Start a service without waiting for its readiness; raises `StartFailed`."""
        ...

    def put_files(self, files: Mapping[str, bytes]) -> str:
        """Store files (relative path → content); returns their folder as `execute` sees it."""
        ...

    def put_data(self, files: Mapping[str, bytes]) -> str:
        """Store files (name → content) for services, which read them, and commands.

        Returns:
            Their folder, as both see it; commands may write there. Before any `start`.
        """
        ...

    def execute(self, command: Sequence[str], environment: Mapping[str, str]) -> Execution:
        """Run a command on the load CPUs; a first word `k6` stands for the k6 binary."""
        ...

    def read(self, role: Role) -> ResourceReading:
        """Counters of a role now, all zero when it has nothing; raises `RuntimeFailure`."""
        ...

    def check(self) -> None:
        """Raises `PodLost` when what holds the pod together is gone: no service is to blame."""
        ...

    def is_running(self, name: str) -> bool:
        """Whether the service of that name is alive; raises `PodLost` when it was removed."""
        ...

    def find_exit(self, name: str) -> Exit | None:
        """How a service ended, None while it runs; raises `PodLost` when it was removed."""
        ...

    def logs(self, name: str) -> str:
        """The last 256 KiB of what a service wrote to stdout and stderr."""
        ...

    def remove(self) -> None:
        """Kill and remove everything of the pod at once, without grace; repeatable."""
        ...


class Runtime(Protocol):
    """Builds services and opens pods. Every error is a `RuntimeFailure`."""

    @property
    def kind(self) -> RuntimeKind: ...

    def check(self) -> None:
        """Raises `RuntimeUnavailable`, with the fix, when this host cannot run it."""
        ...

    def describe(self) -> RuntimeInfo:
        """Engine and version, for the fingerprint; raises `RuntimeUnavailable`."""
        ...

    def build(
        self,
        request: BuildRequest,
        on_log: Callable[[str], None],
        is_cancelled: Callable[[], bool],
    ) -> Artifact:
        """Build once per digest, feeding log lines to `on_log`.

        Raises `BuildFailed` with the log, and `CancelledByUser` within two seconds after
        `is_cancelled` turned true.
        """
        ...

    def open_pod(self, spec: PodSpec) -> Pod:
        """An empty pod, ready for `start` and `execute`.

        What other attempts of the same trial left is removed first.
        """
        ...

    def list_attempts(self) -> set[tuple[str, int]]:
        """Id and attempt of trials that still own a container, process or folder on this host."""
        ...

    def remove_attempt(self, trial_id: str, attempt: int) -> None:
        """Remove what an attempt left behind, also after the worker that ran it was killed."""
        ...
