"""How long seconds and logs are kept."""

from typing import Annotated

from pydantic import ConfigDict, Field

from backend.api.schemas import RequestBody, Schema
from backend.core.operations.retention.periods import MAX_DAYS, MIN_DAYS

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
