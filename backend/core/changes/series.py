"""A series of results measured under the same conditions, and the metrics that are watched."""

import hashlib
import json
from dataclasses import asdict, dataclass
from uuid import UUID

from backend.core.documents import Parameters
from backend.core.models import CellSummary, Change
from backend.core.units import Metric


@dataclass(frozen=True)
class SeriesKey:
    """Points with equal keys belong to the same series."""

    workspace_id: UUID
    framework: str
    scenario: str
    profile: str
    parameters: Parameters
    metric: Metric
    runtime: str
    host_id: UUID
    host_digest: str
    harness_digest: str
    scenario_digest: str

    @property
    def digest(self) -> str:
        """Return the SHA-256 (hex), to look up the changes of a workspace's series."""
        own = asdict(self)
        del own["workspace_id"]
        document = json.dumps(own, sort_keys=True, default=str)
        return hashlib.sha256(document.encode()).hexdigest()


def key_of(row: CellSummary | Change, metric: Metric) -> SeriesKey:
    """Return the key of the series of a metric to which a cell or a change belongs."""
    return SeriesKey(
        workspace_id=row.workspace_id,
        framework=row.framework,
        scenario=row.scenario,
        profile=row.profile,
        parameters=row.parameters,
        metric=metric,
        runtime=row.runtime,
        host_id=row.host_id,
        host_digest=row.host_digest,
        harness_digest=row.harness_digest,
        scenario_digest=row.scenario_digest,
    )
