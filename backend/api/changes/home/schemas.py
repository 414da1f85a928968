"""The state of the installation: what the home page shows."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from backend.api.changes.incidents.schemas import IncidentItem
from backend.api.operations.hosts.schemas import HostState
from backend.api.runs.schemas import RunListItem
from backend.api.schemas import FrameworkRef, ScenarioRef, Schema
from backend.core.statuses import MissReason, ScheduledRunStatus
from backend.core.units import Metric, RuntimeKind


class ResultShiftOut(Schema):
    """A result that differs from the result of the run before."""

    framework: FrameworkRef
    scenario: ScenarioRef
    metric: Metric
    metric_title: str = Field(examples=["CPU per request"])
    is_better: bool
    text: str = Field(
        description="The ratio with its interval, new divided by old.",
        examples=["1.08× [1.05, 1.11]"],
    )
    ratio: float
    low: float | None
    high: float | None


class LatestResultOut(Schema):
    """The newest result of a schedule, compared with the result before it."""

    run: RunListItem
    previous_slug: str | None = Field(description="Null if there is no earlier run.")
    compared: int = Field(
        description="Number of results that were measured under the same conditions in both runs."
    )
    shifts: list[ResultShiftOut] = Field(
        description="Results that differ (Holm-corrected at 5 %), the largest difference first."
    )


class NewestScheduledRun(Schema):
    """The newest start time of a schedule, and whether its result arrived."""

    due_at: datetime
    status: ScheduledRunStatus
    reason: MissReason | None


class ScheduleState(Schema):
    id: UUID
    name: str
    words: str = Field(examples=["At 02:00 every day"])
    host: str = Field(
        description="The host of its runs. With several hosts: their names, or `each host`."
    )
    next_at: datetime | None = Field(description="Null while the schedule is paused.")
    newest: NewestScheduledRun | None = Field(description="Null before the first start time.")
    latest: LatestResultOut | None = Field(description="Null before the first result.")


class CurrentRun(Schema):
    slug: str
    title: str


class HostQueue(Schema):
    """A bench host with its queue."""

    name: str
    state: HostState
    runtime: RuntimeKind
    seen_at: datetime
    disk_shortage: str | None = Field(
        None,
        description="Which disk of the host or database has too little free space, so that its "
        "runs wait. Null if none.",
    )
    is_usable: bool = Field(description="Whether runs of the caller's workspace may use the host.")
    current_run: CurrentRun | None
    queued_trials: int = Field(description="Trials that have not ended.")
    wait_seconds: float = Field(
        description="Expected time until a run that is requested now starts, without builds."
    )


class Home(Schema):
    open_incidents: int
    incidents: list[IncidentItem] = Field(
        description="The largest open incidents: regressions first, at most five."
    )
    schedules: list[ScheduleState] = Field(description="By name.")
    hosts: list[HostQueue]
