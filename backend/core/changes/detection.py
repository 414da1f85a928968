"""Detect change points of a history, as a pure function of its points.

The algorithm is E-divisive with split and merge. The split divides overlapping windows of the
series as D. S. Matteson & N. A. James do (2014, "A Nonparametric Approach for Multiple Change Point
Analysis of Multivariate Data", JASA 109), with a t-test instead of their permutations, and returns
weak change points. The merge removes the weakest until all are significant over their whole
segments (M. Fleming et al., 2023, "Hunter: Using Change Point Detection to Hunt for Performance
Regressions", ICPE). The differences to Hunter: logs instead of values, spikes reduced first,
unbiased variances, a test that is robust against a noisier segment, no segment shorter than four
points, and no effect within the points' own intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt
from typing import NamedTuple

from backend.core.changes.spikes import draw_in
from backend.core.numeric import Floats, Indexes, np, special

WINDOW_POINTS = 50
MIN_SEGMENT_POINTS = 4
# Series with fewer points are not tested.
MIN_POINTS = 20
# Number of points that are searched when a point is added.
LAST_POINTS = 300
# Factor by which the p-value of a change may be larger in its window than in the whole series.
_FIRST_PASS = 10
_CONFIDENCE = 0.95
# Below the rounding error of sums of logs: equal values have no variance.
_NO_VARIANCE = 1e-24


class Observation(NamedTuple):
    """One point of a series: the mean log over its trials, and its 95 % interval's half-width.

    `half_width_log` is None if there is only one trial, which has no interval.
    """

    mean_log: float
    half_width_log: float | None
    trials: int = 1


@dataclass(frozen=True)
class Sensitivity:
    """The thresholds of a change.

    Attributes:
        p_value: the largest p of the t-test between two segments.
        min_ratio: the smallest ratio of their levels in either direction, such as 1.03.
    """

    p_value: float = 1e-4
    min_ratio: float = 1.03


DEFAULT = Sensitivity()


@dataclass(frozen=True)
class ChangePoint:
    """The start of a new level, which lasts until the next change point.

    `ratio` is the level after divided by the level before, with its 95 % interval. The interval
    is slightly too narrow, because the segments result from a search. `is_adjusted`: the shift that
    services of the same runs share was subtracted (`new_build.find_host_shift`).
    """

    index: int
    ratio: float
    low: float
    high: float
    p_value: float
    is_adjusted: bool = False


def find_changes(
    points: Sequence[Observation],
    sensitivity: Sensitivity = DEFAULT,
    *,
    last: int = LAST_POINTS,
) -> list[ChangePoint]:
    """Return the change points among the `last` points of a series, oldest first."""
    skipped = max(0, len(points) - last)
    seen = points[skipped:]
    if len(seen) < MIN_POINTS:
        return []
    series = _Series(seen)
    weak = _split(series, sensitivity.p_value * _FIRST_PASS)
    return [series.change_point(*segment, skipped) for segment in _merge(series, weak, sensitivity)]


def compare_levels(
    points: Sequence[Observation], split: int, min_ratio: float = DEFAULT.min_ratio
) -> ChangePoint | None:
    """Return the change at a given index; None if it is smaller than `min_ratio`.

    Its p-value is that of a single test, without the search over all indices.
    """
    series = _Series(points)
    segments = (0, split, len(series))
    if _margin(series, segments, min_ratio) < 0:
        return None
    return series.change_point(*segments, 0)


Segments = tuple[int, int, int]
"""Two neighbouring segments: begin of the first, begin of the second, end of the second."""


class _Series:
    """The logs of a series, with tests of two neighbouring segments."""

    def __init__(self, points: Sequence[Observation]) -> None:
        logs = draw_in(np.array([point.mean_log for point in points]))
        # Centred, so that the sums of squares keep their precision.
        self.logs: Floats = logs - logs.mean()
        self._sums = _running_sums(self.logs)
        self._squares = _running_sums(self.logs**2)
        freedom = np.array([_freedom(point) for point in points])
        widths = np.array([point.half_width_log or 0.0 for point in points])
        # Without a significant split, any split may be returned.
        own = widths / special.stdtrit(np.maximum(freedom, 1), 0.5 + _CONFIDENCE / 2)
        self._own_squares = _running_sums(own**2)
        self._freedom = _running_sums(freedom.astype(np.float64))

    def __len__(self) -> int:
        return len(self.logs)

    def effect(self, begin: int, split: int, end: int) -> float:
        """Return the difference of the two levels, in logs."""
        return self._mean(split, end) - self._mean(begin, split)

    def p_value(self, begin: int, split: int, end: int) -> float:
        """Return the p-value of Student's t-test (1908) of equal levels.

        Variance is pooled, since the variance of four points is imprecise. If Welch's error is
        larger, it is used instead: pooling would hide a small noisy segment, and four points with
        two spikes would count as a level.
        """
        effect, error = abs(self.effect(begin, split, end)), self._error(begin, split, end)
        return float(2 * special.stdtr(end - begin - 2, -effect / error))

    def uncertainty(self, begin: int, split: int, end: int) -> float:
        """Return the half-width of the ratio's interval in logs, given the points' own intervals.

        Few points may by chance lie closer together than their intervals allow, and the t-test
        would trust them. Errors of independent means are combined, with their degrees of freedom:
        the half-width of a point with two trials is 6.5 times that of one with many trials.
        """
        freedom = self._freedom[end] - self._freedom[begin]
        if freedom == 0:
            return 0.0
        error = sqrt(self._own_square(begin, split) + self._own_square(split, end))
        return float(special.stdtrit(freedom, 0.5 + _CONFIDENCE / 2)) * error

    def change_point(self, begin: int, split: int, end: int, skipped: int) -> ChangePoint:
        effect, error = self.effect(begin, split, end), self._error(begin, split, end)
        freedom = self._error_freedom(begin, split, end)
        half_width = float(special.stdtrit(freedom, 0.5 + _CONFIDENCE / 2)) * error
        return ChangePoint(
            index=split + skipped,
            ratio=exp(effect),
            low=exp(effect - half_width),
            high=exp(effect + half_width),
            p_value=self.p_value(begin, split, end),
        )

    def _mean(self, begin: int, end: int) -> float:
        return (self._sums[end] - self._sums[begin]) / (end - begin)

    def _inner(self, begin: int, end: int) -> float:
        squares = self._squares[end] - self._squares[begin]
        return max(0.0, squares - (end - begin) * self._mean(begin, end) ** 2)

    def _error(self, begin: int, split: int, end: int) -> float:
        pooled, *own = self._square_errors(begin, split, end)
        return sqrt(max(pooled, sum(own)))

    def _error_freedom(self, begin: int, split: int, end: int) -> float:
        """Return the degrees of freedom of the larger error: Student's, or that of F. E.
        Satterthwaite.

        Source: 1946, "An Approximate Distribution of Estimates of Variance Components", Biometrics
        Bulletin 2. The p-value always uses Student's. With Satterthwaite's, a step of 5 % after
        four points would be found in 57 of 100 series of equal noise instead of 88. A build that is
        noisier than the one before is suspected too often for that; a confirmation run dismisses
        it.
        """
        n, m = split - begin, end - split
        pooled, before, after = self._square_errors(begin, split, end)
        if before + after <= pooled:
            return n + m - 2
        return (before + after) ** 2 / (before**2 / (n - 1) + after**2 / (m - 1))

    def _square_errors(self, begin: int, split: int, end: int) -> tuple[float, float, float]:
        """Return the squared error of the difference (pooled), and of each level (own segment)."""
        n, m = split - begin, end - split
        before, after = self._inner(begin, split), self._inner(split, end)
        pooled = (before + after) / (n + m - 2) * (1 / n + 1 / m)
        return max(pooled, _NO_VARIANCE), before / (n - 1) / n, after / (m - 1) / m

    def _own_square(self, begin: int, end: int) -> float:
        return (self._own_squares[end] - self._own_squares[begin]) / (end - begin) ** 2


def _freedom(point: Observation) -> int:
    return 0 if point.half_width_log is None else point.trials - 1


def _running_sums(values: Floats) -> list[float]:
    """Return the sums of the first 0, 1, 2, … values."""
    return [0.0, *np.cumsum(values).tolist()]


def _split(series: _Series, p_value: float) -> list[int]:
    """Return the indices of weak change points, those of any window."""
    found: set[int] = set()
    begin = 0
    while begin + 2 * MIN_SEGMENT_POINTS <= len(series):
        end = min(begin + WINDOW_POINTS, len(series))
        own = _divide(series, begin, end, p_value)
        found.update(own)
        begin = max([begin + WINDOW_POINTS // 2, *own])
    return sorted(found)


def _divide(series: _Series, begin: int, end: int, p_value: float) -> list[int]:
    """Divide a window at the likeliest index, then its parts, until no t-test is significant."""
    inner = _inner_distances(series.logs[begin:end])
    found: list[int] = []
    waiting = [(0, end - begin)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2 * MIN_SEGMENT_POINTS:
            continue
        split = first + _likeliest_split(inner[first : last + 1, first : last + 1])
        if series.p_value(begin + first, begin + split, begin + last) < p_value:
            found.append(begin + split)
            waiting += [(first, split), (split, last)]
    return found


def _inner_distances(logs: Floats) -> Floats:
    """Return at [a, b] the sum of |x_i − x_j| over the pairs of the logs in [a, b)."""
    sums = np.zeros((len(logs) + 1, len(logs) + 1))
    sums[1:, 1:] = np.abs(logs[:, None] - logs).cumsum(axis=0).cumsum(axis=1)
    own = np.diagonal(sums)
    whole: Floats = (own[:, None] + own - 2 * sums) / 2
    return whole


def _likeliest_split(inner: Floats) -> int:
    """Return the split τ with the largest Q(τ, κ), for any end κ of the second part.

    Q = n·m/(n + m) · (2·mean|x − y| − mean|x − x*| − mean|y − y*|), as in Matteson & James, (5),
    with exponent 1; n and m are the sizes of the parts.
    """
    taus, kappas, between, left, right = _weights(len(inner) - 1)
    inside_left = inner[0, taus]
    inside_right = inner[taus, kappas]
    across = inner[0, kappas] - inside_left - inside_right
    q = between * across - left * inside_left - right * inside_right
    return int(taus[np.argmax(q)])


@cache
def _weights(size: int) -> tuple[Indexes, Indexes, Floats, Floats, Floats]:
    """Return the factors of the sums of distances in Q, for each τ and κ within `size` points."""
    taus, kappas = np.meshgrid(
        np.arange(MIN_SEGMENT_POINTS, size - MIN_SEGMENT_POINTS + 1),
        np.arange(2 * MIN_SEGMENT_POINTS, size + 1),
        indexing="ij",
    )
    is_whole = kappas - taus >= MIN_SEGMENT_POINTS
    taus, kappas = taus[is_whole], kappas[is_whole]
    n, m = taus.astype(np.float64), (kappas - taus).astype(np.float64)
    return taus, kappas, 2 / (n + m), 2 * m / (n + m) / (n - 1), 2 * n / (n + m) / (m - 1)


def _merge(series: _Series, weak: Sequence[int], sensitivity: Sensitivity) -> list[Segments]:
    """Remove the weakest change point until all are valid; return each with its segments.

    The weakest has the largest p-value; if all are significant, the smallest effect compared with
    its threshold. Removing a change point joins its segments, so the others are tested again.
    """
    borders = [0, *weak, len(series)]
    while len(borders) > 2:
        neighbours = list(zip(borders, borders[1:], borders[2:], strict=False))
        p_values = [series.p_value(*segments) for segments in neighbours]
        weakest = int(np.argmax(p_values))
        if p_values[weakest] < sensitivity.p_value:
            margins = [_margin(series, segments, sensitivity.min_ratio) for segments in neighbours]
            weakest = int(np.argmin(margins))
            if margins[weakest] >= 0:
                return neighbours
        del borders[weakest + 1]
    return []


def _margin(series: _Series, segments: Segments, min_ratio: float) -> float:
    """Return by how much an effect exceeds its threshold, in logs."""
    least = max(log(min_ratio), series.uncertainty(*segments))
    return abs(series.effect(*segments)) - least
