"""The run that a path names, for all routes below it."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Path

from backend.api.deps import ResourcesDep, SessionDep, TrustedDep
from backend.api.schemas import Name
from backend.core.errors import NotFound
from backend.core.models import Run
from backend.core.runs import repository
from backend.core.runs.visibility import is_readable

QUEUED: dict[int | str, dict[str, Any]] = {
    202: {
        "description": "Queued",
        "headers": {
            "Location": {"description": "The run's address.", "schema": {"type": "string"}}
        },
    }
}
RunName = Annotated[Name, Path(examples=["k3v9q2mx4d"], description="A run's id or slug.")]


def find_readable(session: SessionDep, run_id: RunName, trusted: TrustedDep) -> Run:
    """Return the run by id or slug, if the caller may open it; raises NotFound."""
    run = repository.get_run(session, run_id)
    if not is_readable(run.visibility, is_trusted=trusted):
        raise NotFound(f"There is no run {run_id!r}.")
    return run


async def find_readable_id(resources: ResourcesDep, run_id: RunName, trusted: TrustedDep) -> UUID:
    """As `find_readable`, in a transaction that ends before a stream begins."""
    return await resources.database.read(lambda session: find_readable(session, run_id, trusted).id)


RunDep = Annotated[Run, Depends(find_readable)]
