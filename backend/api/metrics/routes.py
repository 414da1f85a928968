"""GET /metrics."""

from dataclasses import asdict

from fastapi import APIRouter

from backend.api.metrics.schemas import MetricOut
from backend.api.schemas import Page
from backend.core.units import METRICS

router = APIRouter(prefix="/metrics", tags=["metrics"])


@router.get("")
def list_metrics() -> Page[MetricOut]:
    """Return all metrics with title, unit and direction."""
    return Page(items=[MetricOut.model_validate(asdict(info)) for info in METRICS.values()])
