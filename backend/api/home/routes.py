"""GET /home."""

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.home.schemas import Home
from backend.api.home.views import home_hosts, home_incidents, home_schedules
from backend.api.http.router import NounRouter
from backend.core.access.permissions import Permission
from backend.core.changes.incidents.listing import count_open

router = NounRouter(tags=["home"], dependencies=[needs(Permission.OPEN)])


@router.get("/home")
def get_home(session: SessionDep, viewer: ViewerDep) -> Home:
    """Return open incidents, the newest result of each schedule, and the queues of hosts."""
    return Home(
        open_incidents=count_open(session, viewer),
        incidents=home_incidents(session, viewer),
        schedules=home_schedules(session, viewer),
        hosts=home_hosts(session, viewer),
    )
