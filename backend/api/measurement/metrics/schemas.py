"""Metrics with title, unit and direction."""

from pydantic import Field

from backend.api.schemas import Schema
from backend.core.units import Aggregation, Direction, Metric


class MetricOut(Schema):
    metric: Metric = Field(examples=["latency_p99_ms"])
    title: str = Field(examples=["Latency p99"])
    unit: str = Field(examples=["ms"])
    direction: Direction = Field(description="Which way is better.")
    aggregation: Aggregation
    is_primary: bool = Field(description="Whether tables show it first.")
