"""Schedules as the API shows them."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from backend.api.runs.schemas import CellIn, RunIn
from backend.api.schedules.schemas import OccurrenceOut, ScheduleOut
from backend.core.models import Occurrence, Schedule
from backend.core.runs.visibility import STRICTEST_FIRST
from backend.core.schedules import repository
from backend.core.schedules.service import read_request
from backend.core.schedules.timing import describe, list_times
from backend.core.schedules.watch import MissReason

_SHOWN_TIMES = 3
_SHOWN_OCCURRENCES = 10


def schedules_out(
    session: Session, schedules: Sequence[Schedule], listed: Collection[str]
) -> list[ScheduleOut]:
    """With their newest occurrences; runs of other visibilities than `listed` are not named."""
    ids = [schedule.id for schedule in schedules]
    occurrences = repository.list_occurrences(session, ids, _SHOWN_OCCURRENCES)
    return [_out(schedule, occurrences[schedule.id], listed) for schedule in schedules]


def _out(
    schedule: Schedule, occurrences: Sequence[Occurrence], listed: Collection[str]
) -> ScheduleOut:
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
        occurrences=_occurrences_out(occurrences, listed),
        created_at=schedule.created_at,
    )


def _occurrences_out(
    occurrences: Sequence[Occurrence], listed: Collection[str]
) -> list[OccurrenceOut]:
    """Without what names or describes runs that are not of a `listed` visibility."""
    runs = [one.run for one in occurrences if one.run and one.run.visibility in listed]

    def is_whole(one: Occurrence) -> bool:
        if one.run is not None:
            return one.run in runs
        if one.reason != MissReason.PREVIOUS_UNFINISHED or set(STRICTEST_FIRST) <= set(listed):
            return True
        # It names the run before, which may be too old to be among these: better left out then.
        return any(run.slug in one.detail for run in runs)

    return [_occurrence_out(one, is_whole=is_whole(one)) for one in occurrences]


def _occurrence_out(occurrence: Occurrence, *, is_whole: bool) -> OccurrenceOut:
    run = occurrence.run if is_whole else None
    return OccurrenceOut.model_validate(
        {
            "due_at": occurrence.due_at,
            "status": occurrence.status,
            "reason": occurrence.reason,
            "detail": occurrence.detail if is_whole else "",
            "skipped": occurrence.skipped,
            "expected_by": occurrence.expected_by,
            "run_slug": run and run.slug,
            "run_status": run and run.status,
        }
    )
