"""Start: backing services first, then peers, then the service, timed until its first answers."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from backend.core.catalog.manifest import ScenarioManifest
from backend.core.config import get_settings
from backend.core.statuses import TrialStatus
from worker.loadgen.command import ready_command
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import PollingLine, ReadyFailedLine, ReadyLine
from worker.runtime.base import Execution, Pod, ResourceReading, Role, ServiceSpec, StartedService
from worker.runtime.errors import StartFailed
from worker.stages.assignment import Assignment
from worker.stages.build import Built, Materials
from worker.stages.diagnosis import check_parts
from worker.stages.parts import SERVICE
from worker.stages.watch import Watch

_SERVICE_PORT = 8080
_RPC_PORT = 8180
_POLL_SECONDS = 0.2
# Extra time, because the load generator ends its wait by itself.
_SLACK_SECONDS = 30.0


@dataclass(frozen=True)
class Started:
    """A service that has answered. `environment` holds the variables of the load scripts.

    `boot_ms` counts from the start of the first peer, or of the service if it has no peers.
    """

    boot_ms: float
    first_response_ms: float
    idle: ResourceReading
    environment: Mapping[str, str]
    folder: str


@dataclass(frozen=True)
class _Instance:
    """A service of the topology. `variables` give its address to the other services."""

    name: str
    built: Built
    port: int
    environment: Mapping[str, str]
    variables: Mapping[str, str]

    @property
    def url(self) -> str:
        return _url(self.port)


def start(pod: Pod, assignment: Assignment, materials: Materials, watch: Watch) -> Started:
    """Start all services and wait until they answer.

    Raises:
        StartFailed: with the service's output.
    """
    folder = pod.put_files(_scripts(materials))
    secrets = _make_secrets(assignment, materials.scenario.secrets)
    peer_secrets = _make_secrets(assignment, materials.scenario.peer_secrets)
    shared = {**_start_backing_services(pod, assignment, materials, watch), **secrets}
    if materials.data:
        shared["DATA_DIR"] = pod.put_data(materials.data)
    peers = list(_plan_peers(pod, materials))
    for peer in peers:
        shared |= peer.variables
    shared |= _parameters_for("service", assignment, materials)
    part_secrets = _make_part_secrets(assignment, materials)
    begun = [
        _start_peer(pod, peer, {**shared, **peer_secrets, **part_secrets[peer.name]}, watch)
        for peer in peers
    ]
    port = pod.reserve_port(_SERVICE_PORT)
    target = _url(port)
    # The trial's values come last: a manifest cannot set another upstream, port or secret.
    environment = {**materials.implemented.environment, **shared, **part_secrets[SERVICE]}
    known_secrets = {**secrets, **peer_secrets, **_name_by_part(part_secrets)}
    known = _script_environment(assignment, target, shared, known_secrets)
    asked = _ask_first(pod, target, materials.scenario, known)
    asked.await_polling()
    begun.append(pod.start(_spec(SERVICE, Role.SERVICE, materials.service, port, environment)))
    ready = _await_ready(pod, SERVICE, asked, watch)
    return Started(
        boot_ms=(ready.ready_wall_ns - begun[0].started_wall_ns) / 1e6,
        first_response_ms=ready.first_response_ms or 0.0,
        idle=pod.read(Role.SERVICE),
        environment=known,
        folder=folder,
    )


def _start_backing_services(
    pod: Pod, assignment: Assignment, materials: Materials, watch: Watch
) -> dict[str, str]:
    """Start the backing services and return their URLs by variable."""
    urls: dict[str, str] = {}
    for slug, (manifest, built) in materials.backing_services.items():
        port = url_port = pod.reserve_port(manifest.port)
        environment = _parameters_for("backing", assignment, materials)
        if manifest.rpc_port is not None:
            url_port = pod.reserve_port(manifest.rpc_port)
            environment["RPC_PORT"] = str(url_port)
        pod.start(_spec(slug, Role.BACKING, built, port, environment))
        _await_ready(pod, slug, _ask_ready(pod, f"{_url(port)}/health"), watch)
        urls[manifest.url_variable] = _url(url_port, manifest.url_scheme)
    return urls


def _plan_peers(pod: Pod, materials: Materials) -> Iterator[_Instance]:
    """Yield the peers with their ports, before any of them starts: each needs all ports."""
    for index, (peer, built) in enumerate(materials.peers, start=1):
        port, rpc_port = (pod.reserve_port(base + index) for base in (_SERVICE_PORT, _RPC_PORT))
        prefix = _prefix(peer.name)
        own = {**peer.environment, "PART": peer.name, "RPC_PORT": str(rpc_port)}
        variables = {f"{prefix}_URL": _url(port), f"{prefix}_RPC_PORT": str(rpc_port)}
        yield _Instance(peer.name, built, port, own, variables)


def _start_peer(
    pod: Pod, peer: _Instance, shared: Mapping[str, str], watch: Watch
) -> StartedService:
    spec = _spec(peer.name, Role.SERVICE, peer.built, peer.port, {**peer.environment, **shared})
    started = pod.start(spec)
    _await_ready(pod, peer.name, _ask_ready(pod, f"{peer.url}/health"), watch)
    return started


def _url(port: int, scheme: str = "http") -> str:
    return f"{scheme}://127.0.0.1:{port}"


def _scripts(materials: Materials) -> dict[str, bytes]:
    """Return the scenario's scripts and their shared library by path within the folder."""
    scenario, lib = materials.scenario_folder, materials.scenario_folder.parent / "lib"
    scripts = {path.name: path.read_bytes() for path in scenario.glob("*.js")}
    return scripts | {f"lib/{path.name}": path.read_bytes() for path in lib.glob("*.js")}


def _make_secrets(assignment: Assignment, variables: Iterable[str]) -> dict[str, str]:
    """Return secrets by variable. They cannot be derived without the trial's id."""
    return {
        variable: hashlib.sha256(f"{assignment.trial_id}/{variable}".encode()).hexdigest()
        for variable in variables
    }


def _make_part_secrets(assignment: Assignment, materials: Materials) -> dict[str, dict[str, str]]:
    """Return the secrets of each service alone, by its name and by variable."""
    variables = materials.scenario.part_secrets
    secrets = {SERVICE: _make_secrets(assignment, variables)}
    for peer, _ in materials.peers:
        own = _make_secrets(assignment, [f"{peer.name}/{variable}" for variable in variables])
        secrets[peer.name] = dict(zip(variables, own.values(), strict=True))
    return secrets


def _name_by_part(part_secrets: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return part secrets by unique name: a peer's variables get its name as prefix."""
    return {
        variable if part == SERVICE else f"{_prefix(part)}_{variable}": value
        for part, own in part_secrets.items()
        for variable, value in own.items()
    }


def _prefix(peer: str) -> str:
    return peer.upper().replace("-", "_")


def _script_environment(
    assignment: Assignment, target: str, shared: Mapping[str, str], secrets: Mapping[str, str]
) -> dict[str, str]:
    environment = {
        "TACHO_TARGET": target,
        "TACHO_PARAMETERS": json.dumps({"kind": assignment.kind, **assignment.parameters}),
        "TACHO_SEED": str(assignment.seed),
    }
    if "UPSTREAM_URL" in shared:
        environment["TACHO_UPSTREAM"] = shared["UPSTREAM_URL"]
    if "DATA_DIR" in shared:
        environment["TACHO_DATA"] = shared["DATA_DIR"]
    return environment | {f"TACHO_{name}": value for name, value in secrets.items()}


def _parameters_for(role: str, assignment: Assignment, materials: Materials) -> dict[str, str]:
    """Return the scenario's parameters that this role takes from its environment."""
    return {
        variable: str(assignment.parameters[name])
        for name, parameter in materials.scenario.parameters.items()
        for given, variable in parameter.environment.items()
        if given == role
    }


def _spec(
    name: str, role: Role, built: Built, port: int, environment: Mapping[str, str]
) -> ServiceSpec:
    memory_mb = built.request.docker.memory_mb
    return ServiceSpec(name, role, built.artifact, built.request, port, environment, memory_mb)


class _ReadinessWait:
    """A wait for readiness under way in the pod."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.lines = read_lines(execution)

    def await_polling(self) -> None:
        """Wait until the poll runs, so that a fast service's boot is timed to the millisecond."""
        if not isinstance(next(self.lines, None), PollingLine):
            raise explain_death(await_exit(self.execution), self.execution)


def _ask_ready(pod: Pod, health: str) -> _ReadinessWait:
    return _ReadinessWait(
        pod.execute(ready_command("k6", health, timeout_s=get_settings().ready_seconds), {})
    )


def _ask_first(
    pod: Pod, target: str, scenario: ScenarioManifest, environment: Mapping[str, str]
) -> _ReadinessWait:
    """Wait for the service, then send the scenario's first request."""
    command = ready_command(
        "k6",
        f"{target}/health",
        f"{target}{scenario.path}",
        scenario.first_body,
        timeout_s=get_settings().ready_seconds,
    )
    return _ReadinessWait(pod.execute(command, environment))


def _await_ready(pod: Pod, name: str, asked: _ReadinessWait, watch: Watch) -> ReadyLine:
    execution, ready_seconds = asked.execution, get_settings().ready_seconds
    watch.set_deadline(ready_seconds + _SLACK_SECONDS)
    end = None
    while end is None:
        watch.check()
        try:
            end = execution.wait(_POLL_SECONDS)
        except TimeoutError:
            if not pod.is_running(name):
                execution.interrupt()
                check_parts(pod, TrialStatus.STARTING)
    watch.set_deadline(None)
    for parsed in asked.lines:
        if isinstance(parsed, ReadyLine):
            return parsed
        if isinstance(parsed, ReadyFailedLine):
            raise StartFailed(
                f"{name} was not ready after {ready_seconds} s: {parsed.reason}", pod.logs(name)
            )
    watch.check()
    raise explain_death(end, execution)
