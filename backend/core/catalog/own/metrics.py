"""The metrics that a guard compares: those of every trial, and those that a k6 script defines.

A metric of a script has the prefix `script:`, as in `script:orders`. The value of a counter is its
sum, that of a gauge the last, that of a rate the share of its values that are not 0, and that of a
trend the median. `script:wait.p95` is the 95th percentile of a trend.
"""

import difflib
import re
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from backend.core.units import METRICS, Direction, Metric

_PREFIX = "script:"
# k6 allows these names.
_SCRIPT_METRIC = re.compile(r"^script:[A-Za-z_][A-Za-z0-9_]{0,127}(\.p95)?$")
# Pydantic keeps this for the keys of a dict only with a type, and openapi-typescript reads the
# types of the parts.
_SCHEMA = {
    "type": "string",
    "anyOf": [
        {"type": "string", "enum": [metric.value for metric in Metric]},
        {"type": "string", "pattern": _SCRIPT_METRIC.pattern},
    ],
}


def _check_name(text: str) -> str:
    if text in METRICS or _SCRIPT_METRIC.fullmatch(text):
        return text
    near = difflib.get_close_matches(text, list(METRICS), n=1, cutoff=0.6)
    meant = f"; did you mean {near[0]}?" if near else "."
    raise ValueError(
        f"{text} is not a metric{meant} The name of a metric of a k6 script begins with {_PREFIX}, "
        f"as in {_PREFIX}wait and {_PREFIX}wait.p95"
    )


GuardMetric = Annotated[str, AfterValidator(_check_name), WithJsonSchema(_SCHEMA)]


def is_of_script(metric: str) -> bool:
    """Return whether a k6 script defines a metric."""
    return metric.startswith(_PREFIX)


def name_of_script(name: str, percentile: str = "") -> str:
    """Return the name under which a guard compares a metric of a script.

    Args:
        percentile: `p95` for that of a trend.
    """
    return f"{_PREFIX}{name}.{percentile}" if percentile else f"{_PREFIX}{name}"


def title_of(metric: str) -> str:
    """Return the name of a metric for people: `CPU per request`, `wait p95`."""
    if is_of_script(metric):
        return metric.removeprefix(_PREFIX).replace(".p95", " p95")
    return METRICS[Metric(metric)].title


def unit_of(metric: str) -> str:
    """Return the unit of a metric; empty for a metric of a script, whose unit is not known."""
    return "" if is_of_script(metric) else METRICS[Metric(metric)].unit


def direction_of(metric: str, *, less_is_worse: bool = False) -> Direction:
    """Return which values of a metric are better.

    Args:
        less_is_worse: of a metric of a script, for which this is not known otherwise.
    """
    if is_of_script(metric):
        return Direction.HIGHER if less_is_worse else Direction.LOWER
    return METRICS[Metric(metric)].direction
