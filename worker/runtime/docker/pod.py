"""The containers of a trial: a holder without a network, whose loopback all others share."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypedDict

import docker.errors
from docker.types import LogConfig, Ulimit

from backend.core.config import get_settings
from backend.core.units import ServiceNetwork
from backend.platform.network import find_free_port
from backend.platform.processes.guard import MARK
from worker.resources.counters import Meter, ResourceReading
from worker.runtime.base import (
    ALL_ADDRESSES,
    LOOPBACK,
    MAX_PROCESSES,
    CpuSets,
    PodRole,
    PodSpec,
    ServiceSpec,
    StartedService,
)
from worker.runtime.cpu_time import read_cpu_seconds
from worker.runtime.docker.answers import ContainerState
from worker.runtime.docker.engine import (
    LABEL_ATTEMPT,
    LABEL_GUARD,
    LABEL_ROLE,
    LABEL_RUN,
    LABEL_TRIAL,
    EngineClient,
    engine_errors,
)
from worker.runtime.docker.execution import DockerExecution
from worker.runtime.docker.holder import BINARY, is_holder
from worker.runtime.docker.images import pack
from worker.runtime.docker.removal import remove_containers
from worker.runtime.docker.source import ContainerSource
from worker.runtime.errors import PodLost, ProgramMissing, RuntimeFailure, StartFailed
from worker.runtime.exit import Exit
from worker.runtime.files import check_file_names
from worker.runtime.output import LOG_TAIL_BYTES
from worker.runtime.service_link import ServiceLink, name_link

_SCRIPTS = "/tacho"
_DATA = "/data"
_LOG_LINES = 5000
_HOLDER_WAIT_S = 2.0
_HOLDER_POLL_S = 0.005
# The load's own connections must not use the ports on which services listen.
_SYSCTLS = {"net.ipv4.ip_local_port_range": "10240 65535", "net.core.somaxconn": "4096"}
# A container without a network cannot resolve its own name, and WildFly then exits.
_HOSTNAME = "tacho"
_REMOVED = "A container of the trial was removed from outside."


class HostOptions(TypedDict, total=False):
    """The part of a container's host configuration that differs between holder and services."""

    network_mode: str
    sysctls: dict[str, str]
    extra_hosts: dict[str, str]
    mem_limit: int
    memswap_limit: int
    read_only: bool
    tmpfs: dict[str, str]
    volumes_from: list[str]


@dataclass(frozen=True)
class PodSetup:
    """The parts that all pods of a Docker runtime share."""

    engine: EngineClient
    holder_image: str
    ulimits: list[Ulimit]
    cgroup_root: Path


class DockerPod:
    """Implements `worker.runtime.base.Pod`. Creating it starts the holder."""

    def __init__(self, setup: PodSetup, spec: PodSpec) -> None:
        self._engine = setup.engine
        self._cgroup_root = setup.cgroup_root
        self._ulimits = setup.ulimits
        self._container_runtime = get_settings().container_runtime or None
        self._spec = spec
        self._roles: dict[str, PodRole] = {}
        self._services: dict[str, str] = {}
        self._meters = {role: Meter() for role in PodRole}
        self._sources: dict[str, ContainerSource] = {}
        self._ports: set[int] = set()
        self._link: ServiceLink | None = None
        try:
            self._holder_id, _ = self._start_container(
                "holder",
                PodRole.LOAD,
                setup.holder_image,
                HostOptions(
                    network_mode="none",
                    sysctls=_SYSCTLS,
                    extra_hosts={_HOSTNAME: "127.0.0.1"},
                ),
                {},
                volumes=[_DATA] if spec.has_data else [],
            )
            if spec.service_address:
                name = name_link(spec.trial_id, spec.attempt)
                pid = self._await_holder_pid()
                self._link = ServiceLink(name, spec.service_address, pid)
        except BaseException:
            self.remove()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()

    @property
    def cpus(self) -> CpuSets:
        """Return the CPUs to which its roles are pinned."""
        return self._spec.cpus

    @property
    def services(self) -> Mapping[str, PodRole]:
        """Return name and role of every started service."""
        return dict(self._roles)

    @property
    def service_network(self) -> ServiceNetwork:
        """Return the network in which load hosts reach the service."""
        return ServiceNetwork.OWN

    @property
    def listen_address(self) -> str:
        """Return all addresses of the pod if load hosts reach it, otherwise its loopback."""
        return LOOPBACK if self._link is None else ALL_ADDRESSES

    def reserve_port(self, preferred: int) -> int:
        """Return the preferred port; it is free, because the pod has its own network namespace."""
        return preferred

    def expose_port(self) -> int:
        """Return a free port of this host, which leads to the same port of the pod."""
        if self._link is None:
            raise RuntimeFailure("This pod has no service address.")
        port = find_free_port(self._ports)
        self._ports.add(port)
        self._link.expose(port)
        return port

    def start(self, spec: ServiceSpec) -> StartedService:
        """Start a service in the holder's network; raises `StartFailed`."""
        recipe = spec.request.docker
        memory_bytes = spec.memory_mb * 1024 * 1024
        options = HostOptions(
            network_mode=f"container:{self._holder_id}",
            mem_limit=memory_bytes,
            memswap_limit=memory_bytes,
            read_only=recipe.read_only,
            tmpfs={"/tmp": "rw,exec,nosuid,nodev,mode=1777"},  # noqa: S108
        )
        if spec.has_data:
            options["volumes_from"] = [f"{self._holder_id}:ro"]
        environment = spec.list_variables(self._spec.cpus)
        # By its content: the tag may have another image by now.
        image = spec.artifact.image_id or spec.artifact.reference
        try:
            container_id, started_ns = self._start_container(
                spec.name, spec.role, image, options, environment, command=spec.command
            )
        except ProgramMissing as failure:
            raise StartFailed(f"{spec.name} does not start: {failure.detail}", "") from failure
        self._services[spec.name] = container_id
        self._roles[spec.name] = spec.role
        return StartedService(spec.name, started_ns)

    def put_files(self, files: Mapping[str, bytes]) -> str:
        """Store files in the holder; return their folder there."""
        return self._store(_SCRIPTS, files)

    def put_data(self, files: Mapping[str, bytes]) -> str:
        """Store files in the holder's volume, which services with `has_data` see."""
        return self._store(_DATA, files)

    def _store(self, place: str, files: Mapping[str, bytes]) -> str:
        check_file_names(files)
        archive = pack({f"{place[1:]}/{name}": content for name, content in files.items()})
        with engine_errors("Storing the trial's files"):
            self._engine.put_archive(self._holder_id, "/", archive.read())
        return place

    def execute(self, command: Sequence[str], environment: Mapping[str, str]) -> DockerExecution:
        """Run a command in the holder; raises `RuntimeFailure`."""
        binary = BINARY if command[0] == "k6" else command[0]
        return DockerExecution(
            self._engine, self._holder_id, [binary, *command[1:]], dict(environment)
        )

    def read(self, role: PodRole) -> ResourceReading:
        """Return the counters of a role, summed over its containers."""
        return self._meters[role].read()

    def read_cpu_seconds(self, name: str) -> float:
        """Return the CPU time of a service since its start; raises `RuntimeFailure` if it ended."""
        self._get_container_id(name)
        return read_cpu_seconds(name, self._sources[name])

    def list_processes(self, role: PodRole) -> list[int]:
        """Return the id of the first process of each running container of a role."""
        names = [name for name, own in self._roles.items() if own is role]
        states = [self._state(self._services[name]) for name in names]
        return [state["Pid"] for state in states if state["Running"]]

    def check(self) -> None:
        """Raise `PodLost` unless the holder runs: without it, no container has a network."""
        if not self._state(self._holder_id)["Running"]:
            raise PodLost("The container that holds the trial's network was stopped from outside.")

    def is_running(self, name: str) -> bool:
        """Return whether the service's container runs."""
        return self.find_exit(name) is None

    def find_exit(self, name: str) -> Exit | None:
        """Return how a service ended; None while it runs."""
        state = self._state(self._get_container_id(name))
        if state["Running"]:
            return None
        return Exit.from_code(state["ExitCode"], is_out_of_memory=state["OOMKilled"])

    def logs(self, name: str) -> str:
        """Return the tail of the service's stdout and stderr."""
        with engine_errors(f"Reading the log of {name}"):
            log: bytes = self._engine.logs(self._get_container_id(name), tail=_LOG_LINES)
        return log[-LOG_TAIL_BYTES:].decode(errors="replace")

    def remove(self) -> None:
        """Kill and remove every container of this attempt, and its link; repeatable."""
        try:
            remove_containers(self._engine, self._spec.trial_id, self._spec.attempt)
        finally:
            if self._link is not None:
                self._link.close()

    def _start_container(
        self,
        name: str,
        role: PodRole,
        image: str,
        options: HostOptions,
        environment: Mapping[str, str],
        volumes: Sequence[str] = (),
        command: Sequence[str] | None = None,
    ) -> tuple[str, int]:
        """Create and start a container; return its id and when its start was requested."""
        if name in self._services:
            raise RuntimeFailure(f"there is a service named {name} in this trial already.")
        is_holder = role is PodRole.LOAD
        with engine_errors(f"Starting container {name}"):
            created = self._engine.create_container(
                image,
                name=f"tacho-{self._spec.trial_id}-{name}",
                hostname=_HOSTNAME if is_holder else None,
                environment=dict(environment),
                volumes=list(volumes),
                # Together they replace both the entry point and the command of the image.
                entrypoint=None if command is None else list(command[:1]),
                command=None if command is None else list(command[1:]),
                labels={
                    LABEL_RUN: self._spec.run_id,
                    LABEL_TRIAL: self._spec.trial_id,
                    LABEL_ATTEMPT: str(self._spec.attempt),
                    LABEL_ROLE: role.value,
                    LABEL_GUARD: os.environ.get(MARK, ""),
                },
                host_config=self._engine.create_host_config(
                    runtime=None if is_holder else self._container_runtime,
                    cpuset_cpus=",".join(str(cpu) for cpu in self._spec.cpus.of(role)),
                    pids_limit=MAX_PROCESSES,
                    cap_drop=["ALL"],
                    security_opt=["no-new-privileges:true"],
                    ulimits=self._ulimits,
                    log_config=LogConfig(type="json-file", config={"max-size": "4m"}),
                    **options,
                ),
            )
            container_id: str = created["Id"]
            started_ns = time.monotonic_ns()
            self._engine.start(container_id)
        source = ContainerSource(self._engine, container_id, self._cgroup_root)
        self._sources[name] = source
        self._meters[role].add(source)
        return container_id, started_ns

    def _await_holder_pid(self) -> int:
        """Return the process of the holder on this machine."""
        deadline = time.monotonic() + _HOLDER_WAIT_S
        while time.monotonic() < deadline:
            pid = self._state(self._holder_id)["Pid"]
            if is_holder(pid):
                return pid
            time.sleep(_HOLDER_POLL_S)
        raise RuntimeFailure(
            "The worker does not see the processes of the container engine. Run the engine on the "
            "machine of the worker, and the worker outside of a container."
        )

    def _state(self, container_id: str) -> ContainerState:
        with engine_errors("Inspecting a container"):
            try:
                state: ContainerState = self._engine.inspect_container(container_id)["State"]
            except docker.errors.NotFound:
                raise PodLost(_REMOVED) from None
        # The engine kills a container before it removes it.
        if not state["Running"] and state["Status"] == "removing":
            raise PodLost(_REMOVED)
        return state

    def _get_container_id(self, name: str) -> str:
        if name not in self._services:
            raise RuntimeFailure(f"There is no service named {name} in this trial.")
        return self._services[name]
