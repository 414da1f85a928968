"""From a meter's reading to the reading that the runtime's Protocol promises."""

from dataclasses import asdict

from worker.runtime.base import ResourceReading
from worker.sampling.counters import MeterReading


def to_resource_reading(reading: MeterReading) -> ResourceReading:
    """The same figures, flat."""
    return ResourceReading(
        wall_ns=reading.wall_ns, source=reading.source, **asdict(reading.counters)
    )
