"""Whether a per-second series had settled: one change point, found by a scan of Welch's t, and,
while a load still runs, no trend either.

Source: the scan over all splits is binary segmentation's first step (A. J. Scott & M. Knott, 1974);
the test at each split is B. L. Welch (1947), Bonferroni-corrected for the number of splits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log

from backend.core.numeric import Floats, Indexes, np, special

# A part shorter than this says nothing of its own level.
MIN_SEGMENT_SECONDS = 3
_ALPHA = 0.001
# Below what sums of logs can tell: equal values have no error of their own.
_NO_ERROR = 1e-24


@dataclass(frozen=True)
class LevelShift:
    """The series went to another level: from `second` on it is `ratio` times what it was."""

    second: int
    ratio: float


def find_shift(series: Sequence[float], min_ratio: float) -> LevelShift | None:
    """Return the clearest level shift in a series of positive values, if there is one.

    Args:
        series: one value a second; values that are not positive have no log and end the search.
        min_ratio: how large a change must be to matter, such as 1.1 for 10 % either way.
    """
    values = np.asarray(series, dtype=np.float64)
    splits = range(MIN_SEGMENT_SECONDS, len(values) - MIN_SEGMENT_SECONDS + 1)
    if not splits or np.any(values <= 0):
        return None
    sizes = np.arange(splits.start, splits.stop)
    differences, p_values = _welch(np.log(values), sizes)
    is_found = (np.abs(differences) >= log(min_ratio)) & (p_values * len(splits) < _ALPHA)
    if not is_found.any():
        return None
    clearest = int(np.argmin(np.where(is_found, p_values, np.inf)))
    return LevelShift(int(sizes[clearest]), exp(float(differences[clearest])))


def _welch(logs: Floats, sizes: Indexes) -> tuple[Floats, Floats]:
    """What the mean changes by at each split, and the two-sided p of equal means on both sides.

    Args:
        logs: the series.
        sizes: how many values lie before each split; at least two on either side.
    """
    # About their mean, so that sums of squares lose nothing to a common level.
    centred = logs - logs.mean()
    sums, squares = np.cumsum(centred), np.cumsum(centred**2)
    counts = np.stack([sizes, len(logs) - sizes]).astype(np.float64)
    before, before_squares = sums[sizes - 1], squares[sizes - 1]
    means = np.stack([before, sums[-1] - before]) / counts
    inner = np.stack([before_squares, squares[-1] - before_squares]) - counts * means**2
    errors = np.maximum(inner, 0) / (counts - 1) / counts
    differences = means[1] - means[0]
    total = np.maximum(errors.sum(axis=0), _NO_ERROR)
    # Welch–Satterthwaite.
    freedom = total**2 / np.maximum((errors**2 / (counts - 1)).sum(axis=0), _NO_ERROR**2)
    return differences, 2 * special.stdtr(freedom, -np.abs(differences) / np.sqrt(total))


# While a load runs
# -----------------
#
# A warm-up is over when the last third of its cap shows neither a level shift nor a trend. The
# decision looks back only, so it favours no service: what is measured has not been seen when it is
# decided that it counts. A trend is looked for by the t-test of a least-squares line through the
# logs (textbook; e.g. N. R. Draper & H. Smith, Applied Regression Analysis, 1.4). It may be wrong
# in ten of a hundred looks at a steady series: that costs a second of warm-up, whereas a trend that
# is not seen costs the trial.

# Under this cap there is too little to look at: the warm-up takes all of it and is not judged.
MIN_CAP_SECONDS = 4
_MIN_CHANGE = 1.1
_TREND_ALPHA = 0.1
# Where the throughput of a closed load varies by more, no trend would be found in a short span.
_MAX_SPREAD = 0.25


@dataclass(frozen=True)
class Glimpse:
    """One second of a load under way, as far as its answers have come.

    `median_ms` and `slowest_ms` are None while there is no answer; `cpu_us_per_request` where the
    runtime could not read it.
    """

    requests: int
    median_ms: float | None
    slowest_ms: float | None
    cpu_us_per_request: float | None


def span_seconds(cap_seconds: int) -> int:
    """How many seconds must be steady for a warm-up of at most `cap_seconds` to be over."""
    return max(MIN_CAP_SECONDS, ceil(cap_seconds / 3))


def find_unsteadiness(glimpses: Sequence[Glimpse], span: int, *, is_closed: bool) -> str | None:
    """Why a load was not steady in its last `span` seconds; None when it was.

    Seconds whose requests may still wait for answers are left out: an upstream that takes 1 s
    makes the last second look empty.

    Args:
        glimpses: every second of the load so far, right after the last of them.
        is_closed: requests wait for answers, so their number says how fast the service is.
    """
    settled = glimpses[: len(glimpses) - _unsettled_seconds(glimpses, span)]
    if len(settled) < span:
        return f"all responses had arrived for only {len(settled)} s"
    recent = settled[-span:]
    medians = [one.median_ms for one in recent if one.median_ms]
    if len(medians) < span:
        return "seconds passed without a good answer"
    series = {"median latency": medians}
    if is_closed:
        series["throughput"] = [float(one.requests) for one in recent]
        spread = float(np.log(series["throughput"]).std(ddof=1))
        if spread > _MAX_SPREAD:
            return f"the throughput went up and down by {spread:.0%} within {span} s"
    costs = [one.cpu_us_per_request for one in recent if one.cpu_us_per_request]
    if len(costs) == span:
        series["CPU per request"] = costs
    for name, values in series.items():
        change = _find_change(values)
        if change is not None:
            return f"the {name} changed by {change - 1:+.0%} within {span} s"
    return None


def _unsettled_seconds(glimpses: Sequence[Glimpse], span: int) -> int:
    """How many of the last seconds may lack answers, by the slowest one of late."""
    slowest = [one.slowest_ms for one in glimpses if one.slowest_ms is not None][-span:]
    # A second is told 0.1 s after its end.
    return ceil(max(0.0, max(slowest) / 1000 - 0.1)) if slowest else len(glimpses)


def _find_change(values: Sequence[float]) -> float | None:
    """By what factor a positive series changed over its length; None when it did not."""
    shift = find_shift(values, _MIN_CHANGE)
    if shift is not None:
        return shift.ratio
    times = np.arange(len(values)) - (len(values) - 1) / 2
    logs = np.log(np.asarray(values, dtype=np.float64))
    spread = float((times**2).sum())
    slope = float((times * logs).sum()) / spread
    change = exp(slope * (len(values) - 1))
    if max(change, 1 / change) < _MIN_CHANGE:
        return None
    freedom = len(values) - 2
    residuals = logs - logs.mean() - slope * times
    error = (float((residuals**2).sum()) / freedom / spread) ** 0.5
    p_value = float(2 * special.stdtr(freedom, -abs(slope) / error)) if error else 0.0
    return change if p_value < _TREND_ALPHA else None
