"""GET /home."""

from fastapi import APIRouter

from backend.api.deps import ListedDep, SessionDep
from backend.api.home.schemas import Home
from backend.api.home.views import home_hosts, home_incidents, home_schedules
from backend.core.changes.incidents.listing import count_open

router = APIRouter(tags=["home"])


@router.get("/home")
def get_home(session: SessionDep, listed: ListedDep) -> Home:
    """Return open incidents, the newest result of each schedule, and the queues of hosts."""
    return Home(
        open_incidents=count_open(session, listed),
        incidents=home_incidents(session, listed),
        schedules=home_schedules(session, listed),
        hosts=home_hosts(session, listed),
    )
