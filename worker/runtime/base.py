"""Protocols that the Docker runtime and the process runtime implement.

A `Runtime` builds services and opens pods. A `Pod` isolates a trial: it holds the service, its
backing services and the load generator, and removing it leaves nothing behind.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from backend.core.catalog.language_settings import choose_settings
from backend.core.catalog.manifest import DockerRecipe, ProcessRecipe
from backend.core.catalog.sources import SourceTree
from backend.core.units import BuildNetwork, HostFolder, Isolation, RuntimeKind, ServiceNetwork
from worker.resources.counters import ResourceReading
from worker.runtime.exit import Exit
from worker.runtime.stored import StoredItem

# Processes and threads of a service, and of a build.
MAX_PROCESSES = 8192
# Open files of a program of a trial, and of a build: more than the connections of any load.
MAX_OPEN_FILES = 65_536
LOOPBACK = "127.0.0.1"
# All addresses of a pod with a network of its own.
ALL_ADDRESSES = "0.0.0.0"  # noqa: S104


def join_address(host: str, port: int) -> str:
    """Return an IP address with a port, as URLs have it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class PodRole(StrEnum):
    """The role of a container or process in a trial. Resources are counted by role."""

    SERVICE = "service"
    BACKING = "backing"
    LOAD = "load"


@dataclass(frozen=True)
class CpuSets:
    """The CPU numbers to which each role is pinned; disjoint if the host has enough CPUs."""

    service: tuple[int, ...]
    load: tuple[int, ...]
    backing: tuple[int, ...]

    def of(self, role: PodRole) -> tuple[int, ...]:
        """Return the CPU numbers of a role."""
        return {
            PodRole.SERVICE: self.service,
            PodRole.LOAD: self.load,
            PodRole.BACKING: self.backing,
        }[role]

    @property
    def all(self) -> frozenset[int]:
        """Return the CPU numbers of all roles together."""
        return frozenset((*self.service, *self.load, *self.backing))

    def by_name(self) -> dict[str, tuple[int, ...]]:
        """Return CPU numbers by the role's name, as they are stored with a trial."""
        return {role.value: self.of(role) for role in PodRole}


@dataclass(frozen=True)
class BuildRequest:
    """A build to make. The same digest means the same artifact, built once.

    With `is_kept`, an earlier build with this digest is used; its source is no longer in the
    folder.
    """

    slug: str
    source: SourceTree
    digest: str
    docker: DockerRecipe
    process: ProcessRecipe | None
    is_kept: bool = False


@dataclass(frozen=True)
class Artifact:
    """A built service. `reference` is an image tag (docker) or a folder (process).

    Attributes:
        image_id: the engine's digest of the content of the image; None for a folder.
        base_images: references of the images that the image was built on, with digests.
    """

    reference: str
    digest: str
    build_seconds: float
    size_bytes: int
    cached: bool
    image_id: str | None = None
    base_images: tuple[str, ...] = ()


@dataclass(frozen=True)
class ServiceSpec:
    """A service to start in a pod. `role` is SERVICE or BACKING; `PORT` passes it the port.

    Attributes:
        has_data: whether it can read the files of `put_data`. On hosts without isolation, all
            services can.
        address: the address that it listens on, if its runtime lets it choose one.
        command: runs instead of the service's own; it gets the same environment.
    """

    name: str
    role: PodRole
    artifact: Artifact
    request: BuildRequest
    port: int
    environment: Mapping[str, str]
    memory_mb: int
    has_data: bool = False
    address: str = LOOPBACK
    command: Sequence[str] | None = None

    def list_variables(self, cpus: CpuSets) -> dict[str, str]:
        """Return its environment, with `PORT` and the settings of its language runtime."""
        settings = choose_settings(
            self.request.docker.bases, self.memory_mb, len(cpus.of(self.role))
        )
        return {**self.environment, **settings, "PORT": str(self.port)}


@dataclass(frozen=True)
class StartedService:
    """A started service. `started_ns` is the monotonic time (ns) at which its start was requested.

    The boot time therefore includes the engine's time to start a container, 60 to 100 ms. The
    engine's own `StartedAt` is later than the program's first instructions and would make fast
    boots negative.
    """

    name: str
    started_ns: int


@dataclass(frozen=True)
class PodSpec:
    """The trial of a pod, the CPUs of its roles, and whether `put_data` will be called.

    Attributes:
        attempt: distinguishes the attempts of a trial; a pod removes only parts of its own attempt.
        service_address: the address of this host at which load hosts reach `expose_port`; empty if
            the load comes from the pod itself.
        uses_host_network: whether it shares the network of this machine. Only the process runtime
            can.
    """

    run_id: str
    trial_id: str
    cpus: CpuSets
    has_data: bool = False
    attempt: int = 1
    service_address: str = ""
    uses_host_network: bool = False


@dataclass(frozen=True)
class RuntimeInfo:
    """Kind, engine, version and isolation of the runtime, for the host's fingerprint.

    Attributes:
        memory_fault: why the memory of services is not limited; empty if it is. It completes a
            sentence that ends with "because".
    """

    kind: RuntimeKind
    engine: str
    version: str
    isolation: Isolation
    memory_fault: str = ""


class Execution(Protocol):
    """A command running in a pod on the load CPUs."""

    def lines(self) -> Iterator[str]:
        """Yield the lines of stdout without their ends, as they arrive, until the command ends."""
        ...

    def interrupt(self) -> None:
        """Send SIGINT to the command, if it still runs."""
        ...

    def finish(self) -> None:
        """Finish a load: send no more requests, and wait for the answers to those under way.

        Sends SIGUSR1, if the command still runs.
        """
        ...

    def wait(self, timeout_s: float) -> Exit:
        """Return how the command ended.

        Raises `TimeoutError` when it still runs after `timeout_s`, and `RuntimeFailure` when the
        pod is gone or could not start it.
        """
        ...

    @property
    def stderr(self) -> str:
        """Return the last 64 KiB that the command wrote to stderr so far."""
        ...


class Pod(Protocol):
    """The isolated environment of a trial. As a context manager it removes everything on exit."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    @property
    def cpus(self) -> CpuSets:
        """Return the CPUs to which its roles are pinned."""
        ...

    @property
    def services(self) -> Mapping[str, PodRole]:
        """Return name and role of every started service, in the order of their starts."""
        ...

    @property
    def service_network(self) -> ServiceNetwork:
        """Return the network in which load hosts reach the service."""
        ...

    @property
    def listen_address(self) -> str:
        """Return the address on which a program must listen for load hosts."""
        ...

    def reserve_port(self, preferred: int) -> int:
        """Return a free port of this pod: `preferred` in Docker, else a loopback port."""
        ...

    def expose_port(self) -> int:
        """Return a free port that load hosts reach at the service address of this host.

        Commands in the pod reach it there, too. Raises `RuntimeFailure` if the pod has no service
        address.
        """
        ...

    def start(self, spec: ServiceSpec) -> StartedService:
        """Start a service without waiting until it is ready; raises `StartFailed`."""
        ...

    def put_files(self, files: Mapping[str, bytes]) -> str:
        """Store files (relative path → content); returns their folder as `execute` sees it."""
        ...

    def put_data(self, files: Mapping[str, bytes]) -> str:
        """Store files (name → content) for services with `has_data`, and commands.

        Returns:
            Their folder, as both see it; commands may write there. Call it before any `start`.
        """
        ...

    def execute(self, command: Sequence[str], environment: Mapping[str, str]) -> Execution:
        """Run a command on the load CPUs; a first word `k6` stands for the k6 binary."""
        ...

    def read(self, role: PodRole) -> ResourceReading:
        """Return the present counters of a role, zero if it is empty; raises `RuntimeFailure`."""
        ...

    def read_cpu_seconds(self, name: str) -> float:
        """Return the CPU time of a service since its start; raises `RuntimeFailure` if it ended."""
        ...

    def list_processes(self, role: PodRole) -> list[int]:
        """Return the id on this machine of the first process of each running part of a role."""
        ...

    def check(self) -> None:
        """Raise `PodLost` if the pod itself was removed, which is not the fault of a service."""
        ...

    def is_running(self, name: str) -> bool:
        """Return whether a service is alive; raises `PodLost` if it was removed."""
        ...

    def find_exit(self, name: str) -> Exit | None:
        """Return how a service ended, None while it runs; raises `PodLost` if it was removed."""
        ...

    def logs(self, name: str) -> str:
        """Return the last 256 KiB that a service wrote to stdout and stderr."""
        ...

    def remove(self) -> None:
        """Kill and remove all parts of the pod at once; repeatable."""
        ...


class Runtime(Protocol):
    """Builds services and opens pods. Every error is a `RuntimeFailure`."""

    @property
    def kind(self) -> RuntimeKind: ...

    @property
    def build_network(self) -> BuildNetwork:
        """Return what builds reach here."""
        ...

    def check(self) -> None:
        """Raise `RuntimeUnavailable` with the fix if this host cannot run it."""
        ...

    def find_remote_fault(self, address: str) -> str:
        """Return why load hosts cannot reach services here at an address; empty if they can.

        The reason is a sentence or two, with the fix.
        """
        ...

    def list_folders(self) -> Mapping[HostFolder, Path]:
        """Return folders of this machine outside of the data folder that builds fill, by what they
        hold.
        """
        ...

    def list_stored(self) -> list[StoredItem]:
        """Return what builds have stored here and can make again."""
        ...

    def describe(self) -> RuntimeInfo:
        """Return engine and version for the fingerprint; raises `RuntimeUnavailable`."""
        ...

    def build(
        self,
        request: BuildRequest,
        on_log: Callable[[str], None],
        is_cancelled: Callable[[], bool],
    ) -> Artifact:
        """Build once per digest, and call `on_log` with each line of the log.

        Raises `BuildFailed` with the log, and `CancelledByUser` within two seconds after
        `is_cancelled` turned true.
        """
        ...

    def open_pod(self, spec: PodSpec) -> Pod:
        """Return an empty pod, ready for `start` and `execute`.

        It first removes the leftovers of other attempts of the same trial.
        """
        ...

    def list_attempts(self) -> set[tuple[str, int]]:
        """Return id and attempt of the trials that have a container, process or folder here."""
        ...

    def remove_attempt(self, trial_id: str, attempt: int) -> None:
        """Remove the leftovers of an attempt, also if the worker that ran it was killed."""
        ...
