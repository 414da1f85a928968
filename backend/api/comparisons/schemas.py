"""Comparisons: results side by side, and what may be said of each against a baseline."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import ConfigDict, Field

from backend.api.schemas import FrameworkRef, MetricSummary, ScenarioRef, Schema, VerdictOut
from backend.api.trials.schemas import Percentile, StepOut
from backend.core.ranking.pairs import Comparability, Method
from backend.core.statistics.comparison import Word
from backend.core.units import Metric, ProfileKind

MOST_CELLS = 24
_EXAMPLE: dict[str, Any] = {
    "cells": ["0190f3c2-7b1f-7c3a-8f00-4a5b6c7d8e9f", "0190f3c2-7b20-7c3a-8f00-4a5b6c7d8e9f"]
}


class ComparisonIn(Schema):
    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    cells: list[UUID] = Field(
        min_length=1, max_length=MOST_CELLS, description="Cells of any runs that have ended."
    )
    baseline: UUID | None = Field(
        None, description="One of the cells. Default: the first that is not excluded."
    )


class ResultItem(Schema):
    """A cell of an ended run, and what it was measured with and on."""

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


class ComparedResult(ResultItem):
    """A result with its numbers."""

    summary: dict[Metric, MetricSummary]
    values: dict[Metric, dict[int, float]] = Field(
        description="Repetition to value. All statistics are computed from these."
    )
    environment: dict[str, Any] = Field(description="Environment of the first successful trial.")


class DifferenceOut(Schema):
    """One thing in which a result differs from the baseline, so that their numbers do not mix."""

    subject: str = Field(examples=["host"])
    baseline: str = Field(examples=["bench-01"])
    other: str = Field(examples=["bench-02"])


class MetricRatioOut(Schema):
    """A metric over the baseline's."""

    ratio: float
    low: float | None = Field(description="Of the 95 % interval; null with too few trials.")
    high: float | None
    word: Word | None = Field(description="Null if the two may not be compared.")
    power: float | None = Field(
        description="Probability that trials as many and as noisy find a true 5 %."
    )
    method: Method
    n: int = Field(description="Pairs; for independent trials those of the smaller side.")


class PairOut(Schema):
    cell_id: UUID
    comparability: Comparability
    differences: list[DifferenceOut] = Field(
        description="Why they are incomparable. Empty for comparable results."
    )
    ratios: dict[Metric, MetricRatioOut]


class ComparisonOut(Schema):
    statistics_version: int = Field(
        description="Version of the statistics that computed the comparison. 0: from before the "
        "statistics had a version."
    )
    baseline: UUID
    cells: list[ComparedResult] = Field(description="Oldest first.")
    pairs: list[PairOut] = Field(description="Each other cell against the baseline.")


class SpreadOut(Schema):
    """A figure over the trials of a cell, a number for each entry of `seconds`."""

    low: list[float | None]
    middle: list[float | None] = Field(description="The median trial.")
    high: list[float | None]


class SeriesOut(Schema):
    """Measured seconds; long series in stretches that keep their extremes."""

    seconds: list[int]
    throughput_rps: SpreadOut
    latency_p99_ms: SpreadOut
    cpu_cores: SpreadOut
    memory_bytes: SpreadOut


class CellChartsOut(Schema):
    """What is drawn of a cell, over all its trials that succeeded."""

    cell_id: UUID
    requests: int = Field(description="Successful requests in the distribution.")
    percentiles: list[Percentile]
    histogram: str = Field(
        description="The merged distribution in ns, base64: uvarint pairs of distance and count, "
        "128 buckets an octave."
    )
    series: SeriesOut
    steps: list[StepOut] = Field(description="Of a load in steps, trials merged; else empty.")


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
