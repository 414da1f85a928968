"""/schedules: runs at fixed times. A schedule has the visibility of its runs."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Path, Query, Response
from pydantic import ConfigDict, Field, StrictBool, StringConstraints
from sqlalchemy.orm import Session

from backend.api.deps import SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.limits import RUN_BYTES
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.runs.deps import QUEUED
from backend.api.runs.examples import NEW_RUN
from backend.api.runs.schemas import CellIn, RunIn, RunListItem
from backend.api.runs.views import goal_fields, new_run, run_item
from backend.api.schemas import Page, RequestBody
from backend.core.bodies import Schema
from backend.core.changes.schedules import repository, service
from backend.core.changes.schedules.repository import ScheduledRunRow
from backend.core.changes.schedules.timing import (
    check_timing,
    describe,
    list_later_times,
    list_times,
)
from backend.core.documents import JsonObject
from backend.core.models import Schedule
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.runs.visibility import lists
from backend.core.statuses import MissReason, RunStatus, ScheduledRunStatus, Visibility
from backend.core.validation import NO_CONTROL_CHARACTERS

NIGHTLY: JsonObject = {
    "name": "Nightly",
    "cron": "0 2 * * *",
    "time_zone": "Europe/Berlin",
    "run": NEW_RUN,
}
ScheduleName = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=NO_CONTROL_CHARACTERS)
]
Cron = Annotated[
    str,
    Field(
        max_length=100,
        examples=["0 2 * * *"],
        description="Cron expression with five fields. The shortest interval is 15 min.",
    ),
]
TimeZone = Annotated[
    str, Field(max_length=64, examples=["Europe/Berlin"], description="IANA time zone.")
]


class ScheduleIn(RequestBody):
    model_config = ConfigDict(json_schema_extra={"examples": [NIGHTLY]})

    name: ScheduleName = Field(examples=["Nightly"])
    cron: Cron
    time_zone: TimeZone = "UTC"
    run: RunIn = Field(
        description="The body of `POST /runs`. Without a host, Tacho chooses a host now and keeps"
        " it. With several `hosts`, each time starts a group of runs."
    )


class SchedulePatch(RequestBody):
    name: ScheduleName | None = None
    cron: Cron | None = None
    time_zone: TimeZone | None = None
    run: RunIn | None = None
    enabled: StrictBool | None = Field(
        None, description="False pauses the schedule, true resumes it."
    )


class ScheduledRunOut(Schema):
    """One scheduled run: a start time of a schedule on one host, and its result."""

    due_at: datetime
    host: str | None = Field(
        description="Null if no host was found for the run.", examples=["bench-01"]
    )
    status: ScheduledRunStatus
    reason: MissReason | None = Field(description="Why the run was missed or late.")
    detail: str
    skipped: int = Field(
        description="Number of earlier times that were missed because Tacho was not running."
    )
    expected_by: datetime | None = Field(description="A result after this time is late.")
    run_slug: str | None = Field(
        description="Null if no run was started, or if the caller may not read it."
    )
    run_status: RunStatus | None
    run_summary: str | None = Field(
        description="The answer of the run in one line. Null before it has ended.",
        examples=["Vert.x uses the least CPU per request, 1.54× less than Node.js"],
    )


class ScheduleOut(Schema):
    id: UUID
    name: str
    cron: str
    time_zone: str
    words: str = Field(examples=["At 02:00 every day"])
    enabled: bool
    host: str = Field(
        description="The host of its runs. With several hosts: their names, or `each host`.",
        examples=["bench-01"],
    )
    visibility: Visibility
    run: RunIn
    next_times: list[datetime] = Field(
        description="The next three times. Empty while the schedule is paused."
    )
    scheduled_runs: list[ScheduledRunOut] = Field(
        description="The scheduled runs of the newest ten times, newest first: one for each host."
    )
    created_at: datetime


class TimingOut(Schema):
    """The meaning of a timing in words, and its next times."""

    words: str = Field(examples=["At 02:00 every day"])
    next_times: list[datetime]


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
    request = schedule.request
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


router = NounRouter(tags=["schedules"])

_PREVIEWED = 5
ScheduleId = Annotated[UUID, Path(examples=["01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e"])]


def find_readable(session: SessionDep, schedule_id: ScheduleId, viewer: ViewerDep) -> Schedule:
    """Return the schedule, if the caller may open its runs; raises NotFound."""
    return repository.get_schedule(session, schedule_id, viewer)


ScheduleDep = Annotated[Schedule, Depends(find_readable)]


@router.get(
    "/schedules",
    response_model=Page[ScheduleOut],
    responses=problems(422) | NOT_MODIFIED,
    dependencies=[needs(Permission.OPEN)],
)
async def list_schedules(responder: ResponderDep) -> Response:
    """Return schedules by name. Anonymous visitors see only schedules of public runs."""
    return await responder.respond(_show_list)


def _show_list(session: Session, viewer: Viewer) -> Page[ScheduleOut]:
    shown = repository.list_schedules(session, viewer)
    return Page(items=schedules_out(session, shown, viewer))


@router.get("/schedule-times", responses=problems(422), dependencies=[needs(Permission.OPEN)])
def preview_timing(
    cron: Annotated[Cron, Query(examples=["0 2 * * *"])], time_zone: TimeZone = "UTC"
) -> TimingOut:
    """Describe a timing, and return its next times."""
    check_timing(cron, time_zone)
    times = list_times(cron, time_zone, datetime.now(UTC), _PREVIEWED)
    return TimingOut(words=describe(cron), next_times=times)


@router.post(
    "/schedules",
    status_code=201,
    dependencies=[needs(Permission.MANAGE, body_bytes=RUN_BYTES)],
    responses=problems(401, 409, 413, 422),
)
def create_schedule(
    session: SessionDep, viewer: ViewerDep, workspace_id: WorkspaceDep, body: ScheduleIn
) -> ScheduleOut:
    """Create a schedule. It is refused if the run could not be started now."""
    schedule = service.create_schedule(
        session,
        workspace_id,
        name=body.name,
        cron=body.cron,
        time_zone=body.time_zone,
        request=new_run(body.run),
    )
    session.refresh(schedule)
    return schedules_out(session, [schedule], viewer)[0]


@router.get(
    "/schedules/{schedule_id}", responses=problems(404, 422), dependencies=[needs(Permission.OPEN)]
)
def get_schedule(session: SessionDep, viewer: ViewerDep, schedule: ScheduleDep) -> ScheduleOut:
    """Return a schedule with its newest scheduled runs."""
    return schedules_out(session, [schedule], viewer)[0]


@router.patch(
    "/schedules/{schedule_id}",
    dependencies=[needs(Permission.MANAGE, body_bytes=RUN_BYTES)],
    responses=problems(401, 404, 413, 422),
)
def change_schedule(
    session: SessionDep,
    viewer: ViewerDep,
    workspace_id: WorkspaceDep,
    schedule_id: ScheduleId,
    body: SchedulePatch,
) -> ScheduleOut:
    """Change, pause or resume a schedule. Times that pass during a pause are skipped."""
    schedule = service.change_schedule(
        session,
        workspace_id,
        schedule_id,
        name=body.name,
        cron=body.cron,
        time_zone=body.time_zone,
        request=None if body.run is None else new_run(body.run),
        enabled=body.enabled,
    )
    return schedules_out(session, [schedule], viewer)[0]


@router.delete(
    "/schedules/{schedule_id}",
    status_code=204,
    dependencies=[needs(Permission.MANAGE)],
    responses=problems(401, 404, 413, 422),
)
def delete_schedule(
    session: SessionDep, workspace_id: WorkspaceDep, schedule_id: ScheduleId
) -> None:
    """Delete a schedule. Its runs stay."""
    session.delete(repository.lock_schedule(session, workspace_id, schedule_id))


@router.post(
    "/schedules/{schedule_id}/run",
    status_code=202,
    dependencies=[needs(Permission.RUN)],
    responses=problems(401, 404, 409, 413, 422) | QUEUED,
)
def run_schedule(
    session: SessionDep,
    viewer: ViewerDep,
    workspace_id: WorkspaceDep,
    schedule_id: ScheduleId,
    response: Response,
) -> RunListItem:
    """Queue the run of a schedule now, even while the schedule is paused.

    With several hosts, it queues a group of runs, and returns the first of them.
    """
    run = service.start_now(session, workspace_id, schedule_id)
    response.headers["Location"] = f"/api/v1/runs/{run.id}"
    return run_item(session, run, viewer)
