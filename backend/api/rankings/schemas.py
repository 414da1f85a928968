"""Rankings: ranks in tie groups, ratios over a baseline, and the same in words."""

from uuid import UUID

from pydantic import Field

from backend.api.comparisons.schemas import MetricRatioOut
from backend.api.schemas import Schema
from backend.core.units import Metric


class RankedCell(Schema):
    cell_id: UUID
    rank: int | None = Field(
        description="1 + how many are certainly better (Holm-corrected). Null when excluded, or "
        "without an interval."
    )
    ties: list[UUID] = Field(
        description="Cells that are not significantly different, or differ too little to matter."
    )
    ratio: MetricRatioOut | None = Field(
        description="Null for the baseline, and where there is none. It has no word where one is "
        "excluded, or where the two tie and by themselves they would be told apart."
    )


class GroupRanking(Schema):
    """Cells of one scenario, profile and parameters by one metric."""

    group: str = Field(examples=["hello.rate-quick"])
    metric: Metric
    title: str = Field(examples=["CPU per request"])
    baseline: UUID | None = Field(description="Default: the best estimate.")
    sentences: list[str] = Field(
        examples=[["Vert.x (61 µs [60, 63]) and Quarkus (63 µs [61, 66]) tie for the lowest …"]],
        description="The result in sentences that claim no more than the statistics allow.",
    )
    cells: list[RankedCell] = Field(
        description="Best estimate first, then excluded cells, then cells without a number."
    )


class Ranking(Schema):
    groups: list[GroupRanking]
