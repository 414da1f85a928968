"""Groups of runs: the same cells, measured on several bench hosts."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from backend.api.runs.schemas import RunListItem
from backend.api.schemas import FrameworkRef, MetricSummary, ScenarioRef, Schema
from backend.core.units import Metric


class HostResult(Schema):
    """The result of a cell on one host."""

    host: str = Field(examples=["bench-01"])
    run_id: UUID
    cell_id: UUID
    framework_digest: str = Field(description="Digest of the files that the host measured.")
    excluded: bool = Field(description="Whether a verdict excludes the cell from ranking.")
    summary: MetricSummary | None = Field(
        description="Estimate of the main metric with its interval. Null without a result."
    )


class GroupRow(Schema):
    """A cell of the request, with its result on each host. Results of hosts are never pooled."""

    framework: FrameworkRef
    scenario: ScenarioRef
    profile: str = Field(examples=["rate-quick"])
    parameters: dict[str, int]
    metric: Metric = Field(description="The main metric of the load.")
    results: list[HostResult] = Field(description="In the order of the runs.")


class RunGroupOut(Schema):
    slug: str = Field(examples=["w7f4c2kx9p"])
    permalink: str = Field(examples=["/g/w7f4c2kx9p"])
    title: str
    created_at: datetime
    may_cancel: bool = Field(
        description="Whether the caller may cancel its runs, and at least one has not ended."
    )
    runs: list[RunListItem] = Field(
        description="The run of each host, in the order of the request. Runs that the caller may "
        "not open are left out."
    )
    rows: list[GroupRow] = Field(description="In the order of the cells of the request.")
