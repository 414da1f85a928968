"""Leaderboards: each framework's latest valid result of a scenario on a host, ranked."""

from datetime import datetime

from pydantic import Field

from backend.api.results.comparisons.schemas import DifferenceOut, MetricRatioOut, ResultItem
from backend.api.schemas import MetricSummary, ScenarioRef, Schema
from backend.core.results.leaderboard.service import RankedInstead
from backend.core.units import Direction, Metric, ProfileKind


class EntryOut(Schema):
    result: ResultItem
    estimate: MetricSummary | None = Field(
        description="Null without the number. A composite has no unit; only its ratios are "
        "meaningful."
    )
    rank: int | None = Field(
        description="1 + the number of better frameworks (Holm-corrected). Null if the result has "
        "fewer than three trials, has a value of 0, or is the only one."
    )
    equivalent: list[str] = Field(description="Slugs of the frameworks that it is equivalent to.")
    undecided: list[str] = Field(
        description="Slugs of the frameworks from which it cannot be told apart yet."
    )
    to_best: MetricRatioOut | None = Field(
        description="Ratio to the best estimate. Null for the best framework."
    )
    coverage: float = Field(description="Share of the weights for which the framework has numbers.")
    missing: list[Metric] = Field(
        description="Metrics without a number. All metrics, if no single trial has all of them."
    )


class ApartOut(Schema):
    """A latest result that is not ranked here, and the differences in its conditions."""

    result: ResultItem
    board: str
    differences: list[DifferenceOut]
    ranked_instead: RankedInstead | None = Field(
        description="The run of the framework's result that is ranked here instead. Null if no "
        "result of the framework is ranked here."
    )


class ProfileChoice(Schema):
    profile: str
    runtime: str
    frameworks: int = Field(description="Number of frameworks with a valid result.")
    at: datetime = Field(description="Time of the newest result.")


class LeaderboardOut(Schema):
    scenario: ScenarioRef
    host: str | None = Field(description="Null if no host has a valid result.")
    hosts: list[str] = Field(description="Hosts with a result of the scenario, ordered by name.")
    profile: str | None
    kind: ProfileKind | None
    runtime: str | None
    parameters: dict[str, int]
    board: str | None = Field(
        description="Name of the conditions under which all ranked results were measured."
    )
    metric: Metric
    weights: dict[Metric, float] = Field(
        description="Weights of a composite. Empty for a single metric."
    )
    unit: str
    direction: Direction
    trusted: int = Field(
        description="Number of ranked results without a warning, which includes enough trials, on a"
        " host that was calibrated in the same state."
    )
    unwarned: int = Field(description="Number of ranked results without a warning.")
    sentences: list[str] = Field(
        description="The ranking in sentences that claim no more than the statistics allow. The"
        " first is the headline."
    )
    entries: list[EntryOut] = Field(
        description="Ordered by rank. Entries without the number are last."
    )
    apart: list[ApartOut]
    excluded: list[ResultItem] = Field(description="Frameworks without any valid result.")
    profiles: list[ProfileChoice] = Field(
        description="Other profiles and runtimes measured on this host."
    )
