"""The run that a path names, for all routes below it."""

from typing import Annotated

from fastapi import Depends, Path
from sqlalchemy.orm import Session

from backend.api.deps import CallerDep, ResourcesDep, SessionDep, ViewerDep
from backend.api.http.follow_ups import follow_ups
from backend.api.schemas import Name
from backend.core.errors import Forbidden, NotFound
from backend.core.models import Run
from backend.core.people.access.viewer import Viewer
from backend.core.runs import repository
from backend.core.runs.live.event_stream import RunStream, find_stream
from backend.core.runs.visibility import may_open

QUEUED = follow_ups(
    202,
    "run_id",
    "id",
    *("get_run", "change_run", "cancel_run", "rerun_run", "delete_run"),
)
QUEUED[202] = {
    "description": "Queued",
    "headers": {"Location": {"description": "The run's address.", "schema": {"type": "string"}}},
    **QUEUED[202],
}
RunName = Annotated[Name, Path(examples=["k3v9q2mx4d"], description="A run's id or slug.")]


def get_readable(session: Session, viewer: Viewer, name: str) -> Run:
    """Return the run by id or slug with its trials, if the viewer may open it; raises NotFound."""
    return _check_readable(repository.get_run(session, name), name, viewer)


def get_readable_head(session: Session, viewer: Viewer, name: str) -> Run:
    """As `get_readable`, without the trials, which may be many thousands."""
    return _check_readable(repository.get_run_head(session, name), name, viewer)


def _check_readable(run: Run, name: str, viewer: Viewer) -> Run:
    if not may_open(viewer, run.workspace_id, run.visibility):
        raise NotFound(f"There is no run {name!r}.")
    return run


def find_readable(session: SessionDep, run_id: RunName, viewer: ViewerDep) -> Run:
    """Return the run of the path, if the caller may open it; raises NotFound."""
    return get_readable(session, viewer, run_id)


def find_readable_head(session: SessionDep, run_id: RunName, viewer: ViewerDep) -> Run:
    """As `find_readable`, without the trials."""
    return get_readable_head(session, viewer, run_id)


async def find_readable_stream(
    resources: ResourcesDep, run_id: RunName, viewer: ViewerDep
) -> RunStream:
    """As `find_readable_head`, in a transaction that ends before a stream begins."""
    return await resources.database.read(
        lambda session: find_stream(session, find_readable_head(session, run_id, viewer))
    )


def find_own(run: Annotated[Run, Depends(find_readable_head)], caller: CallerDep) -> Run:
    """Return the run, without its trials, if it belongs to the workspace of the request.

    Raises:
        NotFound: the caller may not open it.
        Forbidden: it belongs to another workspace.
    """
    if caller.workspace is None or run.workspace_id != caller.workspace.id:
        raise Forbidden(
            f"Run {run.slug} belongs to another workspace. Switch to that workspace to change it."
        )
    return run


RunDep = Annotated[Run, Depends(find_readable)]
RunHeadDep = Annotated[Run, Depends(find_readable_head)]
OwnRunDep = Annotated[Run, Depends(find_own)]
