"""Figures as a study prints them, read into numbers: `1.14 min`, `1.05 GiB`, `211 B/200 B`."""

import re
from dataclasses import dataclass

from backend.core.units import METRICS, Metric

_FIGURE = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)\s*(seconds|min|ms|s|GiB|MiB|KB|MB|B|%)?(?![\w.]*\w)"
)
# What one of the unit is of the unit that ends a metric's name. A study's KB and MB are not
# defined; they are taken as powers of ten.
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
    """One printed number; `unit` is None where neither the cell nor its table names one."""

    value: float
    unit: str | None


def read_figures(printed: str, unit: str | None = None) -> list[Figure]:
    """The numbers of a cell in order, each with the unit that it or else its table has."""
    return [
        Figure(float(number), found or unit) for number, found in _FIGURE.findall(printed.strip())
    ]


def in_metric(figure: Figure, metric: Metric, divide_by: float = 1) -> float:
    """The figure in the metric's own unit, over `divide_by` (such as requests of a total).

    Raises:
        ValueError: the unit is none of this metric.
    """
    scale = _SCALES.get(METRICS[metric].unit, {})
    if figure.unit not in scale:
        raise ValueError(f"{figure.unit!r} is no unit of {metric}; it takes {', '.join(scale)}")
    return figure.value * scale[figure.unit] / divide_by
