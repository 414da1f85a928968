"""Start backing services, then peers, then the service; measure the time to its first answers."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from string import Template

from backend.core.catalog.manifest import ADDRESS, Peer
from worker.resources.counters import ResourceReading
from worker.runtime.base import LOOPBACK, Pod, PodRole, ServiceSpec, StartedService, join_address
from worker.sampling.instant import to_monotonic_ns
from worker.stages.build import BuiltProgram, Materials
from worker.stages.context import TrialContext
from worker.stages.diagnosis import explain_preparation
from worker.stages.parts import PREPARATION, SERVICE
from worker.stages.readiness import ReadinessWait
from worker.stages.variables import (
    make_secrets,
    parameters_for,
    prefix_of,
    script_environment,
)

_SERVICE_PORT = 8080
_RPC_PORT = 8180
_PREPARATION_SECONDS = 300
_POLL_SECONDS = 0.05


@dataclass(frozen=True)
class ReadyService:
    """A service that has answered, and the means to send load to it.

    Attributes:
        boot_ms: time from the start of the first peer, or of the service if it has no peers.
        idle: resources of the service before the load.
        environment: variables of the load scripts.
        folder: where the load scripts are in the pod.
    """

    boot_ms: float
    first_response_ms: float
    idle: ResourceReading
    environment: Mapping[str, str]
    folder: str


@dataclass(frozen=True)
class _PlannedPeer:
    """A peer with its ports. `variables` give its address to the other services."""

    peer: Peer
    program: BuiltProgram
    port: int
    rpc_port: int

    @property
    def variables(self) -> dict[str, str]:
        prefix = prefix_of(self.peer.name)
        return {f"{prefix}_URL": _url(self.port), f"{prefix}_RPC_PORT": str(self.rpc_port)}


def start(context: TrialContext, pod: Pod, materials: Materials) -> ReadyService:
    """Start all services and wait until they answer.

    Raises:
        StartFailed: with the service's output.
    """
    return _Starter(context, pod, materials).start()


class _Starter:
    """Starts the services of a trial in a pod."""

    def __init__(self, context: TrialContext, pod: Pod, materials: Materials) -> None:
        self._context = context
        self._assignment = context.assignment
        self._pod = pod
        self._materials = materials
        self._secrets = make_secrets(materials)
        # Variables of the service and its peers, and further variables of the peers.
        self._shared: dict[str, str] = {}
        self._for_peers: dict[str, str] = {**self._secrets.peers}

    def start(self) -> ReadyService:
        """Start all services in their order."""
        pod, materials = self._pod, self._materials
        folder = pod.put_files(read_scripts(materials))
        self._start_backing_services()
        self._shared |= self._secrets.shared
        data_folder = pod.put_data(materials.data) if materials.data else None
        if data_folder is not None:
            readers = self._for_peers if materials.scenario.peer_data else self._shared
            readers["DATA_DIR"] = data_folder
        peers = self._plan_peers()
        for peer in peers:
            self._shared |= peer.variables
        self._shared |= parameters_for("service", self._assignment, materials)
        started = [self._start_peer(peer) for peer in peers]
        port, target = self._reserve_target()
        self._prepare(port)
        known = script_environment(
            self._assignment,
            target,
            turn=self._context.turn,
            shared=self._shared,
            data_folder=data_folder,
            trial_secrets=self._secrets,
        )
        wait = ReadinessWait(
            pod,
            target,
            first_path=materials.scenario.path,
            first_body=materials.scenario.first_body,
            ready_path=materials.framework.ready_path,
            environment=known,
        )
        wait.await_polling()
        started.append(self._start_service(port))
        ready = wait.await_ready(SERVICE, self._context.watch)
        began_ns = started[0].started_ns
        ready_ns = to_monotonic_ns(ready.ready_wall_ns, not_before_ns=began_ns)
        return ReadyService(
            boot_ms=(ready_ns - began_ns) / 1e6,
            first_response_ms=ready.first_response_ms or 0.0,
            idle=pod.read(PodRole.SERVICE),
            environment=known,
            folder=folder,
        )

    def _start_backing_services(self) -> None:
        """Start the backing services and add their URLs to the shared variables."""
        for slug, (manifest, program) in self._materials.backing_services.items():
            port = url_port = self._pod.reserve_port(manifest.port)
            environment = parameters_for("backing", self._assignment, self._materials)
            if slug in self._materials.scenario.backing_services:
                environment |= self._secrets.backing
            if manifest.rpc_port is not None:
                url_port = self._pod.reserve_port(manifest.rpc_port)
                environment["RPC_PORT"] = str(url_port)
            self._pod.start(_specify(slug, PodRole.BACKING, program, port, environment))
            self._await_ready(slug, port)
            address = join_address(LOOPBACK, url_port)
            self._shared[manifest.url_variable] = manifest.url.replace(ADDRESS, address)

    def _plan_peers(self) -> list[_PlannedPeer]:
        """Reserve the ports of all peers before any of them starts: each needs all ports."""
        return [
            _PlannedPeer(
                peer,
                program,
                port=self._pod.reserve_port(_SERVICE_PORT + index),
                rpc_port=self._pod.reserve_port(_RPC_PORT + index),
            )
            for index, (peer, program) in enumerate(self._materials.peers, start=1)
        ]

    def _start_peer(self, planned: _PlannedPeer) -> StartedService:
        name = planned.peer.name
        # The trial's values come last: a manifest cannot set another upstream, port or secret.
        environment = {
            **planned.peer.environment,
            "PART": name,
            "RPC_PORT": str(planned.rpc_port),
            **self._shared,
            **self._for_peers,
            **self._secrets.parts[name],
        }
        has_data = "DATA_DIR" in self._shared | self._for_peers
        started = self._pod.start(
            _specify(name, PodRole.SERVICE, planned.program, planned.port, environment, has_data)
        )
        self._await_ready(name, planned.port)
        return started

    def _prepare(self, port: int) -> None:
        """Run the command that fills the backing services, if there is one, until it has ended.

        It does not count towards the resources of the service.

        Raises:
            StartFailed: it failed, or took too long; with its output.
        """
        command = self._materials.framework.find_preparation(self._context.bench.runtime.kind)
        if command is None:
            return
        pod = self._pod
        spec = self._specify_service(port)
        pod.start(replace(spec, name=PREPARATION, role=PodRole.BACKING, command=command))
        deadline = time.monotonic() + _PREPARATION_SECONDS
        while (end := pod.find_exit(PREPARATION)) is None:
            self._context.watch.check()
            if time.monotonic() > deadline:
                raise explain_preparation(pod, f"still ran after {_PREPARATION_SECONDS} s")
            time.sleep(_POLL_SECONDS)
        if not end.is_success:
            raise explain_preparation(pod, end.describe())

    def _start_service(self, port: int) -> StartedService:
        return self._pod.start(self._specify_service(port))

    def _specify_service(self, port: int) -> ServiceSpec:
        environment = {
            **expand(self._materials.implemented.environment, self._shared),
            **self._shared,
            **self._secrets.parts[SERVICE],
        }
        program, has_data = self._materials.service, "DATA_DIR" in self._shared
        address = self._pod.listen_address
        return _specify(SERVICE, PodRole.SERVICE, program, port, environment, has_data, address)

    def _reserve_target(self) -> tuple[int, str]:
        """Return the port of the service, and the URL at which the load reaches it."""
        if not self._assignment.load_hosts:
            port = self._pod.reserve_port(self._materials.framework.listening_port)
            return port, _url(port)
        port = self._pod.expose_port()
        return port, _url(port, host=self._context.bench.service_address)

    def _await_ready(self, name: str, port: int) -> None:
        ReadinessWait(self._pod, _url(port)).await_ready(name, self._context.watch)


def expand(environment: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return variables in whose values `${NAME}` is replaced by a known variable."""
    return {name: Template(text).safe_substitute(known) for name, text in environment.items()}


def _url(port: int, host: str = LOOPBACK) -> str:
    return f"http://{join_address(host, port)}"


def read_scripts(materials: Materials) -> dict[str, bytes]:
    """Return the scenario's scripts and their shared library by path within the folder."""
    scenario, lib = materials.scenario_folder, materials.scenario_folder.parent / "lib"
    own = scenario.glob("*.js") if materials.scenario.script is None else scenario.rglob("*")
    scripts = {str(path.relative_to(scenario)): path.read_bytes() for path in own if path.is_file()}
    return scripts | {f"lib/{path.name}": path.read_bytes() for path in lib.glob("*.js")}


def _specify(
    name: str,
    role: PodRole,
    program: BuiltProgram,
    port: int,
    environment: Mapping[str, str],
    has_data: bool = False,
    address: str = LOOPBACK,
) -> ServiceSpec:
    return ServiceSpec(
        name,
        role,
        program.artifact,
        program.request,
        port,
        environment,
        program.request.docker.memory_mb,
        has_data,
        address,
    )
