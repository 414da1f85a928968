"""Changes: level shifts of series, with their status."""

from datetime import datetime
from uuid import UUID

from pydantic import AliasPath, Field, StrictBool

from backend.api.schemas import FrameworkRef, Note, RequestBody, ScenarioRef
from backend.core.bodies import Schema
from backend.core.statuses import ChangeStatus
from backend.core.units import Direction, Metric, ProfileKind, RuntimeKind


class ChangeRatio(Schema):
    """Ratio of the new to the old level, with its 95 % confidence interval."""

    ratio: float = Field(examples=[1.08])
    low: float | None = Field(examples=[1.05])
    high: float | None = Field(examples=[1.11])


class HistoryRatio(ChangeRatio):
    """Ratio of the level after to the level before in the history."""

    is_adjusted: bool = Field(
        description="Without the shift caused by the host, which all services of a run share."
    )


class ConfirmationOut(Schema):
    """The confirmation run: an A/B test of the builds before and after the change."""

    run_slug: str | None = Field(description="Null if the run was deleted.")
    pairs: int | None = Field(
        description="Number of trial pairs that counted. Null until the confirmation run has ended."
    )
    found: ChangeRatio | None = Field(
        description="Ratio over the pairs. Null until the confirmation run has ended."
    )


class SideOut(Schema):
    """The run and build on one side of a change."""

    run_slug: str
    cell_id: UUID
    at: datetime
    image_digest: str | None


class ChangePointOut(Schema):
    """One point of the series around a change."""

    run_slug: str
    cell_id: UUID
    n: int = Field(validation_alias=AliasPath("trials"), description="Number of trials.")
    at: datetime
    estimate: float
    low: float | None
    high: float | None
    is_after: bool = Field(description="Whether the point is at the new level.")


class ShiftOut(Schema):
    """A change of one series, without the points of the series."""

    id: UUID = Field(description="The id stays the same when the series is analysed again.")
    incident_id: UUID = Field(
        description="The incident to which it belongs: all changes with the same build."
    )
    status: ChangeStatus
    reason: str
    note: str | None
    is_by_hand: bool = Field(description="Whether a person decided the status.")
    is_open: bool = Field(
        description="Whether it needs attention: it is undecided, or confirmed and not "
        "acknowledged."
    )
    acknowledged_at: datetime | None = Field(
        description="Time at which a person took note of the confirmed change."
    )
    framework: FrameworkRef
    scenario: ScenarioRef
    profile: str
    kind: ProfileKind
    parameters: dict[str, int]
    metric: Metric
    unit: str = Field(examples=["µs"])
    direction: Direction
    is_worse: bool = Field(description="Whether the new level is worse.")
    host: str
    runtime: RuntimeKind
    at: datetime = Field(description="Creation time of the first run at the new level.")
    history: HistoryRatio
    p_value: float
    before: SideOut
    after: SideOut
    confirmation: ConfirmationOut | None
    host_event_id: UUID | None
    found_at: datetime
    changed_at: datetime


class ChangeOut(ShiftOut):
    """A change with the points of its series."""

    points: list[ChangePointOut] = Field(description="The series around the change, oldest first.")


class ChangePatch(RequestBody):
    """A decision about a change. Fields that are left out do not change."""

    status: ChangeStatus | None = Field(
        None,
        description="`confirmed`, `dismissed`, `host_drift`: set the status. `suspected`: reopen "
        "the change. `testing`: start another confirmation run.",
        examples=["dismissed"],
    )
    note: Note | None = Field(None, examples=["The new release is known to be slower."])
    acknowledged: StrictBool | None = Field(
        None,
        description="True takes note of a confirmed change, so that it is not open any more. "
        "False undoes it.",
    )
    pairs: int | None = Field(
        None,
        ge=5,
        le=100,
        strict=True,
        description="Number of trial pairs for `testing`. Default: 20.",
        examples=[20],
    )


class ChangeCounts(Schema):
    """Return the number of changes per status."""

    suspected: int
    testing: int
    confirmed: int
    dismissed: int
    host_drift: int
