"""GET /queue."""

from backend.api.deps import CallerDep, SessionDep, needs
from backend.api.http.router import NounRouter
from backend.api.queue.schemas import Queue
from backend.api.queue.views import read_queue
from backend.core.access.permissions import Permission

router = NounRouter(prefix="/queue", tags=["hosts"])


@router.get("", dependencies=[needs(Permission.OPEN)])
def get_queue(session: SessionDep, caller: CallerDep) -> Queue:
    """Return what each bench host measures, what waits for it, and the requester of each run."""
    return read_queue(session, caller.viewer, may_run=caller.rights.allow(Permission.RUN))
