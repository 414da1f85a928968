"""Parse figures as printed in a study: `1.14 min`, `1.05 GiB`, `211 B/200 B`."""

import re
from dataclasses import dataclass

from backend.core.units import METRICS, Metric

_FIGURE = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)\s*(seconds|min|ms|s|GiB|MiB|KB|MB|B|%)?(?![\w.]*\w)"
)
# Factor from each unit to the unit at the end of a metric's name. Studies do not define KB and MB;
# powers of ten are assumed.
_SCALES: dict[str, dict[str, float]] = {
    "ms": {"ms": 1, "s": 1e3, "seconds": 1e3, "min": 60e3},
    "s": {"ms": 1e-3, "s": 1, "seconds": 1, "min": 60},
    "µs": {"ms": 1e3, "s": 1e6, "seconds": 1e6, "min": 60e6},
    "B": {"B": 1, "KB": 1e3, "MB": 1e6, "MiB": 2**20, "GiB": 2**30},
    "share": {"%": 0.01},
    "req/s": {"req/s": 1},
}
UNITS = frozenset(unit for scale in _SCALES.values() for unit in scale)


@dataclass(frozen=True)
class Figure:
    """One printed number; `unit` is None if neither the cell nor its table names a unit."""

    value: float
    unit: str | None


def read_figures(printed: str, unit: str | None = None) -> list[Figure]:
    """Return the numbers of a cell in order, each with its own unit or that of the table."""
    return [
        Figure(float(number), found or unit) for number, found in _FIGURE.findall(printed.strip())
    ]


def in_metric(figure: Figure, metric: Metric, divide_by: float = 1) -> float:
    """Return the figure in the metric's unit, divided by `divide_by` (such as a number of
    requests).

    Raises:
        ValueError: the metric cannot have this unit.
    """
    scale = _SCALES.get(METRICS[metric].unit, {})
    if figure.unit not in scale:
        raise ValueError(f"{figure.unit!r} is not a unit of {metric}; it takes {', '.join(scale)}")
    return figure.value * scale[figure.unit] / divide_by


def to_printed_unit(figure: Figure, metric: Metric, divide_by: float = 1) -> float:
    """Return the factor from the metric's unit to the unit of the figure, times `divide_by`."""
    return divide_by / _SCALES[METRICS[metric].unit][figure.unit or ""]
