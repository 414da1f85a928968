"""GET /metrics."""

from backend.api.deps import needs
from backend.api.http.router import NounRouter
from backend.api.measurement.metrics.schemas import MetricOut
from backend.api.measurement.metrics.views import metric_page
from backend.api.schemas import Page
from backend.core.people.access.permissions import Permission

router = NounRouter(prefix="/metrics", tags=["metrics"], dependencies=[needs(Permission.OPEN)])


@router.get("")
def list_metrics() -> Page[MetricOut]:
    """Return all metrics with title, unit and direction."""
    return metric_page()
