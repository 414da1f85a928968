"""The latency percentiles of a second, and the seconds stored with a trial."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from uuid import UUID

from backend.core.measurement.measurements.histogram import Histogram
from backend.core.models import Sample
from backend.core.second import SECOND_NAMES, Second
from backend.core.units import Phase

_COLUMNS = {
    "latency_p50_ms": 0.5,
    "latency_p90_ms": 0.9,
    "latency_p95_ms": 0.95,
    "latency_p99_ms": 0.99,
    "latency_max_ms": 1.0,
}


def as_row(trial_id: UUID, second: Second) -> dict[str, object]:
    """Return the columns of a `sample`, including latency percentiles."""
    return {"trial_id": trial_id, **vars(second), **latency_columns(second.latency)}


def second_of(row: Sample) -> Second:
    """Return the second stored in this row."""
    return Second(**{name: getattr(row, name) for name in SECOND_NAMES})


# The live view needs them while the load runs, verdicts and rows at the end of the trial.
@lru_cache(maxsize=4096)
def latency_columns(encoded: bytes) -> Mapping[str, float | None]:
    """Return the percentiles (ms) stored with each second; all None for none.

    Args:
        encoded: a histogram encoded by `Histogram.to_varints`.
    """
    histogram = Histogram.from_varints(encoded)
    if not histogram.count:
        return MappingProxyType(dict.fromkeys(_COLUMNS))
    points = histogram.points(list(_COLUMNS.values()))
    return MappingProxyType(
        {name: point / 1e6 for name, point in zip(_COLUMNS, points, strict=True)}
    )


def measured(seconds: Iterable[Second]) -> list[Second]:
    """Return the seconds of the measured phase."""
    return [second for second in seconds if second.phase is Phase.MEASURE]
