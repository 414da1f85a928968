"""A trial's stages in order, and how each way of ending is written down."""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress

from backend.core.db import unit_of_work
from backend.core.errors import Conflict, TachoError
from backend.core.measurements import repository as measurements
from backend.core.runs import repository
from backend.core.runs.status import TrialStatus
from backend.core.runs.trials import describe_failure
from worker.bench import Bench
from worker.pipeline.assignment import Assignment
from worker.pipeline.build import Materials, build
from worker.pipeline.collect import collect
from worker.pipeline.load import load
from worker.pipeline.reporter import Reporter
from worker.pipeline.start import SERVICE, start
from worker.pipeline.verify import verify
from worker.pipeline.watch import Stop, TrialStopped, Watch
from worker.runtime.base import Pod, PodSpec, Role
from worker.runtime.building import BoundedLog
from worker.runtime.errors import RuntimeFailure

_log = logging.getLogger(__name__)


def run_trial(bench: Bench, assignment: Assignment, is_stopping: Callable[[], bool]) -> None:
    """Run one claimed trial to its end, whatever that is; leaves nothing running.

    Args:
        is_stopping: whether the worker is being stopped; the trial then goes back to the queue.
    """
    reporter = Reporter(assignment)
    reporter.begin()
    try:
        with Watch(assignment, is_stopping) as watch:
            _run_watched(bench, assignment, reporter, watch)
    except Conflict as conflict:
        _log.warning("trial %s was taken from this worker: %s", assignment.trial_id, conflict)


def _run_watched(bench: Bench, assignment: Assignment, reporter: Reporter, watch: Watch) -> None:
    logs: dict[str, str] = {}
    try:
        _run_stages(bench, assignment, reporter, watch, logs)
    except TachoError as error:
        _write_end(reporter, watch, error, logs, assignment)
    except Exception as error:
        # What is under way while the pod is taken away may fail in any manner.
        if not watch.is_stopped():
            raise
        _write_end(reporter, watch, TrialStopped(repr(error)), logs, assignment)
    else:
        _keep_logs(assignment, logs)
        reporter.end(TrialStatus.SUCCEEDED)


def fail_unforeseen(assignment: Assignment, error: Exception) -> None:
    """Write down a trial that met an error nobody foresaw, so that its run still ends."""
    reporter = Reporter(assignment)
    detail = f"{type(error).__name__}: {error}. The worker's log has the trace."
    with unit_of_work() as session:
        stage = repository.get_trial(session, assignment.trial_id).status
    reporter.end(TrialStatus.FAILED, describe_failure(TachoError(detail), stage))


def _run_stages(
    bench: Bench,
    assignment: Assignment,
    reporter: Reporter,
    watch: Watch,
    logs: dict[str, str],
) -> None:
    log = BoundedLog()
    try:
        materials = build(bench, assignment, reporter, watch, log)
    finally:
        if log.text:
            logs["build"] = log.text
    watch.check()
    with unit_of_work() as session:
        repository.get_trial(session, assignment.trial_id).runtime = bench.runtime.kind
    reporter.enter(TrialStatus.STARTING)
    spec = PodSpec(
        str(assignment.run_id), str(assignment.trial_id), bench.cpus, has_data=bool(materials.data)
    )
    with bench.runtime.open_pod(spec) as pod:
        watch.on_stop(pod.remove)
        try:
            _measure(bench, assignment, materials, reporter, watch, pod, logs)
        finally:
            if not watch.is_stopped():
                peers = (peer.name for peer, _ in materials.peers)
                logs |= _read_logs(pod, (SERVICE, *peers, *materials.supports))


def _measure(
    bench: Bench,
    assignment: Assignment,
    materials: Materials,
    reporter: Reporter,
    watch: Watch,
    pod: Pod,
    logs: dict[str, str],
) -> None:
    started = start(pod, assignment, materials, watch)
    reporter.enter(TrialStatus.VERIFYING)
    conformance = verify(pod, started, watch)
    loaded = load(
        pod,
        assignment,
        started,
        reporter,
        watch,
        load_cpus=len(bench.cpus.load),
        memory_bytes=bench.load_memory_bytes,
        with_k6_summary=bench.keeps_k6_summary,
    )
    logs["load"] = loaded.stderr
    reporter.enter(TrialStatus.COLLECTING)
    last = pod.read(Role.SERVICE)
    collect(bench, assignment, materials, started, loaded, last, conformance)


def _read_logs(pod: Pod, names: Iterable[str]) -> dict[str, str]:
    """By name; what was not started when the trial failed has none, and hides no other error."""
    found: dict[str, str] = {}
    for name in names:
        with suppress(RuntimeFailure):
            found[name] = pod.logs(name)
    return found


def _write_end(
    reporter: Reporter,
    watch: Watch,
    error: TachoError,
    logs: dict[str, str],
    assignment: Assignment,
) -> None:
    """By what the watch says first: an error that follows from being stopped is no failure."""
    if watch.reason is Stop.CANCELLED:
        reporter.end(TrialStatus.CANCELLED)
        return
    if watch.reason is Stop.SHUTDOWN:
        reporter.give_back()
        return
    stage = reporter.stage
    detail = error.detail
    if watch.reason is Stop.OVERDUE:
        detail = f"The stage {stage} did not end in time and was stopped. {detail}"
    _log.info("trial %s failed while %s: %s", assignment.trial_id, stage, detail)
    _keep_logs(assignment, logs)
    reporter.end(TrialStatus.FAILED, describe_failure(error, stage, detail))


def _keep_logs(assignment: Assignment, logs: dict[str, str]) -> None:
    with unit_of_work() as session:
        measurements.put_logs(session, assignment.trial_id, logs)
