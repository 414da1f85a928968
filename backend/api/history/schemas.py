"""History: one series over time."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from backend.api.runs.schemas import FrameworkRef, ScenarioRef
from backend.api.schemas import Schema
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
    barred: bool
    framework_digest: str
    host_digest: str = Field(description="Points of other digests are another series.")


class HistorySeries(Schema):
    """All points that may be joined by a line: same parameters, host and runtime."""

    host: str
    runtime: str
    profile: str
    parameters: dict[str, int]
    points: list[HistoryPoint]


class History(Schema):
    framework: FrameworkRef
    scenario: ScenarioRef
    metric: Metric
    unit: str = Field(examples=["ms"])
    direction: Direction
    series: list[HistorySeries]
