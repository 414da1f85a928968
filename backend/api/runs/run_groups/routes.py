"""/run-groups/{group}: read a group of runs, and cancel it."""

from typing import Annotated

from fastapi import Path
from sqlalchemy.orm import Session

from backend.api.access.caller import Caller
from backend.api.deps import CallerDep, LargeRead, SessionDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.runs.deps import find_own
from backend.api.runs.run_groups.schemas import RunGroupOut
from backend.api.runs.run_groups.views import group_out
from backend.api.schemas import Name
from backend.core.people.access.permissions import Permission
from backend.core.runs.groups import cancel_group, read_group

router = NounRouter(prefix="/run-groups", tags=["runs"])
GroupName = Annotated[Name, Path(examples=["w7f4c2kx9p"])]


@router.get(
    "/{group}", dependencies=[needs(Permission.OPEN), LargeRead], responses=problems(404, 422)
)
def get_run_group(session: SessionDep, caller: CallerDep, group: GroupName) -> RunGroupOut:
    """Return the runs of a group, and their results next to each other."""
    return _read(session, caller, group)


@router.post(
    "/{group}/cancel",
    dependencies=[needs(Permission.RUN)],
    responses=problems(401, 404, 409, 413, 422),
)
def cancel_run_group(session: SessionDep, caller: CallerDep, group: GroupName) -> RunGroupOut:
    """Cancel the runs of a group that have not ended, as `POST /runs/{run_id}/cancel` does."""
    found = read_group(session, group, caller.viewer)
    cancel_group(session, [find_own(run, caller) for run in found])
    return _read(session, caller, group)


def _read(session: Session, caller: Caller, group: str) -> RunGroupOut:
    runs = read_group(session, group, caller.viewer)
    may_run = caller.rights.allow(Permission.RUN)
    return group_out(session, group, runs, caller.viewer, may_run=may_run)
