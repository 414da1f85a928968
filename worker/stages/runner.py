"""Runs the stages of a trial in their order, and finds the party at fault when a stage fails."""

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from backend.core.config import get_settings
from backend.core.documents import CrossCheckReading
from backend.core.errors import TachoError, TakenOver
from backend.core.statuses import TrialStatus
from worker.resources.counters import ResourceReading
from worker.runtime.base import Pod, PodRole, PodSpec
from worker.runtime.cpus import limit_service
from worker.runtime.topology import read_cores
from worker.stages.build import Materials, build
from worker.stages.context import TrialContext
from worker.stages.cross_check import is_cross_check_first, run_cross_check
from worker.stages.diagnosis import check_parts, explain_failure, read_logs
from worker.stages.full_disk import find_full_disk
from worker.stages.load import FinishedLoad, load
from worker.stages.start import ReadyService, start
from worker.stages.verify import Verification, verify, verify_again
from worker.stages.watch import TrialStopped
from worker.transactions import WorkerStopping

_log = logging.getLogger(__name__)

Result = TypeVar("Result")

# After these errors the worker must not end the trial: another worker runs it, or it is recovered.
_NOT_FAILURES = (TakenOver, WorkerStopping)


@dataclass(frozen=True)
class StageOutputs:
    """The outputs of the stages before the last stage.

    Attributes:
        before, after: the verifications before and after the load.
        peer_cpu_seconds: CPU time of each peer under the load, by its name.
        last: resources of the service at the end of the load.
        cross_check: None if the trial requests none.
    """

    materials: Materials
    ready: ReadyService
    before: Verification
    load: FinishedLoad
    last: ResourceReading
    after: Verification
    peer_cpu_seconds: Mapping[str, float] = field(default_factory=dict)
    cross_check: CrossCheckReading | None = None


LastStage = Callable[[TrialContext, Pod, StageOutputs], Result]


def run_stages(context: TrialContext, last_stage: LastStage[Result]) -> Result:
    """Run the stages of a trial and return the output of the last one; leave nothing running.

    Args:
        last_stage: called with the outputs of all stages before it, while the services still run.

    Raises:
        TakenOver: another attempt has claimed the trial.
        WorkerStopping: the worker is being stopped while the database does not answer.
        TachoError: any other error; it names the party at fault.
    """
    try:
        context = _limit_cores(context)
        materials = build(context)
        context.watch.check()
        context.progress.enter(TrialStatus.STARTING)
        with context.bench.runtime.open_pod(_specify_pod(context, materials)) as pod:
            context.watch.on_stop(pod.remove)
            return _run_in_pod(context, pod, materials, last_stage)
    except _NOT_FAILURES:
        raise
    except Exception as error:
        failure = _attribute(context, error)
        if failure is error:
            raise
        raise failure from error


def _limit_cores(context: TrialContext) -> TrialContext:
    """Return the context with the cores of the service that the cell requests."""
    count = context.assignment.parameters.get("cores")
    if count is None:
        return context
    cores = read_cores(os.sched_getaffinity(0))
    cpus = limit_service(context.bench.cpus, count, cores)
    return replace(context, bench=replace(context.bench, cpus=cpus))


def _specify_pod(context: TrialContext, materials: Materials) -> PodSpec:
    assignment = context.assignment
    return PodSpec(
        str(assignment.run_id),
        str(assignment.trial_id),
        context.bench.cpus,
        has_data=bool(materials.data),
        attempt=assignment.attempt,
        service_address=context.bench.service_address if assignment.load_hosts else "",
    )


def _run_in_pod(
    context: TrialContext, pod: Pod, materials: Materials, last_stage: LastStage[Result]
) -> Result:
    try:
        ready = start(context, pod, materials)
        context.progress.enter(TrialStatus.VERIFYING)
        before = verify(context, pod, ready)
        if context.on_verified is not None:
            context.on_verified(pod, materials, ready)
        if context.turn is not None:
            context.turn.await_other()
            context.watch.check()
        idle_seconds = _read_peers(pod, materials)
        finished, cross_check = _load_and_cross_check(context, pod, ready, materials)
        # The database may be down: what must be read from the pod now cannot wait for it.
        context.progress.enter(TrialStatus.COLLECTING, is_awaited=False)
        last = pod.read(PodRole.SERVICE)
        cpu_seconds = _read_peers(pod, materials)
        sent, answered = finished.end.checks.sent, finished.end.checks.answered
        after = verify_again(context, pod, ready, has_leftovers=sent > answered)
        check_parts(pod, TrialStatus.COLLECTING)
        used = {name: seconds - idle_seconds[name] for name, seconds in cpu_seconds.items()}
        outputs = StageOutputs(
            materials, ready, before, finished, last, after, used, cross_check=cross_check
        )
        return last_stage(context, pod, outputs)
    except _NOT_FAILURES:
        raise
    except Exception as error:
        if context.watch.is_stopped():
            raise
        failure = error
        if isinstance(error, TachoError):
            failure = explain_failure(pod, error, context.progress.stage)
        context.logs.update(read_logs(pod))
        if failure is error:
            raise
        raise failure from error


def _read_peers(pod: Pod, materials: Materials) -> dict[str, float]:
    """Return the CPU time of each peer since its start."""
    return {peer.name: pod.read_cpu_seconds(peer.name) for peer, _ in materials.peers}


def _load_and_cross_check(
    context: TrialContext, pod: Pod, ready: ReadyService, materials: Materials
) -> tuple[FinishedLoad, CrossCheckReading | None]:
    """Send the load, and in calibrations also that of the cross-check before or after it."""
    path = materials.scenario.path
    if is_cross_check_first(context.assignment):
        cross_check = run_cross_check(context, pod, ready, path)
        return load(context, pod, ready, materials), cross_check
    finished = load(context, pod, ready, materials)
    return finished, run_cross_check(context, pod, ready, path)


def _attribute(context: TrialContext, error: Exception) -> TachoError:
    """Return the failure behind an error that ended the trial."""
    if context.watch.is_stopped():
        # Any error may follow from the removal of the pod.
        return error if isinstance(error, TachoError) else TrialStopped(repr(error))
    if full := find_full_disk(error, get_settings().data, context.bench.runtime.kind):
        return full
    if isinstance(error, TachoError):
        return error
    trial_id, host_name = context.assignment.trial_id, context.bench.name
    _log.error("trial %s failed by an error in Tacho", trial_id, exc_info=error)
    return TachoError(
        f"Tacho met an error of its own. Quote the id {trial_id} in a bug report: the worker's log "
        f"on the host {host_name} has the details under this id."
    )
