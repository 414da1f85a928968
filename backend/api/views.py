"""The parts of responses that several nouns show."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from backend.api.schemas import FrameworkRef, MetricSummary, VerdictOut
from backend.core.catalog.colours import distinguish_colours
from backend.core.measurement.measurements.verdicts import EXCLUDING
from backend.core.measurement.statistics.estimate import Estimate
from backend.core.models import Framework
from backend.core.units import METRICS, Metric, Verdict


def colours_of(frameworks: Iterable[Framework]) -> dict[int, int]:
    """Return the colours of frameworks that are shown together, by their stored colours."""
    return distinguish_colours({framework.colour for framework in frameworks})


def framework_ref(
    framework: Framework, colours: Mapping[int, int] = MappingProxyType({})
) -> FrameworkRef:
    """Return a framework in its own colour, or in its colour among `colours`."""
    return FrameworkRef.of(framework, colour=colours.get(framework.colour, framework.colour))


def verdict_out(verdict: Verdict, detail: str, trials: int) -> VerdictOut:
    excludes = verdict in EXCLUDING
    return VerdictOut(verdict=verdict, detail=detail, trials=trials, excludes_from_ranking=excludes)


def metric_summary(metric: Metric, value: Estimate) -> MetricSummary:
    info = METRICS[metric]
    # Pages have thousands of them, and this is faster than `of`.
    return MetricSummary(
        estimate=value.estimate,
        low=value.low,
        high=value.high,
        values=list(value.values),
        unit=info.unit,
        n=value.n,
        direction=info.direction,
        is_bound=value.is_bound,
    )


def summaries_of(estimates: Mapping[Metric, Estimate]) -> dict[Metric, MetricSummary]:
    """Return the estimates of a result, by metric."""
    return {metric: metric_summary(metric, value) for metric, value in estimates.items()}
