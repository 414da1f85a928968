"""The parts of responses that several nouns show."""

from collections.abc import Mapping

from backend.api.schemas import MetricSummary, VerdictOut
from backend.core.measurement.measurements.verdicts import EXCLUDING
from backend.core.measurement.statistics.estimate import Estimate
from backend.core.units import METRICS, Metric, Verdict


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
