"""The answer of a run as data: one object for the card, pictures, heads, lists and exports."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from pydantic import Field

from backend.core.bodies import Schema
from backend.core.documents import JsonObject
from backend.core.measurement.statistics.comparison import PairState
from backend.core.statuses import RunOutcome
from backend.core.units import Direction, Metric


class AnswerKind(StrEnum):
    """The kind of question that a run answers.

    RANKING: one scenario and load. SCENARIOS: several. SWEEP: several values of one parameter.
    STEPS: the highest sustained rate. PENDING: the run has not ended.
    """

    RANKING = "ranking"
    SCENARIOS = "scenarios"
    SWEEP = "sweep"
    STEPS = "steps"
    CALIBRATION = "calibration"
    CONFIRMATION = "confirmation"
    PENDING = "pending"


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

    @property
    def figures(self) -> str:
        """Return value and interval in one text: `61 µs [60, 63]`."""
        return f"{self.value} {self.interval}" if self.interval else self.value


class AnswerLine(Schema):
    """A scenario, a value of a sweep, a framework of a load in steps, or a tested metric."""

    group: str = Field(examples=["slow-upstream.rate-quick"])
    label: str = Field(examples=["400 req/s"])
    sentence: str = Field(examples=["Vert.x: 61 µs; Node.js 1.54×."])
    leaders: list[str] = Field(
        examples=[["vertx"]], description="Slugs of the frameworks that no other is better than."
    )


def make_line(group: str, label: str, sentence: str, leaders: Sequence[str] = ()) -> AnswerLine:
    """Return a line about a group."""
    return AnswerLine(group=group, label=label, sentence=sentence, leaders=list(leaders))


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


@dataclass(frozen=True)
class RunRemedy:
    """The run that would be usable. `plan` is the body of a request for a run."""

    label: str
    plan: JsonObject


@dataclass(frozen=True)
class RunAnswer:
    """The findings of a run, and their certainty.

    Attributes:
        facts: what was measured, where and when.
        outcome: None until the run has ended.
        reason: why the run is not usable, or its warnings in short.
        summary: the headline with the next result, in one line for lists.
        group: key of the main group, whose results are the rows.
        lines: empty for a single group.
    """

    kind: AnswerKind
    headline: str
    facts: Sequence[str]
    sentences: Sequence[str]
    outcome: RunOutcome | None
    summary: str
    reason: str | None = None
    remedy: RunRemedy | None = None
    warnings: Sequence[AnswerWarning] = ()
    group: str | None = None
    metric: Metric | None = None
    rows: Sequence[AnswerRow] = ()
    lines: Sequence[AnswerLine] = ()
    matrix: AnswerMatrix | None = None
