"""Test whether a per-second series is steady.

A series is not steady if a scan with Welch's t-test finds a change point. While the load still
runs, a trend counts as well.

Source: the scan over all splits is binary segmentation's first step (A. J. Scott & M. Knott, 1974);
the test at each split is B. L. Welch (1947), Bonferroni-corrected for the number of splits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log

from backend.core.numeric import Floats, Indexes, np, special

# The level of a shorter segment cannot be estimated.
MIN_SEGMENT_SECONDS = 3
_ALPHA = 0.001
# Below the rounding error of sums of logs: equal values have no variance.
_NO_ERROR = 1e-24


@dataclass(frozen=True)
class LevelShift:
    """A level shift: from `second` on, the series is `ratio` times its earlier level."""

    second: int
    ratio: float


def find_shift(series: Sequence[float], min_ratio: float) -> LevelShift | None:
    """Return the clearest level shift in a series of positive values, if there is one.

    Args:
        series: one value a second; a value that is not positive has no log and ends the search.
        min_ratio: the smallest relevant shift, such as 1.1 for 10 % in either direction.
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
    """Return the change of the mean at each split, and the two-sided p of equal means.

    Args:
        logs: the series.
        sizes: the number of values before each split; at least two on either side.
    """
    # Centred, so that the sums of squares keep their precision.
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
# A warm-up ends when its last seconds, a third of its maximum length, show neither a level shift
# nor a trend. The decision uses past seconds only, so it favours no service: the measured seconds
# do not exist yet when the decision is made. The trend test is the t-test of a least-squares line
# through the logs (textbook; e.g. N. R. Draper & H. Smith, Applied Regression Analysis, 1.4). Its
# error rate on a steady series is 10 % per test: a false trend costs one second of warm-up, but a
# missed trend spoils the trial.

# A shorter maximum leaves too few seconds to test: the warm-up takes all of it, without a test.
MIN_CAP_SECONDS = 4
_MIN_CHANGE = 1.1
_TREND_ALPHA = 0.1
# If the throughput of a closed load varies more, a short span cannot show a trend.
_MAX_SPREAD = 0.25


@dataclass(frozen=True)
class Glimpse:
    """One second of a running load, with the responses received so far.

    `median_ms` and `slowest_ms` are None without a response; `cpu_us_per_request` is None if the
    runtime could not read it.
    """

    requests: int
    median_ms: float | None
    slowest_ms: float | None
    cpu_us_per_request: float | None


def span_seconds(cap_seconds: int) -> int:
    """Return how many seconds must be steady to end a warm-up of at most `cap_seconds`."""
    return max(MIN_CAP_SECONDS, ceil(cap_seconds / 3))


def find_unsteadiness(glimpses: Sequence[Glimpse], span: int, *, is_closed: bool) -> str | None:
    """Return why a load was not steady in its last `span` seconds; None if it was steady.

    Seconds whose requests may still wait for responses are left out: with an upstream that takes
    1 s, the last second looks empty.

    Args:
        glimpses: every second of the load so far.
        is_closed: whether each request waits for the previous response, so that throughput measures
            the speed of the service.
    """
    settled = glimpses[: len(glimpses) - _unsettled_seconds(glimpses, span)]
    if len(settled) < span:
        return f"all responses had arrived for only {len(settled)} s"
    recent = settled[-span:]
    medians = [glimpse.median_ms for glimpse in recent if glimpse.median_ms]
    if len(medians) < span:
        return "seconds passed without a good answer"
    series = {"median latency": medians}
    if is_closed:
        series["throughput"] = [float(glimpse.requests) for glimpse in recent]
        spread = float(np.log(series["throughput"]).std(ddof=1))
        if spread > _MAX_SPREAD:
            return f"the throughput went up and down by {spread:.0%} within {span} s"
    costs = [glimpse.cpu_us_per_request for glimpse in recent if glimpse.cpu_us_per_request]
    if len(costs) == span:
        series["CPU per request"] = costs
    for name, values in series.items():
        change = _find_change(values)
        if change is not None:
            return f"the {name} changed by {change - 1:+.0%} within {span} s"
    return None


def _unsettled_seconds(glimpses: Sequence[Glimpse], span: int) -> int:
    """Return how many of the last seconds may lack responses, given the slowest recent response."""
    slowest = [glimpse.slowest_ms for glimpse in glimpses if glimpse.slowest_ms is not None][-span:]
    # A second is reported 0.1 s after its end.
    return ceil(max(0.0, max(slowest) / 1000 - 0.1)) if slowest else len(glimpses)


def _find_change(values: Sequence[float]) -> float | None:
    """Return the factor by which a positive series changed over its length; None if steady."""
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
