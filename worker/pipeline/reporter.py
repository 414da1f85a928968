"""Writes the progress of a trial to the database and the live view."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from backend.core.documents import Failure
from backend.core.models import Trial
from backend.core.runs import repository as runs
from backend.core.runs.live.event_stream import RunStream
from backend.core.runs.live.events import (
    EndEvent,
    LiveEvent,
    LoadSecond,
    LogEvent,
    SampleEvent,
    TrialEvent,
    UsageSecond,
)
from backend.core.runs.status import RUN_ENDS
from backend.core.runs.trials import service as trials
from backend.core.statuses import RunStatus, TrialStatus
from backend.core.tracing import record_spans
from backend.core.units import FailureCause, Phase, RuntimeKind
from worker.monitoring import STAGE_SECONDS, TRIALS, TRIALS_RUNNING
from worker.pipeline.sender import get_sender
from worker.pipeline.trace import list_spans
from worker.stages.assignment import Assignment
from worker.transactions import run_transaction


class Reporter:
    """Writes each stage change in a transaction, and publishes events, which may get lost.

    During an outage of the database, every write waits until the database answers or `is_stopping`
    returns True.
    """

    def __init__(
        self,
        assignment: Assignment,
        queue: str,
        runtime: RuntimeKind,
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """Write nothing yet.

        Args:
            queue: of the bench host, which is in the name of the live view's stream.
        """
        self._assignment = assignment
        self._stream = RunStream(queue, assignment.run_id)
        self._runtime = runtime
        self._is_stopping = is_stopping
        self._stage = TrialStatus.BUILDING
        self._entered = time.monotonic()
        self._begun_ns = time.time_ns()
        self._spent: dict[str, float] = {}
        # One thread, so that stages are written in their order.
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="stage-writer")
        self._written: Future[None] | None = None

    @property
    def stage(self) -> TrialStatus:
        """Return the present stage of the trial."""
        return self._stage

    @property
    def stage_seconds(self) -> dict[str, float]:
        """Return the seconds spent in each stage so far, including the current stage."""
        return self._spent | {self._stage: time.monotonic() - self._entered}

    def begin(self) -> None:
        """Publish that the trial was claimed."""
        TRIALS_RUNNING.set(1)
        self._publish_trial(TrialStatus.BUILDING)

    def enter(self, stage: TrialStatus, *, is_awaited: bool = True) -> None:
        """Enter a stage.

        Without `is_awaited`, do not wait for the database, because a load must not be delayed.

        Raises:
            TakenOver: an earlier write has shown that this worker no longer holds the trial.
        """
        self._spent = self.stage_seconds
        self._stage, self._entered = stage, time.monotonic()
        if self._written is not None and self._written.done():
            self._written.result()
        self._written = self._writer.submit(self._write_stage, stage, self._spent)
        if is_awaited:
            self.flush()
        self._publish_trial(stage)

    def flush(self) -> None:
        """Wait until every stage change is in the database; raises TakenOver."""
        if self._written is not None:
            self._written.result()

    def close(self) -> None:
        """End the writing thread."""
        TRIALS_RUNNING.set(0)
        self._writer.shutdown(wait=True)

    def _write_stage(self, stage: TrialStatus, spent: Mapping[str, float]) -> None:
        def write(session: Session) -> None:
            trial = trials.enter_stage(session, self._assignment.claim, stage, spent)
            trial.runtime = self._runtime

        run_transaction(write, self._is_stopping)

    def end(self, status: TrialStatus) -> None:
        """End the trial, and the run if this was its last trial."""
        if self._written is not None:
            # Ignore the result: a success is written even if a stage could not be written.
            wait([self._written])
        spent = self.stage_seconds
        self._end(
            lambda session: trials.end_trial(
                session, self._assignment.claim, status, stage_seconds=spent
            )
        )

    def fail(self, failure: Failure) -> None:
        """Fail the trial, or queue it again if trials with this cause of failure are repeated."""
        self.flush()
        spent = self.stage_seconds
        self._end(
            lambda session: trials.fail_trial(
                session, self._assignment.claim, failure, stage_seconds=spent
            ),
            failure.cause,
        )

    def give_back(self) -> None:
        """Return the trial to the queue, because this worker must not go on with it."""
        self._end(lambda session: trials.give_back(session, self._assignment.claim))

    def _end(self, work: Callable[[Session], Trial], cause: FailureCause | None = None) -> None:
        spent = self.stage_seconds

        def end(session: Session) -> tuple[Trial, RunStatus]:
            trial = work(session)
            return trial, runs.get_run_row(session, trial.run_id).status

        trial, run_status = run_transaction(end, self._is_stopping)
        result = _describe_result(trial, cause)
        _count(trial, result, cause)
        self._publish_trial(trial.status, trial)
        if run_status in RUN_ENDS:
            self._publish(EndEvent(status=run_status))
        error = None if cause is None else f"cause: {cause}"
        spans = list_spans(self._assignment, self._begun_ns, spent, result, error)
        record_spans(spans, self._assignment.traceparent)

    def sample(self, phase: Phase, second: int, load: LoadSecond, usage: UsageSecond) -> None:
        """Publish a second for the live view."""
        event = SampleEvent(
            trial_id=self._assignment.trial_id,
            cell_id=self._assignment.cell_id,
            phase=phase,
            second=second,
            **dict(load),
            **dict(usage),
        )
        self._publish(event)

    def log(self, name: str, line: str) -> None:
        """Publish a line that a part of the trial wrote, for the live view."""
        trial_id = self._assignment.trial_id
        self._publish(LogEvent(trial_id=trial_id, name=name, line=line[:2000]))

    def _publish_trial(self, status: TrialStatus, trial: Trial | None = None) -> None:
        assignment = self._assignment
        failure = None if trial is None else trial.failure
        event = TrialEvent(
            trial_id=assignment.trial_id,
            cell_id=assignment.cell_id,
            repetition=assignment.repetition,
            status=status,
            at=datetime.now(UTC),
            stage_seconds=self._spent if trial is None else trial.stage_seconds,
            failure=failure,
        )
        self._publish(event)

    def _publish(self, event: LiveEvent) -> None:
        get_sender().put(self._stream, event)


def _describe_result(trial: Trial, cause: FailureCause | None) -> str:
    """Return how an attempt ended, as metrics and traces show it."""
    if trial.status == TrialStatus.QUEUED:
        return "returned" if cause is None else "repeated"
    return str(trial.status)


def _count(trial: Trial, result: str, cause: FailureCause | None) -> None:
    """Count an attempt that ended, and the stages of a trial that succeeded."""
    if trial.status == TrialStatus.SUCCEEDED:
        for stage, seconds in trial.stage_seconds.items():
            STAGE_SECONDS.labels(stage).observe(seconds)
    TRIALS.labels(result, cause or "").inc()
