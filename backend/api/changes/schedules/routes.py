"""/schedules: runs at fixed times. A schedule has the visibility of its runs."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Path, Query, Response
from sqlalchemy.orm import Session

from backend.api.changes.schedules.schemas import (
    Cron,
    ScheduleIn,
    ScheduleOut,
    SchedulePatch,
    TimeZone,
    TimingOut,
)
from backend.api.changes.schedules.views import schedules_out
from backend.api.deps import SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.limits import RUN_BYTES
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.runs.deps import QUEUED
from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import new_run, run_item
from backend.api.schemas import Page
from backend.core.changes.schedules import repository, service
from backend.core.changes.schedules.timing import check_timing, describe, list_times
from backend.core.models import Schedule
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer

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
