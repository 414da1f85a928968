"""Converts a meter's reading to the reading of the runtime's Protocol."""

from dataclasses import asdict

from worker.resources.counters import MeterReading
from worker.runtime.base import ResourceReading


def to_resource_reading(reading: MeterReading) -> ResourceReading:
    """Return the same figures without nesting."""
    return ResourceReading(
        wall_ns=reading.wall_ns, source=reading.source, **asdict(reading.counters)
    )
