"""Trials as the API shows them."""

from collections.abc import Mapping, Sequence
from math import log10
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.measurement.trials.schemas import (
    Bucket,
    Latency,
    Percentile,
    SampleOut,
    TrialDetail,
    TrialSeries,
)
from backend.api.runs.views import trial_verdicts
from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.models import Trial
from backend.core.models import TrialHistogram as StoredHistogram
from backend.core.runs.trials import repository
from backend.core.units import LatencyStart, Metric, Phase

# Points a decade of the percentile curve, whose axis is 1 / (1 - quantile) on a log scale.
_POINTS_A_DECADE = 20
_NAMED = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)


def trial_detail(trial: Trial, metrics: Mapping[Metric, float]) -> TrialDetail:
    """A whole trial but its series and logs."""
    return TrialDetail.of(trial, verdicts=trial_verdicts(trial), metrics=metrics)


def read_trial(session: Session, trial: Trial) -> TrialDetail:
    """Return a trial without its series and logs."""
    metrics = measurements.list_metrics(session, [trial.id])
    return trial_detail(trial, metrics.get(trial.id, {}))


def read_series(session: Session, trial_id: UUID, phase: Phase | None) -> TrialSeries:
    """Return the seconds of a phase. None: of both phases, warm-up first."""
    columns = list(SampleOut.model_fields)
    rows = measurements.list_sample_values(session, trial_id, columns, phase)
    samples = [SampleOut.model_validate(dict(zip(columns, row, strict=True))) for row in rows]
    return TrialSeries(samples=samples)


def write_samples(session: Session, trial_id: UUID) -> str:
    """Return the seconds of both phases as a JSON array, warm-up first."""
    return measurements.write_sample_values(session, trial_id, list(SampleOut.model_fields))


def read_cell_latency(session: Session, cell_id: UUID) -> Latency:
    """Return the latency distribution over all succeeded trials of a cell."""
    trials = repository.list_succeeded(session, [cell_id])
    return latency_out(measurements.list_histograms(session, [trial.id for trial in trials]))


def latency_out(stored: Sequence[StoredHistogram]) -> Latency:
    """Distributions merged into one: its percentile curve and its buckets, in ms."""
    merged = Histogram.merge_all(Histogram.from_varints(item.latency) for item in stored)
    failed = Histogram.merge_all(Histogram.from_varints(item.latency_failed) for item in stored)
    # Without a single value where no trial has a due time: its latency counts from the send.
    timed = [item.service_time for item in stored if item.service_time is not None]
    service = Histogram.merge_all(map(Histogram.from_varints, timed))
    count = merged.count
    return Latency(
        counted_from=LatencyStart.DUE if timed else LatencyStart.SEND,
        count=count,
        failed=failed.count,
        mean_ms=sum(item.latency_sum_ns for item in stored) / count / 1e6 if count else None,
        max_ms=max(item.latency_max_ns for item in stored) / 1e6 if count else None,
        percentiles=percentiles_out(merged),
        service_percentiles=percentiles_out(service),
        buckets=[
            Bucket(low_ms=low / 1e6, high_ms=high / 1e6, count=number)
            for low, high, number in merged.buckets()
        ],
    )


def percentiles_out(latency: Histogram) -> list[Percentile]:
    """The percentile curve of a distribution."""
    quantiles = _quantiles(latency.count)
    if not quantiles:
        return []
    return [
        Percentile(quantile=quantile, latency_ms=point / 1e6)
        for quantile, point in zip(quantiles, latency.points(quantiles), strict=True)
    ]


def _quantiles(count: int) -> list[float]:
    """Evenly spaced on the curve's axis, up to where one request is left, and the named ones."""
    if not count:
        return []
    steps = int(log10(count) * _POINTS_A_DECADE)
    curve = {1 - 10 ** (-step / _POINTS_A_DECADE) for step in range(steps + 1)}
    return sorted(curve | {quantile for quantile in _NAMED if count * (1 - quantile) >= 1})
