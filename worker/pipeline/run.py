"""Runs a trial's stages in order, and stores how it ended."""

import logging
from collections.abc import Callable

from sqlalchemy.orm import Session

from backend.core.config import get_settings
from backend.core.errors import LoadFailed, TachoError, TakenOver
from backend.core.measurements import repository as measurements
from backend.core.runs import trials
from backend.core.runs.trials import describe_failure
from backend.core.statuses import TrialStatus
from worker.bench import Bench
from worker.pipeline.collect import collect
from worker.pipeline.reporter import Reporter
from worker.runtime.base import Pod, PodSpec, Role
from worker.runtime.building import BoundedLog
from worker.stages.assignment import Assignment
from worker.stages.build import Materials, build
from worker.stages.diagnosis import check_parts, explain_failure, read_log
from worker.stages.full_disk import find_full_disk
from worker.stages.load import load
from worker.stages.start import start
from worker.stages.verify import verify
from worker.stages.watch import Stop, TrialStopped, Watch
from worker.transactions import WorkerStopping, run_transaction

_log = logging.getLogger(__name__)


def run_trial(
    bench: Bench,
    assignment: Assignment,
    is_stopping: Callable[[], bool],
    keep_host: Callable[[], object] = lambda: None,
) -> None:
    """Run a claimed trial to any end, and leave nothing running.

    Args:
        is_stopping: whether the worker is being stopped; the trial then goes back to the queue.
        keep_host: called every few seconds: it keeps the lock of the bench host.
    """
    reporter = Reporter(assignment, is_stopping)
    reporter.begin()
    try:
        with Watch(assignment, is_stopping, keep_host) as watch:
            _run_watched(bench, assignment, reporter, watch, is_stopping)
    except TakenOver as taken:
        _log.warning("trial %s was taken over: %s", assignment.trial_id, taken.detail)
    except WorkerStopping as stopping:
        _log.warning("trial %s is left to be recovered: %s", assignment.trial_id, stopping.detail)
    finally:
        reporter.close()


def _run_watched(
    bench: Bench,
    assignment: Assignment,
    reporter: Reporter,
    watch: Watch,
    is_stopping: Callable[[], bool],
) -> None:
    logs: dict[str, str] = {}

    def keep_logs() -> None:
        run_transaction(lambda session: _put_logs(session, assignment, logs), is_stopping)

    try:
        _run_stages(bench, assignment, reporter, watch, is_stopping, logs)
    except (TakenOver, WorkerStopping):
        raise
    except Exception as error:  # noqa: BLE001  a trial's edge: whatever happens, it must end
        failure = _explain(bench, assignment, watch, error)
        _write_end(reporter, watch, failure, assignment, keep_logs)
    else:
        reporter.end(TrialStatus.SUCCEEDED)


def _explain(bench: Bench, assignment: Assignment, watch: Watch, error: Exception) -> TachoError:
    if watch.is_stopped():
        # Any error may follow from the removal of the pod.
        return error if isinstance(error, TachoError) else TrialStopped(repr(error))
    if full := find_full_disk(error, get_settings().data, bench.runtime.kind):
        return full
    if isinstance(error, TachoError):
        return error
    _log.error("trial %s failed by an error in Tacho", assignment.trial_id, exc_info=error)
    return explain_internal(assignment, bench.name)


def explain_internal(assignment: Assignment, host_name: str) -> TachoError:
    """Return the failure of a trial that met an unexpected error."""
    return TachoError(
        f"Tacho met an error of its own. Quote the id {assignment.trial_id} in a bug report: the "
        f"worker's log on the host {host_name} has the details under this id."
    )


def _run_stages(
    bench: Bench,
    assignment: Assignment,
    reporter: Reporter,
    watch: Watch,
    is_stopping: Callable[[], bool],
    logs: dict[str, str],
) -> None:
    log = BoundedLog()
    try:
        materials = build(bench, assignment, reporter, watch, log)
    finally:
        if log.text:
            logs["build"] = log.text
    watch.check()

    def note_runtime(session: Session) -> None:
        trials.hold(session, assignment.claim).runtime = bench.runtime.kind

    run_transaction(note_runtime, is_stopping)
    reporter.enter(TrialStatus.STARTING)
    spec = PodSpec(
        str(assignment.run_id),
        str(assignment.trial_id),
        bench.cpus,
        has_data=bool(materials.data),
        attempt=assignment.attempt,
    )
    with bench.runtime.open_pod(spec) as pod:
        watch.on_stop(pod.remove)
        try:
            _measure(bench, assignment, materials, reporter, watch, pod, logs, is_stopping)
        except (TakenOver, WorkerStopping):
            raise
        except TachoError as error:
            if watch.is_stopped():
                raise
            raise explain_failure(pod, error, reporter.stage) from error
        finally:
            if not watch.is_stopped():
                logs |= _read_logs(pod)


def _measure(
    bench: Bench,
    assignment: Assignment,
    materials: Materials,
    reporter: Reporter,
    watch: Watch,
    pod: Pod,
    logs: dict[str, str],
    is_stopping: Callable[[], bool],
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
    # The database may be down: reading from the pod must not wait for it.
    reporter.enter(TrialStatus.COLLECTING, is_awaited=False)
    last = pod.read(Role.SERVICE)
    check_parts(pod, reporter.stage)
    logs |= _read_logs(pod)
    kept = dict(logs)

    def put_logs(session: Session) -> None:
        measurements.put_logs(session, assignment.trial_id, kept)

    collect(bench, assignment, materials, started, loaded, last, conformance, put_logs, is_stopping)


def _read_logs(pod: Pod) -> dict[str, str]:
    """Return logs by name; a log that cannot be read is empty and hides no other error."""
    return {name: read_log(pod, name) for name in pod.services}


def _write_end(
    reporter: Reporter,
    watch: Watch,
    error: TachoError,
    assignment: Assignment,
    keep_logs: Callable[[], None],
) -> None:
    """Store the end of a trial. An error that follows from a stop is no failure."""
    if watch.reason is Stop.TAKEN_OVER:
        raise TakenOver("The trial ended or was claimed again while this worker ran it.")
    if watch.reason is Stop.CANCELLED:
        reporter.end(TrialStatus.CANCELLED)
        return
    if watch.reason is Stop.SHUTDOWN:
        reporter.give_back()
        return
    stage = reporter.stage
    if watch.reason is Stop.OVERDUE:
        error = LoadFailed(
            f"The load generator did not end in time while the trial was {_name(stage)}, and was "
            "stopped."
        )
    _log.info("trial %s failed while %s: %s", assignment.trial_id, _name(stage), error.detail)
    keep_logs()
    reporter.fail(describe_failure(error, stage))


def _put_logs(session: Session, assignment: Assignment, logs: dict[str, str]) -> None:
    trials.hold(session, assignment.claim)
    measurements.put_logs(session, assignment.trial_id, logs)


def _name(stage: TrialStatus) -> str:
    return stage.replace("_", " ")
