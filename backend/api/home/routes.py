"""GET /home."""

from fastapi import Response

from backend.api.deps import ResourcesDep, ViewerDep, needs
from backend.api.home.schemas import Home
from backend.api.home.views import read_home
from backend.api.http.router import NounRouter
from backend.api.process.pages import respond_with_page
from backend.core.access.permissions import Permission

router = NounRouter(tags=["home"], dependencies=[needs(Permission.OPEN)])


@router.get("/home", response_model=Home)
async def get_home(resources: ResourcesDep, viewer: ViewerDep) -> Response:
    """Return open incidents, the newest result of each schedule, and the queues of hosts."""
    return await respond_with_page(resources, lambda session: read_home(session, viewer))
