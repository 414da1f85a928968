"""Published studies: their tables and claims, and the results measured here."""

from datetime import datetime
from uuid import UUID

from pydantic import AliasPath, Field

from backend.api.schemas import FrameworkRef, MetricSummary, Name, RequestBody
from backend.core.bodies import Schema
from backend.core.catalog.study import Presentation
from backend.core.results.studies.findings import ClaimFinding, FindingCause
from backend.core.statuses import RunStatus, StudyVariant, Visibility
from backend.core.units import Direction, Metric, RuntimeKind, Verdict


class StudyRun(Schema):
    """A run that reproduces a study."""

    slug: str = Field(examples=["k3v9q2mx4d"])
    permalink: str = Field(examples=["/r/k3v9q2mx4d"])
    variant: StudyVariant = Field(validation_alias=AliasPath("study_variant"))
    status: RunStatus
    host: str = Field(validation_alias=AliasPath("host", "name"))
    runtime: RuntimeKind = Field(validation_alias=AliasPath("host", "runtime"))
    trials_per_cell: int
    cells: int
    example: bool = Field(
        description="Whether the run was measured elsewhere and loaded here as an example."
    )
    created_at: datetime
    finished_at: datetime | None = None


class StudyListItem(Schema):
    slug: str = Field(examples=["jvm-backend-services"])
    name: str
    description: str
    authors: list[str]
    year: int | None = Field(None, description="Null if the study does not state it.")
    kind: str = Field(examples=["Blog entry"])
    frameworks: list[FrameworkRef] = Field(
        description="Frameworks of the catalogue that the study compares."
    )
    tables: int = Field(description="Number of published results.")
    figures: int = Field(description="Published numbers in the tables.")
    claims: int
    reproductions: int


class SourceOut(Schema):
    title: str
    link: str | None = None
    host: str | None = Field(None, description="The hardware of the study.")


class SystemUnderTestOut(Schema):
    """A system under test of the study, and the framework that represents it here."""

    name: str = Field(examples=["Spring-Reactive"])
    framework: FrameworkRef | None = None
    wanted: str | None = Field(
        None,
        description="Slug of the framework that would represent the system, if the catalogue had "
        "it.",
    )
    note: str | None = None


class ExperimentOut(Schema):
    slug: str
    name: str
    scenario: str
    profile: str = Field(examples=["slow-third-party"])
    note: str | None = None


class ImpossibleOut(Schema):
    experiment: str
    system: str
    reason: str


class PlannedLoad(Schema):
    """A system under test under one load, with the values that the New run page offers."""

    framework: str
    scenario: str
    profile: str
    parameters: dict[str, int]


class VariantOut(Schema):
    """The cost of a reproduction here: its cells, trials and time."""

    trials: int = Field(description="Default number of trials of each cell.")
    seconds: float = Field(
        description="Longest duration of all trials, after the services are built."
    )
    cells: list[PlannedLoad]
    impossible: list[ImpossibleOut] = Field(
        description="Cells that cannot be measured here, with the reason."
    )


class MeasurementOut(Schema):
    """A result measured here. `reason` explains why there is none."""

    cell_id: UUID | None = None
    summary: MetricSummary | None = None
    unresponsive: bool = Field(description="Whether too few requests got a response.")
    excluded: bool
    verdicts: list[Verdict]
    reason: str | None = None


class ShownValueOut(Schema):
    """A result in the unit of the published figure next to it."""

    value: float
    low: float | None = None
    high: float | None = None
    unit: str = Field(examples=["min"])


class FigureComparisonOut(Schema):
    """A published figure and the result measured here. Ratios are measured ÷ published."""

    metric: Metric | None = None
    published: float | None = Field(None, description="In the metric's unit.")
    unit: str | None = None
    measured: MeasurementOut
    shown: ShownValueOut | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None


class TableCell(Schema):
    printed: str = Field(description="As printed in the study. Empty if the study prints nothing.")
    failed: bool = Field(description="Whether the study marks the system as unresponsive.")
    system: str | None = Field(None, validation_alias=AliasPath("meaning", "system"))
    figures: list[FigureComparisonOut]


class TableRow(Schema):
    head: str
    cells: list[TableCell]


class OrderOut(Schema):
    """Rank correlation of the published and the measured order.

    1: the same order, -1: the opposite order.
    """

    label: str
    metric: Metric
    direction: Direction
    systems: list[str] = Field(description="Systems with both numbers, without excluded systems.")
    n: int
    spearman: float | None = Field(None, validation_alias=AliasPath("agreement", "spearman"))
    kendall: float | None = Field(None, validation_alias=AliasPath("agreement", "kendall"))
    p_value: float | None = Field(None, validation_alias=AliasPath("agreement", "p_value"))
    reason: str | None = Field(None, description="Why the coefficient is null.")


class TableOut(Schema):
    slug: str
    title: str
    corner: str
    source_location: str = Field(
        description="Where the claim appears in the study.", examples=["Table 2"]
    )
    printed: Presentation
    setting: bool = Field(
        description="Whether the table describes the setup of the study, without results."
    )
    note: str | None = None
    columns: list[str]
    rows: list[TableRow]
    orders: list[OrderOut]


class MeasuredValueOut(Schema):
    """The value of a system in a check, in the unit of the metric."""

    system: str = Field(examples=["Nest"])
    value: float


class CheckOut(Schema):
    finding: ClaimFinding
    cause: FindingCause | None = Field(None, description="Null if it holds.")
    label: str = Field(
        description="The compared results and their metric.",
        examples=["Latency p50, Universities, high load: Micro ÷ Nest"],
    )
    metric: Metric
    unit: str = Field(
        description="× for a ratio, or the unit of the metric. Shares are compared by their "
        "difference."
    )
    expected: str = Field(examples=["more, about 171× ± 25%"])
    value: float | None = Field(None, description="The ratio, or the number itself.")
    low: float | None = None
    high: float | None = None
    n: int
    reason: str | None = None
    measured: list[MeasuredValueOut] = Field(description="The compared values.")


class ClaimOut(Schema):
    words: str
    question: str | None = Field(
        None, description="The research question of the study that the claim answers."
    )
    headline: bool = Field(description="Whether the page of the study begins with it.")
    source_location: str = Field(description="Where the claim appears in the study.")
    finding: ClaimFinding
    cause: FindingCause | None = Field(
        None, description="Why it does not hold or is undecided. Null if it holds."
    )
    unchecked: str | None = Field(None, description="Why the claim cannot be checked.")
    deciding: CheckOut | None = Field(
        None, description="The comparison that decides the claim, or shows why it is open."
    )
    checks: list[CheckOut]


class StudyDifference(Schema):
    """A difference between the published study and a reproduction."""

    topic: str = Field(examples=["Load generator"])
    study: str
    here: str
    reason: str


class StudyOut(StudyListItem):
    source: SourceOut
    differences: list[StudyDifference] = Field(
        description="The differences between a reproduction and the published study."
    )
    systems: list[SystemUnderTestOut]
    experiments: list[ExperimentOut]
    host: str | None = Field(None, description="The bench host that the variants are planned for.")
    variants: dict[StudyVariant, VariantOut]
    shown: StudyRun | None = Field(
        None, description="The run whose numbers are shown next to the published ones."
    )
    runs: list[StudyRun] = Field(description="The newest reproductions of the study.")
    result_tables: list[TableOut]
    orders: list[OrderOut] = Field(
        description="The published and the measured order of systems, for systems with a table "
        "each."
    )
    lead: list[str] = Field(
        description="Sentences that name frameworks: which headline claims are still true, and "
        "then the others by cause. Empty without a reproduction.",
        examples=[
            ["Still true: Vert.x has the fastest start (Vert.x 1,158 ms, Quarkus 1,514 ms)."]
        ],
    )
    claim_results: list[ClaimOut]
    deciding_trials: int = Field(description="Least number of trials that decide a claim.")


class ReproduceIn(RequestBody):
    variant: StudyVariant = Field(examples=["quick"])
    trials: int | None = Field(
        None,
        ge=1,
        le=50,
        strict=True,
        description="Default: the number of trials that the study sets for the variant.",
    )
    host: Name | None = Field(
        None, description="Default: the online host that can run the most cells."
    )
    visibility: Visibility = Visibility.UNLISTED
