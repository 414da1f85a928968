"""Decide whether a load was steady: the rule of warm-ups, of measured windows and of each step.

A series of values, one a second, is not steady if it changed by at least 10 % in either direction
and the change is significant. Two tests look for a change: a scan with Welch's t-test finds a level
shift, and the t-test of a least-squares line finds a trend.

Source: the scan over all splits is binary segmentation's first step (A. J. Scott & M. Knott, 1974);
the test at each split is B. L. Welch (1947), Bonferroni-corrected for the number of splits. The
test of the line is textbook (N. R. Draper & H. Smith, Applied Regression Analysis, 1.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import ceil, exp, log
from typing import NamedTuple

from backend.core.measurement.measurements.series import latency_columns
from backend.core.measurement.measurements.steps import list_steps
from backend.core.numeric import Floats, Indexes, np, special
from backend.core.second import Second
from backend.core.units import ProfileKind

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


# Warm-ups and windows
# --------------------
#
# A warm-up ends when its last seconds show neither a level shift nor a trend. The decision uses
# past seconds only, so it favours no service: the measured seconds do not exist yet when the
# decision is made. A false trend costs one second of warm-up, but a missed trend spoils the trial.
# So its test errs on a steady series in 10 % of cases.
#
# At its cap, a warm-up is judged for the last time, and the measured window is tested again,
# because a compiler may go on for minutes. A false trend excludes a sound result here. So both
# tests err on a steady series in 0.3 % of cases, if its seconds are independent. The warm-up of
# steps and of a count is tested only once, at its cap. With 10 %, up to a quarter of the steady
# trials of a noisy host would fail.

# A warm-up with a shorter maximum has too few seconds to test: it takes all of them.
MIN_CAP_SECONDS = 4
# A shorter window or step cannot show whether the load was steady.
MIN_WINDOW_SECONDS = 10
# A change by less is accepted. The mean of a window then differs from its end by about half of it.
MIN_CHANGE = 1.1
_WARM_UP_ALPHA = 0.1
_LAST_ALPHA = 0.003
# If the throughput of a closed load varies more, a short span cannot show a trend.
_MAX_SPREAD = 0.25
# A warm-up goes on while the throughput of a closed load may have changed by more, without showing
# it: a compiler that gets little CPU time is then easy to miss.
_MAX_UNSEEN = 1.25
_PROOF_ALPHA = 0.1
# A compiler with work for more of the time has a backlog: the service will get faster, although a
# starved compiler may not change its speed within seconds.
_MAX_COMPILING = 0.3
# Up to this share of the seconds of a window may be without a value.
_MAX_GAPS = 0.1
_COST = "CPU per request"


@dataclass(frozen=True)
class Steadiness:
    """Whether a load was steady, and why. `is_steady` is None if this could not be tested."""

    is_steady: bool | None
    detail: str


class Glimpse(NamedTuple):
    """One second of a load, with the responses received so far.

    `median_ms` and `slowest_ms` are None without a response; `cpu_us_per_request` is None if the
    runtime could not read it. `compiling` is the share of the second in which a JIT compiler of the
    service had work: it ran, or waited for a CPU. It is None without such a compiler.
    """

    requests: int
    median_ms: float | None
    slowest_ms: float | None
    cpu_us_per_request: float | None
    compiling: float | None = None


def span_seconds(cap_seconds: int) -> int:
    """Return how many seconds must be steady to end a warm-up of at most `cap_seconds`."""
    return min(MIN_WINDOW_SECONDS, max(MIN_CAP_SECONDS, ceil(cap_seconds / 3)))


def find_unsteadiness(
    glimpses: Sequence[Glimpse], span: int, *, is_closed: bool, is_last: bool
) -> str | None:
    """Return why a load was not steady in its last `span` seconds; None if it was steady.

    Seconds whose requests may still wait for responses are left out: with an upstream that takes
    1 s, the last second looks empty.

    Args:
        glimpses: every second of the load so far.
        is_closed: whether each request waits for the previous response, so that throughput measures
            the speed of the service.
        is_last: whether the warm-up ends here in any case. If not, a throughput that varies too
            much to show a change counts as unsteady.
    """
    obstacle = find_obstacle(glimpses, span)
    if obstacle is not None:
        return obstacle
    recent = _settle(glimpses, span)[-span:]
    series = _list_series(recent, is_closed=is_closed)
    reason = _find_variation(series["throughput"], is_last=is_last) if is_closed else None
    return reason or _find_change(series, _LAST_ALPHA if is_last else _WARM_UP_ALPHA)


def find_obstacle(glimpses: Sequence[Glimpse], span: int) -> str | None:
    """Return why a load cannot be steady, however little it changes; None if it can.

    The service did not answer, or a JIT compiler still has so much work that the service will get
    faster.

    Args:
        glimpses: every second of the load so far.
        span: how many seconds must be steady.
    """
    settled = _settle(glimpses, span)
    if len(settled) < span:
        return f"only {len(settled)} of {span} s had all their responses"
    if any(not glimpse.median_ms for glimpse in settled[-span:]):
        return "seconds passed without a good answer"
    recent = glimpses[-MIN_WINDOW_SECONDS:]
    shares = [glimpse.compiling for glimpse in recent if glimpse.compiling is not None]
    compiling = sum(shares) / len(shares) if shares else 0.0
    if compiling > _MAX_COMPILING:
        return f"the JIT compiler had work for {compiling:.0%} of the last {MIN_WINDOW_SECONDS} s"
    return None


def _find_variation(throughput: Sequence[float], *, is_last: bool) -> str | None:
    """Return how a throughput varies too much; None if it does not.

    Args:
        is_last: as for `find_unsteadiness`.
    """
    span = f"within {len(throughput)} s"
    spread = float(np.log(throughput).std(ddof=1))
    if spread > _MAX_SPREAD:
        return f"the throughput went up and down by {spread:.0%} {span}"
    if not is_last and _fit_line(throughput).largest_change > _MAX_UNSEEN:
        return f"the throughput varied too much {span} to show whether it changed"
    return None


def _find_change(series: Mapping[str, Sequence[float]], alpha: float) -> str | None:
    """Return which of the series has a level shift or a trend; None if none has."""
    for name, values in series.items():
        shift = find_shift(values, MIN_CHANGE)
        change = _find_trend(values, alpha) if shift is None else shift.ratio
        if change is not None:
            return f"the {name} changed by {change - 1:+.0%} within {len(values)} s"
    return None


def judge_steadiness(
    seconds: Sequence[Second],
    kind: ProfileKind,
    parameters: Mapping[str, int],
    warm_up: Steadiness,
) -> Steadiness:
    """Return whether a trial was measured in a steady state.

    A load that was not steady at the end of its warm-up was not measured in a steady state. Then
    the measured seconds decide: all of them; in a load in steps, those of the highest step that
    passed, which gives the result. A load of a count may end within seconds. If it does, its
    warm-up decides alone, and must have been steady for as long as a window must be.

    Args:
        seconds: the measured seconds, each once, in order.
        parameters: of the load.
        warm_up: whether the load was steady at the end of its warm-up.
    """
    if warm_up.is_steady is False:
        return warm_up
    if kind is ProfileKind.STEPS:
        return _judge_steps(seconds, parameters, warm_up)
    if kind is ProfileKind.SCRIPT:
        # Its load may change by intent.
        return Steadiness(None, "A script decides its own load, so steadiness was not tested.")
    is_short = len(seconds) <= MIN_WINDOW_SECONDS
    if kind is ProfileKind.COUNT and is_short and warm_up.is_steady:
        span = span_seconds(parameters["warm_up_seconds"])
        return warm_up if span >= MIN_WINDOW_SECONDS else _too_short("The warm-up", span)
    # A load of a count ends within its last second.
    whole = seconds[:-1] if kind is ProfileKind.COUNT else seconds
    return _judge_window(list(map(_glimpse, whole)), is_closed=kind is not ProfileKind.RATE)


def _judge_window(glimpses: Sequence[Glimpse], *, is_closed: bool) -> Steadiness:
    seconds = len(glimpses)
    if seconds < MIN_WINDOW_SECONDS:
        return _too_short("The measured window", seconds)
    answered = sum(1 for glimpse in glimpses if glimpse.median_ms)
    if answered < (1 - _MAX_GAPS) * seconds:
        return Steadiness(None, f"Only {answered} of {seconds} s had a good answer.")
    return _judge_series(_list_series(glimpses, is_closed=is_closed), "the measured window")


def _judge_steps(
    seconds: Sequence[Second], parameters: Mapping[str, int], warm_up: Steadiness
) -> Steadiness:
    """Return whether the highest step that passed was steady.

    Near the limit of a service, latency grows within a step, because requests wait. This belongs to
    the rate. The CPU time of a request does not, and it falls while a compiler still works.
    """
    length = parameters["step_seconds"]
    if length < MIN_WINDOW_SECONDS:
        return _too_short("Each step", length)
    if warm_up.is_steady is None:
        return warm_up
    passed = list(takewhile(lambda step: step.passed, list_steps(seconds, parameters)))
    if not passed:
        return warm_up
    begin = passed[-1].step * length
    glimpses = list(map(_glimpse, seconds[begin : begin + length]))
    series = _list_series(glimpses, is_closed=False)
    of_cost = {name: values for name, values in series.items() if name == _COST}
    return _judge_series(of_cost, f"the step of {passed[-1].target_rps:,} req/s")


def _judge_series(series: Mapping[str, Sequence[float]], where: str) -> Steadiness:
    for name, values in series.items():
        shift = find_shift(values, MIN_CHANGE)
        change = _find_trend(values, _LAST_ALPHA)
        if shift is not None:
            detail = f"{shift.ratio - 1:+.0%} at second {shift.second} of {where}"
        elif change is not None:
            detail = f"{change - 1:+.0%} within {where}"
        else:
            continue
        return Steadiness(False, f"The {name} changed by {detail}.")
    return Steadiness(True, f"The load was steady within {where}.")


def find_drift(seconds: Sequence[Second], kind: ProfileKind) -> float | None:
    """Return by which factor a request became more costly within the window, by a fitted line.

    In a closed load, the cost is the inverse of the throughput; at a rate, the CPU per request.

    Returns:
        None if the window is too short, if a second has no cost, and for other kinds of load.
    """
    if len(seconds) < MIN_WINDOW_SECONDS:
        return None
    glimpses = list(map(_glimpse, seconds))
    if kind in {ProfileKind.SATURATE, ProfileKind.USERS}:
        costs = [1 / glimpse.requests for glimpse in glimpses if glimpse.requests]
    elif kind is ProfileKind.RATE:
        costs = [glimpse.cpu_us_per_request or 0.0 for glimpse in glimpses]
    else:
        return None
    is_known = len(costs) == len(seconds) and min(costs) > 0
    return exp(_fit_line(costs).change) if is_known else None


def _too_short(what: str, seconds: int) -> Steadiness:
    return Steadiness(
        None,
        f"{what} took only {seconds} s; a test of steadiness needs {MIN_WINDOW_SECONDS} s.",
    )


def _glimpse(second: Second) -> Glimpse:
    used, requests = second.cpu_service_seconds, second.requests
    return Glimpse(
        requests=requests,
        median_ms=latency_columns(second.latency)["latency_p50_ms"],
        slowest_ms=None,
        cpu_us_per_request=used / requests * 1e6 if used and requests else None,
    )


def _list_series(glimpses: Sequence[Glimpse], *, is_closed: bool) -> dict[str, list[float]]:
    """Return the series that must be steady, by name. Seconds without a value are left out."""
    series = {"median latency": [glimpse.median_ms for glimpse in glimpses if glimpse.median_ms]}
    if is_closed:
        # A second without a request has no log: it counts as half a request.
        series["throughput"] = [max(float(glimpse.requests), 0.5) for glimpse in glimpses]
    costs = [glimpse.cpu_us_per_request for glimpse in glimpses if glimpse.cpu_us_per_request]
    if len(costs) >= (1 - _MAX_GAPS) * len(glimpses):
        series[_COST] = costs
    return series


def _settle(glimpses: Sequence[Glimpse], span: int) -> Sequence[Glimpse]:
    """Return the seconds that have all their responses, given the slowest recent response."""
    slowest = [glimpse.slowest_ms for glimpse in glimpses if glimpse.slowest_ms is not None][-span:]
    if not slowest:
        return []
    # A second is reported 0.1 s after its end.
    unsettled = ceil(max(0.0, max(slowest) / 1000 - 0.1))
    return glimpses[: max(0, len(glimpses) - unsettled)]


def _find_trend(values: Sequence[float], alpha: float) -> float | None:
    """Return the factor by which a positive series changed over its length; None without a trend.

    Args:
        values: one value a second.
        alpha: error rate of the test on a steady series of independent values.
    """
    line = _fit_line(values)
    change = exp(line.change)
    if max(change, 1 / change) < MIN_CHANGE:
        return None
    p_value = (
        float(2 * special.stdtr(line.freedom, -abs(line.change) / line.error)) if line.error else 0
    )
    return change if p_value < alpha else None


@dataclass(frozen=True)
class _Line:
    """A least-squares line through the logs of a series.

    `change` is the log of the factor by which it changes over the series, and `error` the standard
    error of that.
    """

    change: float
    error: float
    freedom: int

    @property
    def largest_change(self) -> float:
        """Return the largest factor, in either direction, that the series does not contradict."""
        quantile = float(special.stdtrit(self.freedom, 1 - _PROOF_ALPHA / 2))
        return exp(abs(self.change) + quantile * self.error)


def _fit_line(values: Sequence[float]) -> _Line:
    times = np.arange(len(values)) - (len(values) - 1) / 2
    logs = np.log(np.asarray(values, dtype=np.float64))
    spread = float((times**2).sum())
    slope = float((times * logs).sum()) / spread
    freedom, length = len(values) - 2, len(values) - 1
    residuals = logs - logs.mean() - slope * times
    error = (float((residuals**2).sum()) / freedom / spread) ** 0.5
    return _Line(slope * length, error * length, freedom)
