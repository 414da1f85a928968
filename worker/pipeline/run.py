"""Runs a claimed trial, and stores how it ended."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager

from sqlalchemy.orm import Session

from backend.core.errors import LoadFailed, TachoError, TakenOver
from backend.core.measurement.measurements import repository as measurements
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.repository import AssignedTrial
from backend.core.runs.trials.service import describe_failure
from backend.core.statuses import TrialStatus
from worker.bench.bench import Bench
from worker.pipeline.collect import collect
from worker.pipeline.lease import Lease
from worker.pipeline.reporter import Reporter
from worker.stages.assignment import Assignment
from worker.stages.context import TrialContext
from worker.stages.runner import run_stages
from worker.stages.watch import Stop, Watch
from worker.transactions import WorkerStopping, run_transaction

_log = logging.getLogger(__name__)

# Measures a trial and stores its results.
Measure = Callable[[TrialContext], None]
Listen = Callable[[Callable[[], None]], AbstractContextManager[None]]


def measure_and_collect(context: TrialContext) -> None:
    """Run all stages of a trial; raise as `run_stages` does."""
    run_stages(context, collect)


def to_assignment(trial: AssignedTrial) -> Assignment:
    """Return the assignment of a claimed trial."""
    return Assignment(
        trial_id=trial.trial_id,
        attempt=trial.attempt,
        run_id=trial.run_id,
        cell_id=trial.cell_id,
        repetition=trial.repetition,
        framework=trial.framework,
        scenario=trial.scenario,
        kind=trial.kind,
        parameters=trial.parameters,
        seed=trial.trial_id.int % 2**31,
        builds=trial.builds,
        # A confirmation run measures an earlier build, whose files are no longer in the folder.
        framework_digest=None if trial.builds else trial.framework_digest,
        scenario_digest=trial.scenario_digest,
        load_hosts=tuple(trial.load_hosts),
        queued_at=trial.queued_at,
        traceparent=trial.traceparent,
        request_id=trial.request_id,
    )


def run_trial(
    bench: Bench,
    assignment: Assignment,
    is_stopping: Callable[[], bool],
    listen: Listen,
    measure: Measure = measure_and_collect,
) -> None:
    """Run a claimed trial and store how it ended; leave nothing running.

    Args:
        is_stopping: whether the worker is being stopped; the trial then goes back to the queue.
        listen: returns a context in which signals to the host wake the watch up.
        measure: enters the stages of the trial and stores its results.
    """
    lease = Lease(assignment.claim)
    reporter = Reporter(assignment, bench.queue, bench.runtime.kind, is_stopping)
    reporter.begin()
    try:
        with (
            Watch(assignment.trial_id, is_stopping, lease.find_stop) as watch,
            listen(watch.wake_up),
        ):
            context = TrialContext(bench, assignment, reporter, watch, is_stopping)
            try:
                measure(context)
            except (TakenOver, WorkerStopping):
                raise
            except TachoError as failure:
                _end_early(context, reporter, failure)
            else:
                reporter.end(TrialStatus.SUCCEEDED)
    except TakenOver as taken:
        _log.warning("trial %s was taken over: %s", assignment.trial_id, taken.detail)
    except WorkerStopping as stopping:
        _log.warning("trial %s will be recovered later: %s", assignment.trial_id, stopping.detail)
    finally:
        reporter.close()


def _end_early(context: TrialContext, reporter: Reporter, error: TachoError) -> None:
    """Store the end of a trial that was stopped or failed."""
    reason = context.watch.reason
    if reason is Stop.TAKEN_OVER:
        raise TakenOver("The trial ended or was claimed again while this worker ran it.")
    if reason is Stop.CANCELLED:
        reporter.end(TrialStatus.CANCELLED)
    elif reason in {Stop.SHUTDOWN, Stop.UPGRADE}:
        reporter.give_back()
    else:
        stage = reporter.stage
        name = stage.replace("_", " ")
        if reason is Stop.OVERDUE:
            error = LoadFailed(
                f"The load generator did not end in time while the trial was {name}, and was "
                "stopped."
            )
        _log.info("trial %s failed while %s: %s", context.assignment.trial_id, name, error.detail)
        _store_logs(context)
        reporter.fail(describe_failure(error, stage))


def _store_logs(context: TrialContext) -> None:
    assignment = context.assignment

    def write(session: Session) -> None:
        trials.hold(session, assignment.claim)
        measurements.put_logs(session, assignment.trial_id, context.logs)

    run_transaction(write, context.is_stopping)
