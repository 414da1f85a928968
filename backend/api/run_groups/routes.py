"""GET /run-groups/{group}."""

from typing import Annotated

from fastapi import Path

from backend.api.deps import LargeRead, SessionDep, ViewerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.run_groups.schemas import RunGroupOut
from backend.api.run_groups.views import group_out
from backend.api.schemas import Name
from backend.core.access.permissions import Permission
from backend.core.runs.groups import read_group

router = NounRouter(prefix="/run-groups", tags=["runs"])


@router.get(
    "/{group}", dependencies=[needs(Permission.OPEN), LargeRead], responses=problems(404, 422)
)
def get_run_group(
    session: SessionDep,
    viewer: ViewerDep,
    group: Annotated[Name, Path(examples=["w7f4c2kx9p"])],
) -> RunGroupOut:
    """Return the runs of a group, and their results next to each other."""
    return group_out(session, group, read_group(session, group, viewer), viewer)
