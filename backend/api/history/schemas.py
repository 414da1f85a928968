"""History: series over time, where their level changes, and what changed beside them."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from backend.api.schemas import FrameworkRef, ScenarioRef, Schema
from backend.core.statuses import ChangeStatus
from backend.core.units import Direction, Metric


class HistoryPoint(Schema):
    """One cell of one finished run."""

    run_id: UUID
    run_slug: str
    cell_id: UUID
    at: datetime
    estimate: float
    low: float | None
    high: float | None
    n: int
    excluded: bool
    framework_digest: str
    host_digest: str


class HistoryDifference(Schema):
    subject: str = Field(examples=["host.kernel"], description="As in a run's verdicts.")
    before: str
    after: str


class HistoryEvent(Schema):
    """The framework, the scenario, the host or the harness is not what it was."""

    index: int = Field(
        description="Index of the first point measured under these conditions, from 0."
    )
    at: datetime
    differences: list[HistoryDifference]


class KnownChange(Schema):
    """A change of GET /changes."""

    id: UUID
    status: ChangeStatus


class HistoryChange(Schema):
    """From `index` on the series is at another level, up to the next change."""

    index: int = Field(description="Index of the first point of the new level, from 0.")
    at: datetime
    run_slug: str
    ratio: float = Field(description="Level after over level before.", examples=[1.082])
    low: float
    high: float
    p_value: float
    is_adjusted: bool = Field(
        description="Without the shift caused by the host, which all services of a run share."
    )
    known: KnownChange | None = Field(description="The recorded change, if there is one.")


class HistorySeries(Schema):
    """All points that may be joined by a line: same parameters, host and runtime."""

    framework: FrameworkRef
    host: str
    runtime: str
    profile: str
    parameters: dict[str, int]
    points: list[HistoryPoint]
    changes: list[HistoryChange]
    events: list[HistoryEvent]


class HistoryOut(Schema):
    scenario: ScenarioRef
    hosts: list[str] = Field(description="Hosts with any result of the scenario, by name.")
    metric: Metric
    unit: str = Field(examples=["ms"])
    direction: Direction
    p_value: float = Field(description="The sensitivity of the change points.")
    series: list[HistorySeries]


class Detection(Schema):
    """One series' change points."""

    changes: list[HistoryChange]
    milliseconds: float = Field(description="Duration of the detection.", examples=[1.4])


class Detections(Schema):
    """Change points at another sensitivity, the series in the order of GET /history."""

    p_value: float
    series: list[Detection]


class DetectorTest(Schema):
    """What the detector does with steps put into a series, and with its mere noise."""

    ratio: float = Field(examples=[1.05])
    injections: int
    found: int
    shuffles: int
    alarms: int


class DetectorTests(Schema):
    """The detector tried on each series, in the order of GET /history; null: too few points."""

    p_value: float
    series: list[DetectorTest | None]
