"""GET /metrics."""

from pydantic import Field

from backend.api.deps import needs
from backend.api.http.router import NounRouter
from backend.api.schemas import Page
from backend.core.bodies import Schema
from backend.core.people.access.permissions import Permission
from backend.core.units import METRICS, PRIMARY_METRICS, Aggregation, Direction, Metric


class MetricOut(Schema):
    metric: Metric = Field(examples=["latency_p99_ms"])
    title: str = Field(examples=["Latency p99"])
    unit: str = Field(examples=["ms"])
    direction: Direction = Field(description="Which way is better.")
    aggregation: Aggregation
    is_primary: bool = Field(description="Whether tables show it first.")


def metric_page() -> Page[MetricOut]:
    """Return all metrics on one page."""
    return Page(
        items=[
            MetricOut.of(info, is_primary=metric in PRIMARY_METRICS)
            for metric, info in METRICS.items()
        ]
    )


router = NounRouter(prefix="/metrics", tags=["metrics"], dependencies=[needs(Permission.OPEN)])


@router.get("")
def list_metrics() -> Page[MetricOut]:
    """Return all metrics with title, unit and direction."""
    return metric_page()
