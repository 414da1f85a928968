"""GET /home."""

from fastapi import Response

from backend.api.changes.home.schemas import Home
from backend.api.changes.home.views import read_home
from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.core.people.access.permissions import Permission

router = NounRouter(tags=["home"], dependencies=[needs(Permission.OPEN)])


@router.get("/home", response_model=Home, responses=problems(422) | NOT_MODIFIED)
async def get_home(responder: ResponderDep) -> Response:
    """Return open incidents, the newest result of each schedule, and the queues of hosts."""
    return await responder.respond(read_home)
