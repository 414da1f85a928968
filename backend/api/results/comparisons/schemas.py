"""Comparisons of results with a baseline."""

from datetime import datetime
from uuid import UUID

from pydantic import AliasPath, ConfigDict, Field, JsonValue

from backend.api.measurement.trials.schemas import Percentile, StepOut
from backend.api.schemas import FrameworkRef, MetricSummary, RequestBody, ScenarioRef, VerdictOut
from backend.core.bodies import Schema
from backend.core.measurement.statistics.comparison import PairState
from backend.core.results.ranking.pairs import Comparability, Method
from backend.core.units import Metric, ProfileKind

MOST_CELLS = 24
_EXAMPLE: dict[str, JsonValue] = {
    "cells": ["0190f3c2-7b1f-7c3a-8f00-4a5b6c7d8e9f", "0190f3c2-7b20-7c3a-8f00-4a5b6c7d8e9f"]
}


class ComparisonIn(RequestBody):
    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    cells: list[UUID] = Field(
        min_length=1,
        max_length=MOST_CELLS,
        description="Cells of one or more finished runs.",
    )
    baseline: UUID | None = Field(
        None, description="One of the cells. Default: the first cell that is not excluded."
    )


class ResultItem(Schema):
    """A cell of a finished run, with its host, its builds and its environment."""

    cell_id: UUID
    run_id: UUID
    run_slug: str = Field(examples=["k3v9q2mx4d"])
    run_title: str
    at: datetime = Field(description="Creation time of the run.")
    host: str
    runtime: str
    framework: FrameworkRef
    framework_digest: str
    scenario: ScenarioRef
    scenario_digest: str
    host_digest: str
    harness_digest: str
    image_digest: str | None
    profile: str
    kind: ProfileKind
    parameters: dict[str, int]
    trials_succeeded: int
    trials_failed: int
    excluded: bool
    verdicts: list[VerdictOut]


class ListedResult(ResultItem):
    """A result with its value by the main metric of its kind of load."""

    metric: Metric | None = Field(description="Null if it has no value by a main metric.")
    metric_title: str | None = Field(examples=["CPU per request"])
    value: MetricSummary | None


class ComparedResult(ResultItem):
    """A result with its numbers."""

    label: str = Field(
        examples=["Node.js, 300 req/s for 10 s"],
        description="Name of the framework. It includes what distinguishes results of one "
        "framework.",
    )
    summary: dict[Metric, MetricSummary]
    values: dict[Metric, dict[int, float]] = Field(
        description="Value of each repetition. All statistics are computed from these values."
    )
    environment: dict[str, object] = Field(description="Environment of the first successful trial.")


class DifferenceOut(Schema):
    """A difference in the conditions of a result and the baseline. It makes them incomparable."""

    subject: str = Field(examples=["host"])
    baseline: str = Field(validation_alias=AliasPath("one"), examples=["bench-01"])
    other: str = Field(examples=["bench-02"])


class MetricRatioOut(Schema):
    """The ratio of a metric to the same metric of the baseline, or the difference of shares."""

    ratio: float | None = Field(
        description="Null for shares, which are compared by their `difference`."
    )
    difference: float | None = Field(
        None,
        description="Of shares: 0.02 means 2 percentage points more than the baseline. Null for "
        "other metrics.",
    )
    low: float | None = Field(
        description="Lower bound of the confidence interval of the ratio or difference, widened by "
        "the disagreement of the host's two load generators. Null with fewer than three trials."
    )
    high: float | None = Field(
        description="Upper bound. Null with fewer than three trials. If only this is null, the "
        "ratio has no upper bound: one of the two sustained the last step of its load."
    )
    state: PairState = Field(
        description="State of the pair: `difference`, `equivalent` within the margin, "
        "`cannot_be_told_apart_yet` or `not_comparable`."
    )
    is_better: bool | None = Field(
        description="Whether the result is better than the baseline. Null unless the state is "
        "`difference`."
    )
    text: str = Field(
        examples=["1.54× [1.50, 1.58]"],
        description="The ratio or difference with its interval. A bound has only one side: "
        "`at least 1.83×`, `below 0.545×`.",
    )
    words: str = Field(
        examples=["equivalent within 3 %"],
        description="The state as text: `higher`, `lower`, `equivalent within 3 %`, `cannot be "
        "told apart yet` or `not comparable`.",
    )
    explanation: str | None = Field(
        examples=["Between 8 % lower and 86 % higher. About 12 trials each would decide."],
        description="The range that is still possible, and what would decide. Null unless the "
        "state is `cannot_be_told_apart_yet`.",
    )
    trials_needed: int | None = Field(
        description="Number of trials each with which the pair would probably (80 %) be decided. "
        "Null if it is decided, and if no number of trials is enough."
    )
    method: Method
    n: int = Field(
        description="Number of pairs. For independent trials, the number of trials of the smaller "
        "side."
    )


class PairOut(Schema):
    cell_id: UUID
    comparability: Comparability
    differences: list[DifferenceOut] = Field(
        description="Why the results are not comparable. Empty for comparable results."
    )
    ratios: dict[Metric, MetricRatioOut]


class ComparisonOut(Schema):
    statistics_version: int = Field(
        description="Version of the statistics that computed the comparison. 0 if it was saved "
        "before statistics had a version."
    )
    baseline: UUID
    metric: Metric = Field(description="The main metric, which most of the results have.")
    sentences: dict[Metric, list[str]] = Field(
        examples=[{"boot_ms": ["Boot, compared with Node.js: Go at 0.612× is faster."]}],
        description="The comparison in sentences that claim no more than the statistics allow. "
        "Empty in snapshots from before the server wrote sentences.",
    )
    cells: list[ComparedResult] = Field(description="Oldest first.")
    pairs: list[PairOut] = Field(description="Differences of each other cell from the baseline.")


class SpreadOut(Schema):
    """A value over all trials of a cell, with one number for each entry of `seconds`."""

    low: list[float | None]
    middle: list[float | None] = Field(description="The median trial.")
    high: list[float | None]


class SeriesOut(Schema):
    """Measured seconds. A long series is reduced to intervals that keep their minima and maxima."""

    seconds: list[int]
    throughput_rps: SpreadOut
    latency_p99_ms: SpreadOut
    cpu_cores: SpreadOut
    memory_bytes: SpreadOut


class CellChartsOut(Schema):
    """The chart data of a cell, over all its succeeded trials."""

    cell_id: UUID
    requests: int = Field(description="Successful requests in the distribution.")
    percentiles: list[Percentile]
    histogram: str = Field(
        description="The merged distribution in ns, as base64 of uvarint pairs (distance, count) "
        "with 128 buckets per octave."
    )
    series: SeriesOut
    steps: list[StepOut] = Field(
        description="Steps of a stepped load, merged over its trials. Empty for other loads."
    )


class ComparisonCharts(Schema):
    cells: list[CellChartsOut]


class SnapshotOut(Schema):
    """All that a comparison showed when it was saved. Its hash is that of its canonical JSON."""

    comparison: ComparisonOut
    charts: ComparisonCharts


class SnapshotRef(Schema):
    hash: str = Field(
        description="SHA-256 of export.json's bytes when the snapshot was saved. An upgrade of "
        "Tacho may rename fields in the document; the hash stays."
    )
    permalink: str = Field(examples=["/c/2c26b46b68ffc68ff99b453c1d304134…"])
