"""GET /queue."""

from fastapi import Response

from backend.api.deps import CallerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.runs.queue.schemas import Queue
from backend.api.runs.queue.views import read_queue
from backend.core.people.access.permissions import Permission

router = NounRouter(prefix="/queue", tags=["hosts"])


@router.get(
    "",
    response_model=Queue,
    dependencies=[needs(Permission.OPEN)],
    responses=problems(422) | NOT_MODIFIED,
)
async def get_queue(responder: ResponderDep, caller: CallerDep) -> Response:
    """Return what each bench host measures, what waits for it, and the requester of each run."""
    return await responder.respond(read_queue, caller.rights.allow(Permission.RUN))
