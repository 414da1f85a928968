"""The answer of a run as data: one object for the card, pictures, heads, lists and exports."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

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


@dataclass(frozen=True)
class ResultRow:
    """A result of the main group, with its figures as text and as numbers.

    Attributes:
        interval: None without an interval, and with fewer trials than a usable result needs.
        values: the values of these few trials; None with more trials.
        comparison: with the baseline, or why there is none.
        state: of the pair with the baseline; None for the baseline and without a result.
        is_bound: whether the true value is at least the estimate.
        ratio, ratio_low, ratio_high: to the baseline; None for the baseline itself.
    """

    cell_id: UUID
    framework: str
    name: str
    colour: int
    rank: int | None
    value: str
    interval: str | None
    values: str | None
    comparison: str
    excluded: bool
    state: PairState | None = None
    is_bound: bool = False
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None

    @property
    def figures(self) -> str:
        """Return value and interval in one text: `61 µs [60, 63]`."""
        return f"{self.value} {self.interval}" if self.interval else self.value


@dataclass(frozen=True)
class PartLine:
    """A part of the answer: a scenario, a value of a sweep, or a framework of a load in steps.

    Attributes:
        group: key of the group that shows it.
        leaders: slugs of the frameworks that no other is better than.
    """

    group: str
    label: str
    sentence: str
    leaders: Sequence[str] = ()


@dataclass(frozen=True)
class RatioColumn:
    """A group of the run, with the metric that it is ranked by."""

    group: str
    label: str
    metric_title: str
    direction: Direction


@dataclass(frozen=True)
class RatioCell:
    """The ratio of a framework to the best of a group, or the range that is still possible.

    `is_best` is whether its rank is 1. `state` is None for the best result itself. `level` grows
    with the size of the difference, from 0 to 4.
    """

    text: str
    ratio: float | None
    is_best: bool
    excluded: bool
    state: PairState | None = None
    level: int = 0


@dataclass(frozen=True)
class RatioRow:
    framework: str
    name: str
    colour: int
    cells: Sequence[RatioCell]


@dataclass(frozen=True)
class RatioMatrix:
    """Frameworks × groups."""

    columns: Sequence[RatioColumn]
    rows: Sequence[RatioRow]


@dataclass(frozen=True)
class SharedWarning:
    """A warning that several results may share.

    Attributes:
        summary: one line.
        results: names of the affected results.
        details: the figures that led to it, one text per result.
    """

    summary: str
    results: Sequence[str] = ()
    details: Sequence[str] = ()


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
    warnings: Sequence[SharedWarning] = ()
    group: str | None = None
    metric: Metric | None = None
    rows: Sequence[ResultRow] = ()
    lines: Sequence[PartLine] = ()
    matrix: RatioMatrix | None = None
