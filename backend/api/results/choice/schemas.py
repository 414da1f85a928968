"""Choices among frameworks: the recommendation, its reasons, and the table behind it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from backend.api.results.comparisons.schemas import MetricRatioOut
from backend.api.schemas import FrameworkRef, MetricSummary, ScenarioRef, VerdictOut
from backend.core.bodies import Schema
from backend.core.results.choose.criteria import Criterion
from backend.core.results.choose.missing import Availability
from backend.core.results.choose.recommendation import Recommended
from backend.core.units import Direction, Metric


class ChoiceColumnOut(Schema):
    """A criterion and the load by which it is judged."""

    criterion: Criterion
    metric: Metric
    title: str = Field(examples=["Latency p99"])
    unit: str
    direction: Direction
    load: str | None = Field(
        examples=["400 req/s for 30 s · upstream 1 000 ms"],
        description="Load of all results of the column. Null without results.",
    )
    runtime: str | None
    sentences: list[str] = Field(description="The ranking by this criterion. Empty without one.")


class ChoiceCellOut(Schema):
    """The result of a framework by a criterion, or why there is none."""

    criterion: Criterion
    availability: Availability
    words: str = Field(
        examples=["not measured"], description="The availability as words. Empty if measured."
    )
    estimate: MetricSummary | None
    rank: int | None = Field(description="1 + the number of better frameworks (Holm-corrected).")
    to_best: MetricRatioOut | None = Field(description="Ratio to the best. Null for the best.")
    verdicts: list[VerdictOut]
    cell_id: UUID | None
    permalink: str | None = Field(examples=["/r/k3v9q2mx4d"])
    at: datetime | None = Field(description="Creation time of the run.")


class ChoiceRowOut(Schema):
    framework: FrameworkRef
    cells: list[ChoiceCellOut] = Field(description="In the order of the columns.")


class ChoiceRunOut(Schema):
    """The run that measures what is missing, or what cannot be told apart yet."""

    label: str = Field(examples=["Measure 4 missing results"])
    plan: dict[str, Any] = Field(description="Body of `POST /runs`.")
    seconds: float = Field(description="Longest duration, without builds.")


class ChoiceParameterOut(Schema):
    name: str = Field(examples=["rate_rps"])
    title: str = Field(examples=["Rate"])
    unit: str = Field(examples=["req/s"])
    values: list[int] = Field(description="Values that loads of these frameworks' results have.")


class ChoiceOut(Schema):
    scenario: ScenarioRef
    host: str | None = Field(description="Host of all results. Null without results.")
    hosts: list[str] = Field(description="Hosts with results of the scenario, by name.")
    parameters: list[ChoiceParameterOut] = Field(
        description="The parameters that distinguish loads of the scenario."
    )
    outcome: Recommended
    best: list[str] = Field(
        description="Slug of the recommended framework, or of those that are equivalent or cannot "
        "be told apart yet."
    )
    headline: str = Field(
        examples=["Choose Node.js: it is fastest by latency p99, 1.3× faster than Quarkus REST"]
    )
    sentences: list[str] = Field(description="How sure the recommendation is.")
    against: list[str] = Field(description="Reasons against the recommended framework.")
    missing: list[str] = Field(description="Which frameworks have no result, and why.")
    columns: list[ChoiceColumnOut]
    rows: list[ChoiceRowOut]
    run: ChoiceRunOut | None = Field(description="Null if nothing is missing and all is decided.")
