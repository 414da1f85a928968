"""Host events: simultaneous shifts of most series of a run."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from backend.api.schemas import Schema
from backend.core.units import Direction, Metric


class HostEventOut(Schema):
    """A shift of at least two thirds of the series of a run in the same direction.

    The cause is the host, not the services.
    """

    id: UUID
    host: str
    run_slug: str = Field(description="The run whose results shifted.")
    metric: Metric
    direction: Direction
    at: datetime = Field(description="Creation time of the first run at the new levels.")
    ratio: float = Field(description="Geometric mean of the shifts of all series.", examples=[1.12])
    series_shifted: int
    series_total: int
