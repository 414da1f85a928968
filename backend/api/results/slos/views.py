"""SLOs as the API shows them."""

from backend.api.results.slos.schemas import SloOut
from backend.core.models import Slo
from backend.core.units import METRICS


def slo_out(slo: Slo) -> SloOut:
    info = METRICS[slo.metric]
    return SloOut(
        id=slo.id,
        framework=slo.framework,
        scenario=slo.scenario,
        profile=slo.profile,
        metric=info.metric,
        limit=slo.limit,
        unit=info.unit,
        direction=info.direction,
        created_at=slo.created_at,
    )
