"""Schemas of runs."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from backend.api.runs.examples import NEW_RUN, RUN
from backend.api.schemas import FrameworkRef, MetricSummary, Name, ScenarioRef, Schema, VerdictOut
from backend.core.documents import Failure
from backend.core.runs.events import (
    EndEvent,
    GapEvent,
    LiveEvent,
    LogEvent,
    SampleEvent,
    TrialEvent,
)
from backend.core.statuses import RunStatus, StudyVariant, TrialStatus, Visibility
from backend.core.units import (
    Direction,
    Metric,
    ProfileKind,
    Purpose,
    RuntimeKind,
)


class CellIn(Schema):
    framework: Name = Field(examples=["node"])
    scenario: Name = Field(examples=["hello"])
    profile: Name | None = Field(
        None, examples=["rate-quick"], description="Default: the first profile of the scenario."
    )
    parameters: dict[str, object] = Field(
        default_factory=dict,
        examples=[{"rate_rps": 500}],
        description="Values that replace the defaults of the profile.",
    )


class RunIn(Schema):
    model_config = ConfigDict(json_schema_extra={"examples": [NEW_RUN]})

    title: Name | None = Field(None, examples=["Node or Go?"])
    host: Name | None = Field(
        None, description="Bench host. Default: the host with the shortest queue."
    )
    cells: list[CellIn] = Field(min_length=1, description="The cells to measure, at most 1,000.")
    trials: int = Field(
        5,
        ge=1,
        le=50,
        strict=True,
        description="Number of trials per cell, each with a fresh start of the service.",
    )
    visibility: Visibility = Visibility.UNLISTED
    purpose: Literal[Purpose.COMPARISON, Purpose.CALIBRATION] | None = Field(
        None,
        description="Default: `comparison`. Lists and histories do not show `calibration` runs.",
    )


class RunPatch(Schema):
    """Changes to a resource. Fields that are left out do not change."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"visibility": "public"}]})

    title: Name | None = Field(None, min_length=1, examples=["Node or Go?"])
    visibility: Visibility | None = Field(
        None,
        description="private: visible with write access. unlisted: visible with the link. public:"
        " listed.",
    )


class Progress(Schema):
    trials_total: int
    trials_finished: int = Field(description="Number of succeeded, failed and cancelled trials.")
    trials_failed: int
    share: float = Field(description="Finished share of the run from 0 to 1, by estimated time.")
    queue_position: int | None = Field(
        None, description="Number of runs ahead on the same host. Null unless the run is queued."
    )
    estimated_seconds_left: float | None = Field(
        None, description="Estimate for the trials of this run, without the runs ahead of it."
    )


class CellOut(Schema):
    id: UUID
    framework: FrameworkRef
    scenario: ScenarioRef
    profile: str
    kind: ProfileKind
    parameters: dict[str, int]
    builds: dict[str, str] | None = Field(
        None,
        description="In a confirmation run, the digests of the builds that ran again, by program.",
    )
    environment: dict[str, object] = Field(
        default_factory=dict,
        description="Values of the environment that differ between the cells of the run, from the"
        " first succeeded trial: image, framework, builds. Empty in lists.",
    )
    trials_succeeded: int
    trials_failed: int
    excluded: bool = Field(description="Whether a verdict excludes the cell from ranking.")
    verdicts: list[VerdictOut]
    summary: dict[Metric, MetricSummary]


class ResultGroupOut(Schema):
    """Cells of one scenario, profile and set of parameters. They are ranked together."""

    key: str = Field(
        examples=["hello.rate-quick"],
        description="Part of page URLs. Groups that differ in parameters only get a number: "
        "`hello.rate-quick.2`.",
    )
    scenario: ScenarioRef
    profile: str
    kind: ProfileKind
    parameters: dict[str, int]
    cells: list[UUID]


class ResultBlockOut(Schema):
    """Groups that are shown together: a sweep of one parameter, or a single group."""

    key: str
    label: str = Field(examples=["Hello"], description="Unique among the blocks of the run.")
    parameter: str | None = Field(
        examples=["rate_rps"], description="The swept parameter; null for a single group."
    )
    groups: list[str] = Field(
        description="Keys of the groups, in ascending order of the swept parameter."
    )


class SloCheckOut(Schema):
    """The result of checking an SLO against a cell."""

    slo_id: UUID
    cell_id: UUID
    metric: Metric
    limit: float
    estimate: float | None
    unit: str = Field(examples=["ms"])
    direction: Direction
    passed: bool
    detail: str


class GateOut(Schema):
    """Whether a run meets all SLOs (`GET /slos`) that apply to its cells."""

    passed: bool
    checks: list[SloCheckOut]


class TrialOut(Schema):
    id: UUID
    cell_id: UUID
    repetition: int = Field(description="Number of the repetition, from 1.")
    position: int = Field(description="Position in the interleaved order, from 0.")
    status: TrialStatus
    attempt: int
    runtime: RuntimeKind | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    stage_seconds: dict[str, float]
    verdicts: list[VerdictOut]
    failure: Failure | None = None
    retried_failures: list[Failure] = Field(
        default_factory=list,
        description="Failures of earlier attempts, oldest first; each is followed by a repeat.",
    )
    metrics: dict[Metric, float]


class StudyRef(Schema):
    """The study that a run reproduces."""

    slug: str = Field(examples=["jvm-backend-services"])
    variant: StudyVariant


class RunListItem(Schema):
    id: UUID
    slug: str = Field(examples=["k3v9q2mx4d"])
    title: str
    status: RunStatus
    visibility: Visibility
    purpose: Purpose
    permalink: str = Field(examples=["/r/k3v9q2mx4d"])
    host: str
    runtime: RuntimeKind = Field(description="The runtime in which the trials of the host run.")
    frameworks: list[FrameworkRef]
    scenarios: list[ScenarioRef]
    trials_per_cell: int
    progress: Progress
    cancel_requested: bool
    study: StudyRef | None = None
    example: bool = Field(
        False, description="Whether the run was measured elsewhere and loaded here as an example."
    )
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None


class WholeRun(RunListItem):
    seed: int = Field(description="Seed of the interleaved order.")
    rerun_of: UUID | None = None
    environment: dict[str, object] = Field(
        description="Environment of all succeeded trials: host fingerprint, harness, CPU sets."
    )
    cells: list[CellOut]
    groups: list[ResultGroupOut] = Field(description="In the order of their first cells.")
    blocks: list[ResultBlockOut] = Field(description="The groups as they are shown.")
    gate: GateOut | None = Field(
        None, description="Null until the run has ended, and if no SLO applies to its cells."
    )


class FinalizationFailure(Schema):
    """Why an ended run is not in histories, comparisons and leaderboards yet."""

    detail: str = Field(examples=["The disk of the database is full. Free some space."])
    attempts: int
    next_at: datetime = Field(description="When Tacho tries again automatically.")


class RunOut(WholeRun):
    model_config = ConfigDict(json_schema_extra={"examples": [RUN]})

    finalization_failure: FinalizationFailure | None = Field(
        None, description="Null unless the run could not be finalized."
    )
    trials: list[TrialOut]


class RunEvent(LiveEvent):
    """The status and progress of the run now. The stream begins with this event."""

    kind = "run"

    status: RunStatus
    progress: Progress


class RunEvents(Schema):
    """The data of each kind of event in the stream of a run, by the name of the event."""

    run: RunEvent
    trial: TrialEvent
    sample: SampleEvent
    log: LogEvent
    gap: GapEvent
    end: EndEvent
