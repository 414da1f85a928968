"""Rankings: ranks, ratios to a baseline, and the sentences that describe them."""

from uuid import UUID

from pydantic import Field

from backend.api.results.comparisons.schemas import MetricRatioOut
from backend.api.schemas import Schema
from backend.core.measurement.statistics.comparison import EQUIVALENCE_RATIO
from backend.core.units import Metric


class RankedCell(Schema):
    cell_id: UUID
    rank: int | None = Field(
        description="1 + the number of better results (Holm-corrected). Null if the result is "
        "excluded, has fewer than three trials, has a value of 0, or is the only one."
    )
    equivalent: list[UUID] = Field(description="Cells that it is equivalent to.")
    undecided: list[UUID] = Field(description="Cells from which it cannot be told apart yet.")
    ratio: MetricRatioOut | None = Field(
        description="To the baseline. Null for the baseline itself, and if a value is 0. Interval "
        "and state allow for the number of pairs, like the ranks."
    )


class GroupRankingOut(Schema):
    """A group of cells, ranked by one metric."""

    group: str = Field(examples=["hello.rate-quick"], description="Key of the group.")
    metric: Metric
    title: str = Field(examples=["CPU per request"])
    baseline: UUID | None = Field(
        description="Id of the cell that ratios refer to. Default: the cell with the best estimate."
    )
    detectable_ratio: float = Field(
        1.0,
        description="Smallest ratio that the host can detect. Smaller ratios are never a "
        "difference. 1 if the host is not calibrated.",
    )
    margin_ratio: float = Field(
        EQUIVALENCE_RATIO,
        description="Results that differ by less than this factor are equivalent: 1.03 means ±3 %.",
    )
    sentences: list[str] = Field(
        examples=[["Vert.x (61 µs [60, 63]) and Quarkus (63 µs [61, 66]) are equivalent …"]],
        description="The result in sentences that claim no more than the statistics allow.",
    )
    cells: list[RankedCell] = Field(
        description="By rank, then estimate. Cells without a rank follow: first those with a "
        "result, then excluded ones, then those without a value."
    )


class Ranking(Schema):
    groups: list[GroupRankingOut]
