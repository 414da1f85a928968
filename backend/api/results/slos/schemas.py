"""SLOs: limits for metrics."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import ConfigDict, Field

from backend.api.schemas import Name, RequestBody, Schema
from backend.core.units import Direction, Metric

Limit = Annotated[
    float,
    Field(
        gt=0,
        le=1e15,
        allow_inf_nan=False,
        strict=True,
        description="The limit in the unit of the metric: a maximum if lower is better, a minimum"
        " if higher is better.",
        examples=[50.0],
    ),
]


class SloIn(RequestBody):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"scenario": "hello", "metric": "latency_p99_ms", "limit": 50}]
        }
    )

    framework: Name | None = Field(None, examples=["node"], description="Default: all frameworks.")
    scenario: Name = Field(examples=["hello"])
    profile: Name | None = Field(
        None, examples=["rate-quick"], description="Default: all profiles."
    )
    metric: Metric = Field(examples=["latency_p99_ms"])
    limit: Limit


class SloMove(RequestBody):
    limit: Limit


class SloOut(Schema):
    id: UUID
    framework: str | None
    scenario: str
    profile: str | None
    metric: Metric
    limit: float
    unit: str = Field(examples=["ms"])
    direction: Direction
    created_at: datetime
