"""Changes: where a series left its level, and what became of it."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from backend.api.schemas import FrameworkRef, Note, ScenarioRef, Schema
from backend.core.statuses import ChangeStatus
from backend.core.units import Direction, Metric, ProfileKind, RuntimeKind


class ChangeRatio(Schema):
    """New over old, with its 95 % interval."""

    ratio: float = Field(examples=[1.08])
    low: float | None = Field(examples=[1.05])
    high: float | None = Field(examples=[1.11])


class HistoryRatio(ChangeRatio):
    """Level after over level before, by the history."""

    is_adjusted: bool = Field(
        description="Without the shift caused by the host, which all services of a run share."
    )


class ConfirmationOut(Schema):
    """Builds before and after, side by side: the experiment that decides."""

    run_slug: str | None = Field(description="Null when its run was deleted.")
    pairs: int | None = Field(description="Pairs of trials that counted; null until it has ended.")
    found: ChangeRatio | None = Field(description="From the pairs; null until it has ended.")


class SideOut(Schema):
    """The run and build next to a change, on one side of it."""

    run_slug: str
    cell_id: UUID
    at: datetime
    image_digest: str | None


class ChangePointOut(Schema):
    """One point of the series around a change."""

    run_slug: str
    at: datetime
    estimate: float
    low: float | None
    high: float | None
    is_after: bool = Field(description="At the new level.")


class ChangeOut(Schema):
    id: UUID = Field(description="Stays the same each time the series is analysed.")
    status: ChangeStatus
    reason: str
    note: str | None
    is_by_hand: bool = Field(description="A person decided it.")
    framework: FrameworkRef
    scenario: ScenarioRef
    profile: str
    kind: ProfileKind
    parameters: dict[str, int]
    metric: Metric
    unit: str = Field(examples=["µs"])
    direction: Direction
    is_worse: bool = Field(description="The new level is the worse one.")
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
    points: list[ChangePointOut] = Field(description="The series around it, oldest first.")


class ChangePatch(Schema):
    """What a person decides; what is not given stays."""

    status: ChangeStatus | None = Field(
        None,
        description="`confirmed`, `dismissed`, `host_drift`: as it is now. `suspected`: reopen. "
        "`testing`: run the builds before and after side by side once more.",
        examples=["dismissed"],
    )
    note: Note | None = Field(None, examples=["The new release is known to be slower."])
    pairs: int | None = Field(
        None, ge=5, le=100, description="Of trials, for `testing`; default 20.", examples=[20]
    )


class ChangeCounts(Schema):
    """Return the number of changes per status."""

    suspected: int
    testing: int
    confirmed: int
    dismissed: int
    host_drift: int
