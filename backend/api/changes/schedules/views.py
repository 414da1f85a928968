"""Schedules as the API shows them."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from backend.api.changes.schedules.schemas import ScheduledRunOut, ScheduleOut
from backend.api.runs.schemas import CellIn, RunIn
from backend.api.runs.views import goal_fields
from backend.core.changes.schedules import repository
from backend.core.changes.schedules.repository import ScheduledRunRow
from backend.core.changes.schedules.service import read_request
from backend.core.changes.schedules.timing import describe, list_later_times
from backend.core.models import Schedule
from backend.core.people.access.viewer import Viewer
from backend.core.runs.visibility import lists
from backend.core.statuses import MissReason, Visibility

_SHOWN_TIMES = 3
_SHOWN_SCHEDULED_RUNS = 10


def schedules_out(
    session: Session, schedules: Sequence[Schedule], viewer: Viewer
) -> list[ScheduleOut]:
    """Return schedules with their newest scheduled runs.

    Only runs that the viewer sees are named.
    """
    ids = [schedule.id for schedule in schedules]
    scheduled_runs = repository.list_scheduled_runs(session, ids, _SHOWN_SCHEDULED_RUNS)
    return [_out(schedule, scheduled_runs[schedule.id], viewer) for schedule in schedules]


def _out(
    schedule: Schedule, scheduled_runs: Sequence[ScheduledRunRow], viewer: Viewer
) -> ScheduleOut:
    request = read_request(schedule)
    now = datetime.now(UTC)
    times: list[datetime] = []
    if schedule.next_at is not None:
        later = list_later_times(
            schedule.cron, schedule.time_zone, schedule.next_at, _SHOWN_TIMES - 1
        )
        # An overdue run starts within seconds.
        times = [max(schedule.next_at, now.replace(microsecond=0)), *later]
    run = RunIn.model_validate(
        {
            "title": request.title,
            "host": request.host,
            "hosts": request.hosts,
            "load_hosts": list(request.load_hosts),
            "cells": [CellIn.of(cell, framework_digest=None) for cell in request.cells],
            "trials": request.trials,
            **goal_fields(request.goal),
            "visibility": request.visibility,
        }
    )
    return ScheduleOut.of(
        schedule,
        words=describe(schedule.cron),
        enabled=schedule.next_at is not None,
        visibility=schedule.request.visibility,
        run=run,
        next_times=times,
        scheduled_runs=_scheduled_runs_out(schedule, scheduled_runs, viewer),
    )


def _scheduled_runs_out(
    schedule: Schedule, scheduled_runs: Sequence[ScheduledRunRow], viewer: Viewer
) -> list[ScheduledRunOut]:
    """Without what names or describes runs that the viewer does not see."""
    slugs = {each.run_slug for each in scheduled_runs if each.has_run_for(viewer)}

    def is_whole(scheduled_run: ScheduledRunRow) -> bool:
        if scheduled_run.run_slug is not None:
            return scheduled_run.run_slug in slugs
        sees_all = lists(viewer, schedule.workspace_id, Visibility.PRIVATE)
        if sees_all or scheduled_run.reason != MissReason.PREVIOUS_UNFINISHED:
            return True
        # The detail names the previous run. Hide it unless that run is known to be readable.
        return any(slug and slug in scheduled_run.detail for slug in slugs)

    hidden = {"detail": "", "run_slug": None, "run_status": None, "run_summary": None}
    return [
        ScheduledRunOut.of(each, **({} if is_whole(each) else hidden)) for each in scheduled_runs
    ]
