"""History: series over time, their change points, and changes of their conditions."""

from datetime import datetime
from uuid import UUID

from pydantic import AliasPath, Field

from backend.api.schemas import FrameworkRef, ScenarioRef
from backend.core.bodies import Schema
from backend.core.changes.history_changes import DetectorTest
from backend.core.statuses import ChangeStatus
from backend.core.units import Direction, Metric, ProfileKind


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
    subject: str = Field(
        examples=["host.kernel"], description="Name of the condition, as in the verdicts of a run."
    )
    before: str = Field(validation_alias=AliasPath("one"))
    after: str = Field(validation_alias=AliasPath("other"))


class HistoryEvent(Schema):
    """Since this point, the framework, the scenario, the host or the harness is different."""

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
    """A change point: from `index` to the next change point, the series is at another level."""

    index: int = Field(description="Index of the first point of the new level, from 0.")
    at: datetime
    run_slug: str
    ratio: float = Field(
        description="Ratio of the level after to the level before.", examples=[1.082]
    )
    low: float
    high: float
    p_value: float
    is_adjusted: bool = Field(
        description="Without the shift caused by the host, which all services of a run share."
    )
    known: KnownChange | None = Field(description="The recorded change, if there is one.")


class HistoryLimit(Schema):
    """The state of a limit (SLO) of the workspace in a series."""

    slo_id: UUID = Field(validation_alias=AliasPath("slo", "id"))
    limit: float = Field(validation_alias=AliasPath("slo", "limit"))
    is_within: bool | None = Field(
        description="Whether the newest result that can be ranked is within the limit. Null "
        "without any."
    )
    since: datetime | None = Field(description="Time of the first result of this state.")
    text: str = Field(examples=["Within the limit of at most 5 ms since 25 Nov 2026"])


class HistorySeries(Schema):
    """Points with the same parameters, host and runtime, which a chart connects with a line."""

    framework: FrameworkRef
    host: str
    runtime: str
    profile: str
    parameters: dict[str, int]
    points: list[HistoryPoint]
    changes: list[HistoryChange]
    events: list[HistoryEvent]
    limits: list[HistoryLimit] = Field(description="Those that apply to the series.")


class HistoryLoadOut(Schema):
    """A load with which results of the history were measured."""

    key: str = Field(description="The value of `load` that selects it.")
    profile: str = Field(validation_alias=AliasPath("row", "profile"))
    kind: ProfileKind = Field(validation_alias=AliasPath("row", "kind"))
    parameters: dict[str, int]
    points: int = Field(
        validation_alias=AliasPath("row", "points"), description="Number of its results."
    )
    at: datetime = Field(
        validation_alias=AliasPath("row", "at"), description="Time of its newest result."
    )


class HistoryAnswerOut(Schema):
    """Whether a framework has become faster or slower, since when, and how certain that is."""

    framework: str = Field(description="Slug.")
    series: int = Field(description="Index of the series that it is about.")
    is_better: bool | None = Field(
        description="Whether the level after the last shift is better. Null without a level shift "
        "of the framework."
    )
    headline: str = Field(examples=["Node.js has been slower since 25 Nov 2026"])
    sentences: list[str]
    since: datetime | None
    change_id: UUID | None = Field(description="The recorded change, if there is one.")


class HistoryOut(Schema):
    scenario: ScenarioRef
    answers: list[HistoryAnswerOut] = Field(description="One for each framework with points.")
    loads: list[HistoryLoadOut] = Field(description="The load with the most valid points first.")
    load: str | None = Field(description="Key of the load of all series. Null for all loads.")
    hosts: list[str] = Field(description="Hosts with a result of the scenario, ordered by name.")
    metric: Metric
    unit: str = Field(examples=["ms"])
    direction: Direction
    p_value: float = Field(description="The sensitivity of the change points.")
    min_points: int = Field(description="Shorter series are not searched for change points.")
    series: list[HistorySeries]


class Detection(Schema):
    """The change points of a series."""

    changes: list[HistoryChange]


class Detections(Schema):
    """Change points at another sensitivity. The series are in the order of GET /history."""

    p_value: float
    answers: list[HistoryAnswerOut]
    series: list[Detection]


class DetectorTests(Schema):
    """Results of the detector on each series, in the order of GET /history.

    Null for a series with too few points.
    """

    p_value: float
    series: list[DetectorTest | None]
