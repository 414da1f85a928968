"""GET /metrics."""

from fastapi import APIRouter

from backend.api.metrics.schemas import MetricOut
from backend.api.metrics.views import metric_page
from backend.api.schemas import Page

router = APIRouter(prefix="/metrics", tags=["metrics"])


@router.get("")
def list_metrics() -> Page[MetricOut]:
    """Return all metrics with title, unit and direction."""
    return metric_page()
