"""/retention: how long a workspace and the installation keep seconds and logs."""

from dataclasses import asdict
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.deps import SessionDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.retention.schemas import PeriodsIn, PeriodsOut, RetentionOut
from backend.core.operations.retention import settings
from backend.core.operations.retention.periods import Periods, combine
from backend.core.people.access.permissions import Permission

router = NounRouter(prefix="/retention", tags=["retention"])


@router.get("", dependencies=[needs(Permission.VIEW)], responses=problems(401, 403))
def get_retention(session: SessionDep, workspace_id: WorkspaceDep) -> RetentionOut:
    """Return how long the workspace keeps seconds and logs."""
    return _show(session, workspace_id)


@router.put("", dependencies=[needs(Permission.OWN)], responses=problems(401, 403, 413, 422))
def change_retention(
    session: SessionDep, workspace_id: WorkspaceDep, body: PeriodsIn
) -> RetentionOut:
    """Set how long the workspace keeps seconds and logs: at most as long as the installation."""
    settings.change_workspace(session, workspace_id, Periods(**body.model_dump()))
    return _show(session, workspace_id)


@router.get("/installation", dependencies=[needs(Permission.OPERATE)], responses=problems(401, 403))
def get_installation_retention(session: SessionDep) -> PeriodsOut:
    """Return how long the installation keeps seconds and logs."""
    return _periods_out(settings.read_installation(session))


@router.put(
    "/installation",
    dependencies=[needs(Permission.OPERATE)],
    responses=problems(401, 403, 413, 422),
)
def change_installation_retention(session: SessionDep, body: PeriodsIn) -> PeriodsOut:
    """Set how long the installation keeps seconds and logs. It limits all workspaces."""
    settings.change_installation(session, Periods(**body.model_dump()))
    return _periods_out(settings.read_installation(session))


def _show(session: Session, workspace_id: UUID) -> RetentionOut:
    installation = settings.read_installation(session)
    own = settings.read_workspace(session, workspace_id)
    return RetentionOut(
        installation=_periods_out(installation),
        workspace=_periods_out(own),
        effective=_periods_out(combine(installation, own)),
    )


def _periods_out(periods: Periods) -> PeriodsOut:
    return PeriodsOut(**asdict(periods))
