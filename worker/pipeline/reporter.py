"""Tells the database and the live view how a trial is going."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from backend.core.db import unit_of_work
from backend.core.models import Trial
from backend.core.runs import repository, trials
from backend.core.runs.status import RUN_ENDS, TrialStatus
from worker.pipeline.assignment import Assignment
from worker.pipeline.sender import get_sender


class Reporter:
    """One short transaction a stage change; events are best effort, the database is the truth."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._stage = TrialStatus.BUILDING
        self._entered = time.monotonic()
        self._spent: dict[str, float] = {}

    @property
    def stage(self) -> TrialStatus:
        """The stage the trial is in."""
        return self._stage

    @property
    def stage_seconds(self) -> dict[str, float]:
        """Seconds spent in each stage so far, the current one included."""
        return self._spent | {self._stage: time.monotonic() - self._entered}

    def begin(self) -> None:
        """Tell the live view that the trial was claimed."""
        self._publish_trial(TrialStatus.BUILDING)

    def enter(self, stage: TrialStatus) -> None:
        """Move on to a stage; raises Conflict when the trial was taken away meanwhile."""
        self._spent = self.stage_seconds
        self._stage, self._entered = stage, time.monotonic()
        self._write_stage(stage)
        self._publish_trial(stage)

    def _write_stage(self, stage: TrialStatus) -> None:
        with unit_of_work() as session:
            trials.enter_stage(session, self._assignment.trial_id, stage, self._spent)

    def end(self, status: TrialStatus, failure: Mapping[str, Any] | None = None) -> None:
        """End the trial, and its run with the last one."""
        with unit_of_work() as session:
            trial = trials.end_trial(
                session,
                self._assignment.trial_id,
                status,
                stage_seconds=self.stage_seconds,
                failure=failure,
            )
        self._publish_trial(status, trial)
        self._publish_end()

    def give_back(self) -> None:
        """Put the trial back into the queue: the worker is being stopped."""
        with unit_of_work() as session:
            trial = trials.give_back(session, self._assignment.trial_id)
        self._publish_trial(TrialStatus(trial.status), trial)
        self._publish_end()

    def sample(self, data: Mapping[str, Any]) -> None:
        """One second for the live view."""
        assignment = self._assignment
        ids = {"trial_id": assignment.trial_id, "cell_id": assignment.cell_id}
        self._publish([("sample", ids | dict(data))])

    def log(self, name: str, line: str) -> None:
        """One line that a part of the trial wrote, for the live view."""
        event = {"trial_id": self._assignment.trial_id, "name": name, "line": line[:2000]}
        self._publish([("log", event)])

    def _publish_trial(self, status: TrialStatus, trial: Trial | None = None) -> None:
        assignment = self._assignment
        event = {
            "trial_id": assignment.trial_id,
            "cell_id": assignment.cell_id,
            "repetition": assignment.repetition,
            "status": status,
            "at": datetime.now(UTC).isoformat(),
            "stage_seconds": self._spent if trial is None else trial.stage_seconds,
            "verdicts": [] if trial is None else trial.verdicts,
            "failure": None if trial is None else trial.failure,
        }
        self._publish([("trial", event)])

    def _publish_end(self) -> None:
        with unit_of_work() as session:
            status = repository.get_run_status(session, self._assignment.run_id)
        if status in RUN_ENDS:
            self._publish([("end", {"status": status})])

    def _publish(self, events: Sequence[tuple[str, dict[str, Any]]]) -> None:
        get_sender().put(self._assignment.run_id, events)
