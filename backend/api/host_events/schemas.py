"""Host events: what shifted together."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from backend.api.schemas import Schema
from backend.core.units import Direction, Metric


class HostEventOut(Schema):
    """Two thirds or more of a run's series shifted alike: the host did it, not the services."""

    id: UUID
    host: str
    run_slug: str = Field(description="The run in which it was seen.")
    metric: Metric
    direction: Direction
    at: datetime = Field(description="Creation time of the first run at the new levels.")
    ratio: float = Field(description="Geometric mean of the series' shifts.", examples=[1.12])
    series_shifted: int
    series_total: int
