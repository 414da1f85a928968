"""Leaderboards: each framework's latest valid result of a scenario on a host, in tie groups."""

from datetime import datetime

from pydantic import Field

from backend.api.comparisons.schemas import DifferenceOut, MetricRatioOut, ResultItem
from backend.api.schemas import MetricSummary, ScenarioRef, Schema
from backend.core.units import Direction, Metric, ProfileKind


class EntryOut(Schema):
    result: ResultItem
    estimate: MetricSummary | None = Field(
        description="Null where it has no such number. A composite has no unit: only its ratios "
        "mean something."
    )
    rank: int | None = Field(
        description="1 + how many are certainly better, Holm-corrected; equal ranks are ties. "
        "Null for one trial, of which there is no interval."
    )
    ties: list[str] = Field(description="Slugs of the frameworks that it ties with.")
    to_best: MetricRatioOut | None = Field(
        description="Over the best estimate; null for the best. It has no word where the two tie "
        "and by themselves they would be told apart."
    )
    coverage: float = Field(description="Share of the weights for which the framework has numbers.")
    missing: list[Metric] = Field(
        description="Metrics without a number. All metrics, if no single trial has all of them."
    )


class ApartOut(Schema):
    """A latest result that is not ranked here, and in what it was measured otherwise."""

    result: ResultItem
    board: str
    differences: list[DifferenceOut]
    is_ranked_here: bool = Field(
        description="Whether an equally old or older result of the framework is on this board."
    )


class ProfileChoice(Schema):
    profile: str
    runtime: str
    frameworks: int = Field(description="Number of frameworks with a valid result.")
    at: datetime = Field(description="Of the newest.")


class LeaderboardOut(Schema):
    scenario: ScenarioRef
    host: str | None = Field(description="Null if no host has a valid result.")
    hosts: list[str] = Field(description="Hosts with any result of the scenario, by name.")
    profile: str | None
    kind: ProfileKind | None
    runtime: str | None
    parameters: dict[str, int]
    board: str | None = Field(description="Name of the conditions that all ranked results share.")
    metric: Metric
    weights: dict[Metric, float] = Field(description="Of a composite; else empty.")
    unit: str
    direction: Direction
    entries: list[EntryOut] = Field(description="By rank; entries without the number come last.")
    apart: list[ApartOut]
    excluded: list[ResultItem] = Field(description="Frameworks without any valid result.")
    profiles: list[ProfileChoice] = Field(
        description="Other profiles and runtimes measured on this host."
    )
