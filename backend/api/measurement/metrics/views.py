"""Metrics as the API shows them."""

from dataclasses import asdict

from backend.api.measurement.metrics.schemas import MetricOut
from backend.api.schemas import Page
from backend.core.units import METRICS, PRIMARY_METRICS


def metric_page() -> Page[MetricOut]:
    """Return all metrics on one page."""
    return Page(
        items=[
            MetricOut.model_validate(asdict(info) | {"is_primary": metric in PRIMARY_METRICS})
            for metric, info in METRICS.items()
        ]
    )
