"""The answer of a run: what was found and how certain it is."""

from uuid import UUID

from pydantic import ConfigDict, Field

from backend.api.results.answers.examples import ANSWER
from backend.api.schemas import Schema
from backend.core.measurement.statistics.comparison import PairState
from backend.core.results.run_results.answer.model import AnswerKind
from backend.core.statuses import RunOutcome
from backend.core.units import Direction, Metric


class AnswerRow(Schema):
    """A result of the main group."""

    cell_id: UUID
    framework: str = Field(examples=["vertx"])
    name: str = Field(examples=["Vert.x"])
    colour: int
    rank: int | None = Field(description="As in the ranking of the group.")
    value: str = Field(examples=["61 µs"])
    interval: str | None = Field(
        examples=["[60, 63]"],
        description="The 95 % interval. Null with fewer than three trials.",
    )
    values: str | None = Field(
        examples=["61, 64 µs"],
        description="The values of the trials, if there are fewer than three.",
    )
    comparison: str = Field(
        examples=["1.54× [1.50, 1.58]"],
        description="With the baseline: `1×`, a ratio with its interval, `equivalent within 3 %`, "
        "`cannot be told apart yet, 0.92× to 1.86×`, `not comparable`, `excluded: …`, or empty "
        "without a result.",
    )
    state: PairState | None = Field(
        description="State of the pair with the baseline. Null for the baseline itself, and "
        "without a result."
    )
    excluded: bool
    is_bound: bool = Field(description="Whether the true value is at least the estimate.")
    estimate: float | None
    low: float | None
    high: float | None
    n: int = Field(description="Number of trials with a value.")
    ratio: float | None = Field(description="To the baseline; null for the baseline itself.")
    ratio_low: float | None
    ratio_high: float | None


class AnswerLine(Schema):
    """A scenario, a value of a sweep, a framework of a load in steps, or a tested metric."""

    group: str = Field(examples=["slow-upstream.rate-quick"])
    label: str = Field(examples=["400 req/s"])
    sentence: str = Field(examples=["Vert.x: 61 µs; Node.js 1.54×."])
    leaders: list[str] = Field(
        examples=[["vertx"]], description="Slugs of the frameworks that no other is better than."
    )


class MatrixColumn(Schema):
    group: str
    label: str
    metric_title: str = Field(examples=["CPU per request"])
    direction: Direction = Field(description="The better direction of the metric.")


class MatrixCell(Schema):
    text: str = Field(
        examples=["1.54× worse"],
        description="How much worse it is than the best result of the group. The range that is "
        "still possible, if the two cannot be told apart.",
    )
    state: PairState | None = Field(description="As in the rows. Null for the best result.")
    ratio: float | None = Field(description="To the best result of the group.")
    is_best: bool = Field(description="Whether its rank in the group is 1.")
    excluded: bool
    level: int = Field(description="From 0 to 4: how large the difference is, for shading.")


class MatrixRow(Schema):
    framework: str
    name: str
    colour: int
    cells: list[MatrixCell] = Field(description="In the order of the columns.")


class AnswerMatrix(Schema):
    """Frameworks × groups."""

    columns: list[MatrixColumn]
    rows: list[MatrixRow]


class AnswerWarning(Schema):
    """A warning that several results may share."""

    summary: str = Field(examples=["3 of 7 results are excluded: too many errors."])
    results: list[str] = Field(description="Names of the affected results.")
    details: list[str] = Field(description="The figures that led to it.")


class AnswerRemedy(Schema):
    """The run that would be usable."""

    label: str = Field(examples=["Run again at 500 req/s"])
    plan: dict[str, object] = Field(description="Body of `POST /runs`.")
    page: str | None = Field(
        examples=["/runs/new?cells=hello.node,hello.go-nethttp&set=hello.rate_rps.500"],
        description="The page New run with this plan. Null if its form cannot hold the plan.",
    )


class Answer(Schema):
    """The findings of a run, and their certainty."""

    model_config = ConfigDict(json_schema_extra={"examples": [ANSWER]})

    kind: AnswerKind = Field(
        description="ranking: one scenario and load. scenarios: several. sweep: several values of "
        "one parameter. steps: the highest sustained rate. pending: the run has not ended."
    )
    slug: str = Field(examples=["k3v9q2mx4d"], description="Slug of the run.")
    title: str = Field(description="Title of the run.")
    headline: str
    facts: list[str] = Field(description="Scenario, load, host and day.")
    sentences: list[str] = Field(description="One to three sentences, none without a result.")
    summary: str = Field(description="The answer in one line, for lists.")
    outcome: RunOutcome | None = Field(description="Null until the run has ended.")
    reason: str | None = Field(
        description="Why the run is not usable, or its warnings in short. Null without any."
    )
    remedy: AnswerRemedy | None = Field(
        description="Null if the run is usable, and if only another service would help."
    )
    warnings: list[AnswerWarning] = Field(description="The most severe first.")
    group: str | None = Field(description="Key of the main group, whose results are the rows.")
    metric: Metric | None
    metric_title: str | None = Field(examples=["CPU per request"])
    unit: str | None = Field(examples=["µs"])
    rows: list[AnswerRow] = Field(description="In the order of the ranking.")
    lines: list[AnswerLine] = Field(description="Empty for a single group.")
    matrix: AnswerMatrix | None = Field(description="Null for a single group.")
