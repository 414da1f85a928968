"""Runs the services and the load generator of a trial as processes, with a folder of their own."""

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from backend.core.units import ServiceNetwork
from backend.platform.network import find_free_port
from worker.resources.cgroup import Group
from worker.resources.counters import CounterSource, Meter, ResourceReading
from worker.resources.process_tree import ProcessTree
from worker.runtime.base import (
    ALL_ADDRESSES,
    LOOPBACK,
    CpuSets,
    PodRole,
    PodSpec,
    ServiceSpec,
    StartedService,
)
from worker.runtime.cpu_time import read_cpu_seconds
from worker.runtime.errors import RuntimeFailure, StartFailed
from worker.runtime.exit import Exit
from worker.runtime.files import check_file_names
from worker.runtime.process.execution import ProcessExecution
from worker.runtime.process.groups import GroupTree, create_group, remove_groups
from worker.runtime.process.ledger import (
    ATTEMPT_MARK,
    MARK,
    Ledger,
    read_attempt,
    write_attempt,
)
from worker.runtime.process.network import HeldNetwork
from worker.runtime.process.sandbox import LOAD_UID, Network, NetworkNamespace, Sandbox, View
from worker.runtime.process.service_logs import ServiceLogs
from worker.runtime.process.spawn import Confinement, Spawned, spawn
from worker.runtime.process.stored import remove_if_present
from worker.runtime.process.toolchains import (
    choose_tools,
    list_tool_folders,
    substitute,
    tool_environment,
)
from worker.runtime.service_link import ServiceLink, name_link

_LOAD = "load"
_COMMAND_TEMPORARY_BYTES = 64 * 1024**2
_COPY = ("cp", "--archive", "--sparse=always", "--")
_COPY_S = 300


@dataclass(frozen=True)
class ProcessSetup:
    """The parts that all pods of a process runtime share."""

    k6: Path
    tools: Mapping[str, str]
    groups: GroupTree | None
    sandbox: Sandbox | None


class ProcessPod:
    """Implements `worker.runtime.base.Pod` with processes.

    They share a network namespace. Without a sandbox, or with `uses_host_network`, they use the
    network of the host.
    """

    def __init__(self, setup: ProcessSetup, spec: PodSpec, folder: Path) -> None:
        self._setup = setup
        self._spec = spec
        self._folder = folder
        self._ledger = Ledger(folder, spec.trial_id, spec.attempt)
        self._roles: dict[str, PodRole] = {}
        self._services: dict[str, subprocess.Popen[bytes]] = {}
        self._executions: list[subprocess.Popen[bytes]] = []
        self._meters = {role: Meter() for role in PodRole}
        self._sources: dict[str, CounterSource] = {}
        self._groups: dict[str, Group] = {}
        self._ports: set[int] = set()
        self._removal = threading.Lock()
        owner_id = os.geteuid() if setup.sandbox is None else setup.sandbox.uid
        self._logs = ServiceLogs(folder / "logs", owner_id)
        for name in ("scripts", "logs", "copies", "tmp"):
            (folder / name).mkdir(
                parents=True
            )  # trusted path: services see nothing of it but their own parts
        write_attempt(folder, spec.attempt)
        self._network: HeldNetwork | None = None
        self._link: ServiceLink | None = None
        if setup.sandbox is not None and not spec.uses_host_network:
            try:
                self._network = HeldNetwork(setup.sandbox, self._ledger.add_process)
                if spec.service_address:
                    name = name_link(spec.trial_id, spec.attempt)
                    self._link = ServiceLink(
                        name, spec.service_address, self._network.namespace.pid
                    )
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
        return ServiceNetwork.HOST if self._network is None else ServiceNetwork.OWN

    @property
    def listen_address(self) -> str:
        """Return the service address, or all addresses of the pod's own network."""
        if self._link is not None:
            return ALL_ADDRESSES
        return self._spec.service_address or LOOPBACK

    def reserve_port(self, preferred: int) -> int:
        """Return a loopback port that no other service of this pod gets."""
        if self._network is not None:
            return preferred
        port = find_free_port(self._ports | {preferred})
        self._ports.add(port)
        return port

    def expose_port(self) -> int:
        """Return a free port of this host; if the pod has its own network, it leads there."""
        if not self._spec.service_address:
            raise RuntimeFailure("This pod has no service address.")
        port = find_free_port(self._ports)
        self._ports.add(port)
        if self._link is not None:
            self._link.expose(port)
        return port

    def start(self, spec: ServiceSpec) -> StartedService:
        """Start a service in its built folder; raises `StartFailed`."""
        if spec.name in self._services:
            raise StartFailed(f"There is a service named {spec.name} in this trial already.", "")
        if spec.request.process is None:
            raise StartFailed(f"{spec.request.slug} has no [process] table in its manifest.", "")
        tools = choose_tools(spec.request, self._setup.tools)
        given = {**spec.list_variables(self._spec.cpus), "HOST": spec.address}
        log = self._logs.create(spec.name)
        spawned = self._spawn(
            substitute(spec.command or spec.request.process.run, tools),
            Path(spec.artifact.reference),
            self._environment(given, tools),
            spec.role,
            group=self._find_group(spec.name, spec.role, spec.memory_mb),
            outputs=(log, subprocess.STDOUT),
            confinement=self._confine(spec, tools, log),
        )
        group = self._groups.get(spec.name)
        self._sources[spec.name] = group.cgroup if group else ProcessTree(spawned.pid)
        self._services[spec.name] = spawned.process
        self._roles[spec.name] = spec.role
        return StartedService(spec.name, spawned.started_ns)

    def put_files(self, files: Mapping[str, bytes]) -> str:
        """Store files in the trial's scripts folder; return its path."""
        return self._store("scripts", files)

    def put_data(self, files: Mapping[str, bytes]) -> str:
        """Store files in the trial's data folder, which scripts may change; return its path."""
        folder = self._store("data", files)
        if self._setup.sandbox is not None and self._setup.sandbox.is_root:
            for path in (folder, *(os.path.join(folder, name) for name in files)):  # noqa: PTH118
                # trusted path: no service or script has run yet
                os.chown(path, LOAD_UID, LOAD_UID)
        return folder

    # trusted paths: services only read these folders
    def _store(self, place: str, files: Mapping[str, bytes]) -> str:
        check_file_names(files)
        for name, content in files.items():
            path = self._folder / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return str(self._folder / place)

    def execute(self, command: Sequence[str], environment: Mapping[str, str]) -> ProcessExecution:
        """Run a command on the load CPUs; raises `RuntimeFailure`."""
        binary = str(self._setup.k6) if command[0] == "k6" else command[0]
        spawned = self._spawn(
            [binary, *command[1:]],
            self._folder / "scripts",
            self._environment(environment, self._setup.tools),
            PodRole.LOAD,
            group=self._find_group(_LOAD, PodRole.LOAD, None),
            outputs=(subprocess.PIPE, subprocess.PIPE),
            confinement=self._confine_command(binary),
        )
        self._executions.append(spawned.process)
        return ProcessExecution(spawned.process, spawned.pid)

    def read(self, role: PodRole) -> ResourceReading:
        """Return the counters of a role, summed over its processes."""
        return self._meters[role].read()

    def read_cpu_seconds(self, name: str) -> float:
        """Return the CPU time of a service since its start; raises `RuntimeFailure` if it ended."""
        self._get_service(name)
        return read_cpu_seconds(name, self._sources[name])

    def list_processes(self, role: PodRole) -> list[int]:
        """Return the id of the first process of each running service of a role."""
        found = (self._services[name] for name, own in self._roles.items() if own is role)
        return [process.pid for process in found if process.poll() is None]

    def check(self) -> None:
        """Do nothing: this pod consists of its processes and cannot be lost."""

    def is_running(self, name: str) -> bool:
        """Return whether the service's first process is alive."""
        return self._get_service(name).poll() is None

    def find_exit(self, name: str) -> Exit | None:
        """Return how a service's first process ended; None while it runs."""
        code = self._get_service(name).poll()
        if code is None:
            return None
        group = self._groups.get(name)
        end = Exit.from_code(code)
        is_killed = end.signal_number == signal.SIGKILL
        if is_killed and group is not None and group.has_run_out_of_memory():
            return replace(end, is_out_of_memory=True)
        return end

    def logs(self, name: str) -> str:
        """Return the tail of a service's log."""
        self._get_service(name)
        return self._logs.read(name)

    def remove(self) -> None:
        """Kill all processes of the trial, remove its groups and its folder; repeatable."""
        with self._removal:
            self._logs.close()
            self._ledger.kill()
            if self._network is not None:
                self._network.close()
            for process in (*self._services.values(), *self._executions):
                process.wait()
            remove_groups(self._ledger.groups())
            if self._link is not None:
                self._link.close()
            # If the folder belongs to a later attempt of the trial, leave it.
            if read_attempt(self._folder) == self._spec.attempt:
                remove_if_present(self._folder)

    def _spawn(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        role: PodRole,
        *,
        group: Group | None,
        outputs: tuple[int, int],
        confinement: Confinement | None = None,
    ) -> Spawned:
        def place(pid: int) -> None:
            if group is not None:
                group.place(pid)

        try:
            spawned = spawn(
                command,
                folder=folder,
                environment=environment,
                cpus=self._spec.cpus.of(role),
                record=self._ledger.add_process,
                place=place,
                stdout=outputs[0],
                stderr=outputs[1],
                confinement=confinement,
            )
        except OSError as error:
            raise StartFailed(f"`{' '.join(command)}` cannot be started: {error}.", "") from error
        if group is None:
            self._meters[role].add(ProcessTree(spawned.pid))
        return spawned

    def _environment(self, given: Mapping[str, str], tools: Mapping[str, str]) -> dict[str, str]:
        """Return an environment without the worker's own, which has secrets and affects results."""
        home = "/tmp" if self._setup.sandbox else str(self._folder / "tmp")  # noqa: S108
        base = {"PATH": os.defpath, "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8"}
        own = tool_environment(tools, base)
        marks = {MARK: self._spec.trial_id, ATTEMPT_MARK: str(self._spec.attempt)}
        return {**own, **given, **marks}

    def _confine_command(self, binary: str) -> Confinement | None:
        """Return the sandbox of a command: it reads its scripts and data, and has no rights.

        It reads what a service answers, and another host may have sent its script. Without a
        sandbox the operator has allowed that (`worker/remote/agent.py`).
        """
        sandbox = self._setup.sandbox
        if sandbox is None:
            return None
        scripts, data = self._folder / "scripts", self._folder / "data"
        # trusted path: services only read it, and scripts may change it
        changed = (data,) if data.exists() else ()
        view = View(
            scripts,
            _COMMAND_TEMPORARY_BYTES,
            read_only=(Path(binary), scripts),
            writable=changed,
            uid=LOAD_UID,
        )
        return Confinement(sandbox, view, self._choose_network())

    def _choose_network(self) -> Network | NetworkNamespace:
        return Network.HOST if self._network is None else self._network.namespace

    def _confine(self, spec: ServiceSpec, tools: Mapping[str, str], log: int) -> Confinement | None:
        """Return the sandbox of a service: it sees its build, its toolchain, and maybe the data."""
        sandbox = self._setup.sandbox
        if sandbox is None or spec.request.process is None:
            return None
        build = Path(spec.artifact.reference)
        data = (self._folder / "data",) if spec.has_data else ()
        view = View(
            folder=build,
            temporary_bytes=spec.memory_mb * 1024**2,
            read_only=(build, *data, *list_tool_folders(spec.request.process.requires, tools)),
            copies=()
            if spec.request.docker.read_only
            else (self._copy(sandbox, spec.name, build, log),),
        )
        return Confinement(sandbox, view, self._choose_network())

    def _copy(self, sandbox: Sandbox, name: str, build: Path, log: int) -> tuple[Path, Path]:
        """Return a copy of a build for a service that writes to its own folder, and its path.

        The user of the service copies it: a build may have left links, pipes and sparse files.
        """
        copy = self._folder / "copies" / name
        copy.mkdir()  # trusted path: no service sees the folder of copies itself
        sandbox.own(copy)
        view = View(Path("/"), _COMMAND_TEMPORARY_BYTES, read_only=(build,), writable=(copy,))
        spawned = spawn(
            [*_COPY, f"{build}/.", str(copy)],
            folder=Path("/"),
            environment={"PATH": os.defpath},
            cpus=(),
            record=self._ledger.add_process,
            place=lambda _pid: None,
            stdout=log,
            stderr=subprocess.STDOUT,
            confinement=Confinement(sandbox, view, Network.OWN),
        )
        try:
            code = spawned.process.wait(_COPY_S)
        except subprocess.TimeoutExpired as error:
            spawned.process.kill()
            spawned.process.wait()
            raise StartFailed(f"The build of {name} was not copied in {_COPY_S} s.", "") from error
        if code != 0:
            raise StartFailed(f"The build of {name} cannot be copied.", self._logs.read(name))
        return copy, build

    def _find_group(self, name: str, role: PodRole, memory_mb: int | None) -> Group | None:
        """Return the control group of a role, made on first use; None if groups cannot be made."""
        if self._setup.groups is None:
            return None
        if name not in self._groups:
            full_name = f"{self._spec.trial_id}.{self._spec.attempt}.{name}"
            self._groups[name] = create_group(self._setup.groups, full_name, memory_mb)
            for folder in self._groups[name].folders:
                self._ledger.add_group(folder)
            self._meters[role].add(self._groups[name].cgroup)
        return self._groups[name]

    def _get_service(self, name: str) -> "subprocess.Popen[bytes]":
        if name not in self._services:
            raise RuntimeFailure(f"There is no service named {name} in this trial.")
        return self._services[name]
