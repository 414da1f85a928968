"""Start: support first, then the service, timed from its start to its first answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from backend.core.catalog.manifest import DockerRecipe
from backend.core.errors import LoadFailed
from worker.loadgen.command import ready_command
from worker.loadgen.parse import PollingLine, ReadyFailedLine, ReadyLine, parse_line
from worker.pipeline.assignment import Assignment
from worker.pipeline.build import Built, Materials
from worker.pipeline.watch import Watch
from worker.runtime.base import Execution, Pod, ResourceReading, Role, ServiceSpec
from worker.runtime.errors import StartFailed

SERVICE = "service"
_SERVICE_PORT = 8080
_READY_SECONDS = 120
_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Started:
    """A service that has answered. `environment` is what load scripts need to know."""

    boot_ms: float
    first_response_ms: float
    idle: ResourceReading
    environment: Mapping[str, str]
    folder: str


def start(pod: Pod, assignment: Assignment, materials: Materials, watch: Watch) -> Started:
    """Start everything and wait until it answers.

    Raises:
        StartFailed: with the service's words.
    """
    folder = pod.put_files(_scripts(materials))
    urls: dict[str, str] = {}
    for slug, (manifest, built) in materials.supports.items():
        port = pod.reserve_port(manifest.port)
        url = f"http://127.0.0.1:{port}"
        pod.start(
            _spec(
                slug, Role.SUPPORT, built, port, _parameters_for("support", assignment, materials)
            )
        )
        _await_ready(pod, slug, _ask_ready(pod, f"{url}/health"), watch)
        urls[manifest.url_variable] = url
    port = pod.reserve_port(_SERVICE_PORT)
    target = f"http://127.0.0.1:{port}"
    environment = {
        **materials.implemented.environment,
        **urls,
        **_parameters_for("service", assignment, materials),
    }
    asked = _ask_ready(pod, f"{target}/health", f"{target}{materials.scenario.path}")
    asked.await_polling()
    started = pod.start(_spec(SERVICE, Role.SERVICE, materials.service, port, environment))
    ready = _await_ready(pod, SERVICE, asked, watch)
    return Started(
        boot_ms=(ready.ready_wall_ns - started.started_wall_ns) / 1e6,
        first_response_ms=ready.first_response_ms or 0.0,
        idle=pod.read(Role.SERVICE),
        environment=_script_environment(assignment, target, urls),
        folder=folder,
    )


def _scripts(materials: Materials) -> dict[str, bytes]:
    """The scenario's scripts with the library they share, by path within their folder."""
    scenario, lib = materials.scenario_folder, materials.scenario_folder.parent / "lib"
    scripts = {path.name: path.read_bytes() for path in scenario.glob("*.js")}
    return scripts | {f"lib/{path.name}": path.read_bytes() for path in lib.glob("*.js")}


def _script_environment(
    assignment: Assignment, target: str, urls: Mapping[str, str]
) -> dict[str, str]:
    environment = {
        "TACHO_TARGET": target,
        "TACHO_PARAMETERS": json.dumps({"kind": assignment.kind, **assignment.parameters}),
        "TACHO_SEED": str(assignment.seed),
    }
    if "UPSTREAM_URL" in urls:
        environment["TACHO_UPSTREAM"] = urls["UPSTREAM_URL"]
    return environment


def _parameters_for(role: str, assignment: Assignment, materials: Materials) -> dict[str, str]:
    """The scenario's parameters that this role takes from its environment."""
    return {
        variable: str(assignment.parameters[name])
        for name, parameter in materials.scenario.parameters.items()
        for given, variable in parameter.environment.items()
        if given == role
    }


def _spec(
    name: str, role: Role, built: Built, port: int, environment: Mapping[str, str]
) -> ServiceSpec:
    recipe: DockerRecipe = built.request.docker
    return ServiceSpec(
        name, role, built.artifact, built.request, port, environment, recipe.memory_mb
    )


class _Asked:
    """A wait for readiness under way in the pod."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.lines = (parse_line(line) for line in execution.lines())

    def await_polling(self) -> None:
        """Until the poll runs; only then is a fast service's boot timed to the millisecond."""
        if not isinstance(next(self.lines, None), PollingLine):
            raise LoadFailed(f"The wait for readiness did not begin: {self.execution.stderr}")


def _ask_ready(pod: Pod, health: str, first: str | None = None) -> _Asked:
    return _Asked(pod.execute(ready_command("k6", health, first, timeout_s=_READY_SECONDS), {}))


def _await_ready(pod: Pod, name: str, asked: _Asked, watch: Watch) -> ReadyLine:
    execution = asked.execution
    while True:
        watch.check()
        try:
            execution.wait(_POLL_SECONDS)
            break
        except TimeoutError:
            if not pod.is_running(name):
                execution.interrupt()
                raise StartFailed(
                    f"{name} ended with exit code {pod.exit_code(name)} before it was ready; "
                    "see its log.",
                    pod.logs(name),
                ) from None
    for parsed in asked.lines:
        if isinstance(parsed, ReadyLine):
            return parsed
        if isinstance(parsed, ReadyFailedLine):
            raise StartFailed(f"{name} did not get ready: {parsed.reason}", pod.logs(name))
    watch.check()
    raise StartFailed(
        f"Waiting for {name} ended without an answer: {execution.stderr}", pod.logs(name)
    )
