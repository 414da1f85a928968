"""/retention: how long a workspace and the installation keep seconds and logs."""

from typing import Annotated
from uuid import UUID

from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from backend.api.deps import SessionDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import RequestBody
from backend.core.bodies import Schema
from backend.core.operations.retention import settings
from backend.core.operations.retention.periods import MAX_DAYS, MIN_DAYS, Periods, combine
from backend.core.people.access.permissions import Permission

Days = Annotated[int, Field(ge=MIN_DAYS, le=MAX_DAYS, strict=True)]


class PeriodsIn(RequestBody):
    """Days for which seconds and logs are kept."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"seconds_days": 90, "logs_days": 30}]}
    )

    seconds_days: Days | None = Field(
        description="Days for which the seconds of a run are kept after its end. Null: for ever; "
        "in a workspace, as long as the installation keeps them."
    )
    logs_days: Days | None = Field(
        description="Days for which the logs of a run are kept after its end. Null: as above."
    )


class PeriodsOut(Schema):
    """Days for which seconds and logs are kept."""

    seconds_days: int | None = Field(description="Null: for ever.", examples=[90])
    logs_days: int | None = Field(description="Null: for ever.", examples=[30])


class RetentionOut(Schema):
    """How long a workspace keeps seconds and logs. Summaries are kept for ever."""

    installation: PeriodsOut = Field(description="The longest that a workspace can choose.")
    workspace: PeriodsOut = Field(
        description="The choice of the workspace. Null: as long as the installation."
    )
    effective: PeriodsOut = Field(description="The shorter period of both, which applies.")


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
    return PeriodsOut.of(settings.read_installation(session))


@router.put(
    "/installation",
    dependencies=[needs(Permission.OPERATE)],
    responses=problems(401, 403, 413, 422),
)
def change_installation_retention(session: SessionDep, body: PeriodsIn) -> PeriodsOut:
    """Set how long the installation keeps seconds and logs. It limits all workspaces."""
    settings.change_installation(session, Periods(**body.model_dump()))
    return PeriodsOut.of(settings.read_installation(session))


def _show(session: Session, workspace_id: UUID) -> RetentionOut:
    installation = settings.read_installation(session)
    own = settings.read_workspace(session, workspace_id)
    return RetentionOut(
        installation=PeriodsOut.of(installation),
        workspace=PeriodsOut.of(own),
        effective=PeriodsOut.of(combine(installation, own)),
    )
