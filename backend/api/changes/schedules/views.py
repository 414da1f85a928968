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
            "cells": [
                CellIn(
                    framework=cell.framework,
                    scenario=cell.scenario,
                    profile=cell.profile,
                    parameters={**cell.parameters},
                )
                for cell in request.cells
            ],
            "trials": request.trials,
            **goal_fields(request.goal),
            "visibility": request.visibility,
        }
    )
    return ScheduleOut(
        id=schedule.id,
        name=schedule.name,
        cron=schedule.cron,
        time_zone=schedule.time_zone,
        words=describe(schedule.cron),
        enabled=schedule.next_at is not None,
        host=schedule.host,
        visibility=schedule.request.visibility,
        run=run,
        next_times=times,
        scheduled_runs=_scheduled_runs_out(schedule, scheduled_runs, viewer),
        created_at=schedule.created_at,
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

    return [_scheduled_run_out(each, is_whole=is_whole(each)) for each in scheduled_runs]


def _scheduled_run_out(scheduled_run: ScheduledRunRow, *, is_whole: bool) -> ScheduledRunOut:
    return ScheduledRunOut(
        due_at=scheduled_run.due_at,
        host=scheduled_run.host,
        status=scheduled_run.status,
        reason=scheduled_run.reason,
        detail=scheduled_run.detail if is_whole else "",
        skipped=scheduled_run.skipped,
        expected_by=scheduled_run.expected_by,
        run_slug=scheduled_run.run_slug if is_whole else None,
        run_status=scheduled_run.run_status if is_whole else None,
        run_summary=scheduled_run.run_summary if is_whole else None,
    )
