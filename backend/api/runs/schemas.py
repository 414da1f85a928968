"""Schemas of runs."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import (
    AliasPath,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    field_validator,
)

from backend.api.runs.examples import NEW_RUN, NEW_RUN_WITH_GOAL, RUN
from backend.api.schemas import (
    FrameworkRef,
    MetricSummary,
    Name,
    RequestBody,
    ScenarioRef,
    VerdictOut,
)
from backend.core.bodies import Schema
from backend.core.documents import Failure
from backend.core.runs.goal import FIRST_BLOCKS
from backend.core.runs.live.events import (
    ClosedEvent,
    EndEvent,
    GapEvent,
    LiveEvent,
    LogEvent,
    SampleEvent,
    TrialEvent,
)
from backend.core.runs.load_hosts import LoadHostNetwork
from backend.core.runs.planning import MAX_CELLS
from backend.core.runs.removal import Removal
from backend.core.statuses import (
    GoalState,
    RunOutcome,
    RunStatus,
    StudyVariant,
    TrialStatus,
    Visibility,
)
from backend.core.units import (
    Direction,
    Metric,
    ProfileKind,
    Purpose,
    RuntimeKind,
)
from backend.core.validation import UNION_TAG

_RANKED = f"{UNION_TAG}ranked"
_PRECISION = f"{UNION_TAG}precision"


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
    framework_digest: str | None = Field(
        None,
        pattern="^[0-9a-f]{8,64}$",
        examples=["3f2a9c10"],
        description="The digest that the framework must have, or its first 8 characters or more. "
        "The run is refused if the framework has changed.",
    )


class PrecisionGoal(Schema):
    """How precise every result must be."""

    metric: Metric = Field(examples=["latency_p99_ms"])
    precision_percent: float = Field(
        ge=0.1,
        le=50,
        strict=True,
        examples=[5],
        description="Half the width of the interval, in percent of the estimate.",
    )


def _find_goal_kind(goal: object) -> str:
    return _RANKED if isinstance(goal, str) else _PRECISION


Until = Annotated[
    Annotated[Literal["ranked"], Tag(_RANKED)] | Annotated[PrecisionGoal, Tag(_PRECISION)],
    Discriminator(_find_goal_kind),
]


class RunIn(RequestBody):
    model_config = ConfigDict(json_schema_extra={"examples": [NEW_RUN, NEW_RUN_WITH_GOAL]})

    title: Name | None = Field(None, examples=["Node or Go?"])
    host: Name | None = Field(
        None, description="Bench host. Default: the host with the shortest queue."
    )
    hosts: (
        Literal["any", "each"] | Annotated[list[Name], Field(min_length=1, max_length=50)] | None
    ) = Field(
        None,
        examples=["each", ["bench-01", "bench-02"]],
        description="`any`, the default: one run, on `host` or the host with the shortest queue. "
        "`each`: one run on every available host that has exactly the requested files. Names: one "
        "run on each of these hosts. The runs of several hosts form a group.",
    )
    load_hosts: list[Name] = Field(
        default_factory=list,
        max_length=8,
        examples=[["load-1", "load-2"]],
        description="Hosts that send the load over the network, each an equal part. Default: the "
        "bench host sends the load itself.",
    )
    cells: list[CellIn] = Field(
        min_length=1, max_length=MAX_CELLS, description="The cells to measure, at most 1,000."
    )
    until: Until | None = Field(
        None,
        examples=["ranked"],
        description="Goal of the run instead of `trials`. Each cell gets further trials until all "
        'results are ranked (`"ranked"`), or until every result is precise enough.',
    )
    trials: int | None = Field(
        None,
        ge=1,
        le=50,
        strict=True,
        description="Number of trials per cell, each with a fresh start of the service. Default: 5,"
        " or as many as `until` needs.",
    )
    max_trials: int | None = Field(
        None,
        ge=FIRST_BLOCKS,
        le=50,
        strict=True,
        description="Only with `until`: the largest number of trials per cell. Default: 20.",
    )
    max_minutes: int | None = Field(
        None,
        ge=1,
        le=1440,
        strict=True,
        description="Only with `until`: the run stops before a further trial of each cell would "
        "exceed this time. Builds do not count. Default: 30.",
    )
    seed: int | None = Field(
        None,
        ge=0,
        le=2**32 - 1,
        strict=True,
        examples=[2882343476],
        description="Seed of the interleaved order of the trials, to repeat that of another run. "
        "Default: a random one.",
    )
    visibility: Visibility = Visibility.UNLISTED
    purpose: Literal[Purpose.COMPARISON, Purpose.CALIBRATION] | None = Field(
        None,
        description="Default: `comparison`. Lists and histories do not show `calibration` runs.",
    )

    @field_validator("hosts")
    @classmethod
    def _check_hosts(cls, hosts: object, info: ValidationInfo) -> object:
        if hosts not in (None, "any") and info.data.get("host") is not None:
            raise ValueError("cannot be combined with host; remove one of them")
        return hosts

    @field_validator("trials")
    @classmethod
    def _check_trials(cls, trials: int | None, info: ValidationInfo) -> int | None:
        if trials is not None and info.data.get("until") is not None:
            raise ValueError(
                "cannot be combined with until; remove trials, and set max_trials as the limit"
            )
        return trials

    @field_validator("max_trials", "max_minutes")
    @classmethod
    def _check_limit(cls, limit: int | None, info: ValidationInfo) -> int | None:
        if limit is not None and "until" in info.data and info.data["until"] is None:
            raise ValueError('limits a run with until; add "until": "ranked", or remove it')
        return limit


class RunPatch(RequestBody):
    """Changes to a resource. Fields that are left out do not change."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"visibility": "public"}]})

    title: Name | None = Field(None, min_length=1, examples=["Node or Go?"])
    visibility: Visibility | None = Field(
        None,
        description="private: visible to members of the workspace. unlisted: visible with the "
        "link. public: listed.",
    )


class Progress(Schema):
    trials_total: int = Field(description="In a run with a goal, the number queued so far.")
    trials_finished: int = Field(description="Number of succeeded, failed and cancelled trials.")
    trials_failed: int
    share: float = Field(
        description="Finished share of the run from 0 to 1, by estimated time. In a run "
        "with a goal, the share of its limits."
    )
    queue_position: int | None = Field(
        None, description="Number of runs ahead on the same host. Null unless the run is queued."
    )
    estimated_seconds_until_start: float | None = Field(
        None,
        description="Estimate for the runs ahead on the same host, until their limits if they have "
        "a goal. Builds are not included. Null unless the run is queued.",
    )
    estimated_seconds_left: float | None = Field(
        None,
        description="Estimate for the trials of this run, without the runs ahead of it. In a run "
        "with a goal, the time until its limits.",
    )


class RunGoalOut(Schema):
    """The goal of a run that stops when its answer is certain, and how far the run is."""

    until: Until
    max_trials: int
    max_minutes: int
    state: GoalState = Field(
        description="open: not reached yet. reached. max_trials or max_minutes: this limit was "
        "reached first. unreachable: too few results are left. failed: Tacho could not judge it."
    )
    blocks: int = Field(
        description="Number of complete blocks. A block is one trial of every cell that still gets "
        "trials."
    )
    more_trials: int | None = Field(
        description="Estimated number of further trials per cell until the goal is reached. Null if"
        " it is reached, and if no number is enough."
    )
    sentence: str | None = Field(
        examples=["Stopped after 6 trials each: Go net/http uses the least CPU per request."],
        description="The state in words. Null if the run was cancelled before it was reached.",
    )


class WarmUpsOut(Schema):
    """The warm-ups of the succeeded trials of a cell."""

    shortest_seconds: int = Field(examples=[11])
    longest_seconds: int = Field(examples=[17])
    cap_seconds: int = Field(description="Longest duration that was allowed.", examples=[30])
    steady: int = Field(description="Number of trials whose load was steady at the end.")
    unsteady: int = Field(description="Number of trials whose load was not steady at the limit.")
    untested: int = Field(description="Number of trials with a warm-up too short to test.")
    reasons: list[str] = Field(
        description="Why the warm-ups ended.", examples=[["The load was steady for 10 s."]]
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
    framework_digest: str | None = Field(
        None,
        examples=["3f2a9c10"],
        description="Digest of the framework when the run was requested.",
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
    warm_ups: WarmUpsOut | None = Field(
        None, description="Null in lists, and for cells without a recorded warm-up."
    )
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

    slo_id: UUID = Field(validation_alias=AliasPath("slo", "id"))
    cell_id: UUID = Field(validation_alias=AliasPath("result", "summary", "cell_id"))
    metric: Metric = Field(validation_alias=AliasPath("slo", "metric"))
    limit: float = Field(validation_alias=AliasPath("slo", "limit"))
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

    slug: str = Field(validation_alias=AliasPath("study"), examples=["jvm-backend-services"])
    variant: StudyVariant = Field(validation_alias=AliasPath("study_variant"))


class GroupRef(Schema):
    """The group of runs that measure the same cells on several hosts."""

    slug: str = Field(examples=["w7f4c2kx9p"])
    permalink: str = Field(examples=["/g/w7f4c2kx9p"])


class RunListItem(Schema):
    id: UUID
    slug: str = Field(examples=["k3v9q2mx4d"])
    title: str
    status: RunStatus
    outcome: RunOutcome | None = Field(
        None,
        description="Whether the run has a usable answer. Null until it has ended and is "
        "finalized.",
    )
    summary: str | None = Field(
        None,
        examples=["Vert.x uses the least CPU per request, 1.54× less than Node.js"],
        description="The answer in one line: the best frameworks, the metric, and the ratio to the"
        " next. Null like the outcome.",
    )
    visibility: Visibility
    purpose: Purpose
    permalink: str = Field(examples=["/r/k3v9q2mx4d"])
    host: str = Field(validation_alias=AliasPath("host", "name"))
    load_hosts: list[str] = Field(
        default_factory=list,
        description="Hosts that send the load over the network. Empty if `host` sends it.",
    )
    runtime: RuntimeKind = Field(
        validation_alias=AliasPath("host", "runtime"),
        description="The runtime in which the trials of the host run.",
    )
    frameworks: list[FrameworkRef]
    scenarios: list[ScenarioRef]
    trials_per_cell: int = Field(description="In a run with a goal, the number so far.")
    goal: RunGoalOut | None = Field(None, description="Null for a fixed number of trials.")
    progress: Progress
    cancel_requested: bool
    group: GroupRef | None = Field(
        None,
        description="Its group, if the run was requested for several hosts. Null for viewers "
        "outside of its workspace.",
    )
    study: StudyRef | None = None
    requested_by: str | None = Field(
        None,
        examples=["ann@example.org"],
        description="The person, token or part of Tacho that requested the run. Null for viewers "
        "outside of its workspace, and for runs of older versions.",
    )
    example: bool = Field(
        False, description="Whether the run was measured elsewhere and loaded here as an example."
    )
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None


class RemovalOut(Removal):
    """The parts of a run that archiving or retention removed."""


class LoadHostNetworkOut(LoadHostNetwork):
    """The network from a load host to the services: medians of all trials, each measured before
    the load."""


class WholeRun(RunListItem):
    seed: int = Field(description="Seed of the interleaved order.")
    rerun_of: UUID | None = None
    removal: RemovalOut | None = Field(
        None, description="The parts of the run that were removed. Null while all of it is stored."
    )
    environment: dict[str, object] = Field(
        description="Environment of all succeeded trials: host fingerprint, harness, CPU sets."
    )
    networks: list[LoadHostNetworkOut] = Field(
        default_factory=list,
        description="The network of each load host. Empty if the host of the services sent the "
        "load, and before the first trial has succeeded.",
    )
    cells: list[CellOut]
    groups: list[ResultGroupOut] = Field(description="In the order of their first cells.")
    blocks: list[ResultBlockOut] = Field(description="The groups as they are shown.")
    gate: GateOut | None = Field(
        None, description="Null until the run has ended, and if no SLO applies to its cells."
    )


class FinalizationFailure(Schema):
    """Why an ended run is not in histories, comparisons and leaderboards yet."""

    detail: str = Field(
        validation_alias=AliasPath("finalization_error"),
        examples=["The disk of the database is full. Free some space."],
    )
    attempts: int = Field(validation_alias=AliasPath("finalization_attempts"))
    next_at: datetime = Field(
        validation_alias=AliasPath("finalize_after"),
        description="When Tacho tries again automatically.",
    )


class RunOut(WholeRun):
    model_config = ConfigDict(json_schema_extra={"examples": [RUN]})

    is_own: bool = Field(
        description="Whether the run belongs to the workspace of the request, whose members may "
        "change it."
    )
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
    closed: ClosedEvent
    end: EndEvent
