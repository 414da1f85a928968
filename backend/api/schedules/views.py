"""Schedules as the API shows them."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from backend.api.runs.schemas import CellIn, RunIn
from backend.api.schedules.schemas import OccurrenceOut, ScheduleOut
from backend.core.models import Occurrence, Schedule
from backend.core.schedules import repository
from backend.core.schedules.service import read_request
from backend.core.schedules.timing import describe, list_times

_SHOWN_TIMES = 3
_SHOWN_OCCURRENCES = 10


def schedules_out(session: Session, schedules: Sequence[Schedule]) -> list[ScheduleOut]:
    """With their newest occurrences."""
    ids = [schedule.id for schedule in schedules]
    occurrences = repository.list_occurrences(session, ids, _SHOWN_OCCURRENCES)
    return [_out(schedule, occurrences[schedule.id]) for schedule in schedules]


def _out(schedule: Schedule, occurrences: Sequence[Occurrence]) -> ScheduleOut:
    asked = read_request(schedule)
    now = datetime.now(UTC)
    times: list[datetime] = []
    if schedule.next_at is not None:
        later = list_times(schedule.cron, schedule.time_zone, schedule.next_at, _SHOWN_TIMES - 1)
        # One that is overdue starts within seconds.
        times = [max(schedule.next_at, now.replace(microsecond=0)), *later]
    run = RunIn.model_validate(
        {
            "title": asked.title,
            "host": asked.host,
            "cells": [
                CellIn(
                    framework=cell.framework,
                    scenario=cell.scenario,
                    profile=cell.profile,
                    parameters=cell.parameters,
                )
                for cell in asked.cells
            ],
            "trials": asked.trials,
            "visibility": asked.visibility,
        }
    )
    return ScheduleOut(
        id=schedule.id,
        name=schedule.name,
        cron=schedule.cron,
        time_zone=schedule.time_zone,
        words=describe(schedule.cron),
        enabled=schedule.next_at is not None,
        host=schedule.request["host"],
        visibility=schedule.request["visibility"],
        run=run,
        next_times=times,
        occurrences=[_occurrence_out(one) for one in occurrences],
        created_at=schedule.created_at,
    )


def _occurrence_out(occurrence: Occurrence) -> OccurrenceOut:
    run = occurrence.run
    return OccurrenceOut.model_validate(
        {
            "due_at": occurrence.due_at,
            "status": occurrence.status,
            "reason": occurrence.reason,
            "detail": occurrence.detail,
            "skipped": occurrence.skipped,
            "expected_by": occurrence.expected_by,
            "run_slug": run and run.slug,
            "run_status": run and run.status,
        }
    )
