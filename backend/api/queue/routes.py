"""GET /queue."""

from fastapi import Response

from backend.api.deps import CallerDep, ResourcesDep, needs
from backend.api.http.router import NounRouter
from backend.api.process.pages import respond_with_page
from backend.api.queue.schemas import Queue
from backend.api.queue.views import read_queue
from backend.core.access.permissions import Permission

router = NounRouter(prefix="/queue", tags=["hosts"])


@router.get("", response_model=Queue, dependencies=[needs(Permission.OPEN)])
async def get_queue(resources: ResourcesDep, caller: CallerDep) -> Response:
    """Return what each bench host measures, what waits for it, and the requester of each run."""
    may_run = caller.rights.allow(Permission.RUN)
    return await respond_with_page(
        resources, lambda session: read_queue(session, caller.viewer, may_run=may_run)
    )
