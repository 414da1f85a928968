"""Cross-check a measurement with a second, independent load generator, in calibrations."""

from math import ceil

from backend.core.documents import CrossCheckReading
from backend.core.errors import LoadFailed
from backend.core.units import ProfileKind
from worker.loadgen.command import load_environment
from worker.loadgen.cross_check import (
    PLAIN_SCRIPT,
    CrossCheckGenerator,
    CrossCheckLoad,
    choose_generator,
)
from worker.loadgen.output import await_exit
from worker.runtime.base import Pod, PodRole
from worker.stages.assignment import Assignment
from worker.stages.context import TrialContext
from worker.stages.diagnosis import check_parts
from worker.stages.start import ReadyService

# The scenario's parameter that requests it.
_PARAMETER = "second_generator"
_KINDS = frozenset({ProfileKind.RATE, ProfileKind.SATURATE})
_SLACK_SECONDS = 60
# Connections that are ready at a rate, for answers that take up to this long.
_READY_SECONDS = 0.1
_LEAST_CONNECTIONS = 10
_SHOWN_CHARACTERS = 300


def is_cross_check_first(assignment: Assignment) -> bool:
    """Return whether the cross-check runs first: in every other trial of a cell.

    A drift of the machine then affects both load generators equally.
    """
    return assignment.repetition % 2 == 0


def run_cross_check(
    context: TrialContext, pod: Pod, service: ReadyService, path: str
) -> CrossCheckReading | None:
    """Send the trial's load for a cross-check; return None if none is requested.

    Args:
        path: the scenario's path.

    Raises:
        LoadFailed: the cross-check generator failed, or got wrong answers.
        ServiceDied: the service ended under load.
    """
    assignment = context.assignment
    if not assignment.parameters.get(_PARAMETER):
        return None
    if assignment.kind not in _KINDS:
        raise LoadFailed(f"A load of kind {assignment.kind} cannot be cross-checked.")
    pod.put_files({PLAIN_SCRIPT.name: PLAIN_SCRIPT.read_bytes()})
    generator = choose_generator(
        assignment.kind, context.bench.runtime.kind, f"{service.folder}/{PLAIN_SCRIPT.name}"
    )
    load = _plan_load(context, service, pod, path)
    context.watch.set_deadline(load.warm_up_seconds + load.duration_seconds + _SLACK_SECONDS)
    reading = CrossCheckReading(
        generator=_read_version(context, pod, generator),
        is_first=is_cross_check_first(assignment),
        metrics=dict(generator.read(_send(context, pod, generator, load))),
    )
    context.watch.set_deadline(None)
    return reading


def _plan_load(context: TrialContext, service: ReadyService, pod: Pod, path: str) -> CrossCheckLoad:
    parameters = context.assignment.parameters
    rate_rps = parameters.get("rate_rps", 0)
    connections = max(_LEAST_CONNECTIONS, ceil(rate_rps * _READY_SECONDS))
    nonce = f"{context.assignment.seed:016x}"[:16]
    return CrossCheckLoad(
        url=f"{service.environment['TACHO_TARGET']}{path}?nonce={nonce}",
        warm_up_seconds=parameters["warm_up_seconds"],
        duration_seconds=parameters["duration_seconds"],
        connections=parameters.get("connections", connections),
        rate_rps=rate_rps,
        threads=len(pod.cpus.of(PodRole.LOAD)),
    )


def _read_version(context: TrialContext, pod: Pod, generator: CrossCheckGenerator) -> str:
    """Return the first line of its output without the copyright that wrk adds."""
    execution = pod.execute(generator.version_command, {})
    lines = list(execution.lines())
    context.watch.check()
    await_exit(execution)  # wrk's code is 1
    if not lines:
        raise LoadFailed(
            f"The cross-check generator did not report its version: {execution.stderr}"
        )
    return lines[0].partition("(")[0].partition("[")[0].strip()


def _send(
    context: TrialContext, pod: Pod, generator: CrossCheckGenerator, load: CrossCheckLoad
) -> str:
    """Return the output of the command that measures."""
    environment = load_environment(load.threads, context.bench.load_memory_bytes)
    output = ""
    for command in generator.list_commands(load):
        execution = pod.execute(command, {**environment, **generator.environment(load)})
        output = "\n".join(execution.lines())
        context.watch.check()
        check_parts(pod, context.progress.stage)
        end = await_exit(execution)
        if not end.is_success:
            shown = (execution.stderr or output).strip()[-_SHOWN_CHARACTERS:]
            raise LoadFailed(f"The cross-check generator {end.describe()}. Its output: {shown}")
    return output
