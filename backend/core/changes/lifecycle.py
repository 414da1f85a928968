"""Statuses of a change, their transitions and the judgement of confirmation runs; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, exp, log, sqrt
from statistics import fmean

from backend.core.errors import Conflict
from backend.core.measurement.statistics.comparison import (
    EXACT,
    Comparison,
    Instrument,
    PairState,
    compare_pairs,
)
from backend.core.measurement.statistics.power import find_power
from backend.core.statuses import ChangeStatus
from backend.core.units import Direction

# With fewer pairs, the interval is so wide that no result is significant.
MIN_PAIRS = 5
# The probability with which a confirmation run should find the expected ratio.
_WANTED_POWER = 0.9


OPEN = frozenset({ChangeStatus.SUSPECTED, ChangeStatus.TESTING})
# The status of an incident is the first of these that one of its changes has. A build with a
# confirmed change is confirmed, even if the test could not decide about another metric.
STRONGEST_FIRST = (
    ChangeStatus.TESTING,
    ChangeStatus.CONFIRMED,
    ChangeStatus.SUSPECTED,
    ChangeStatus.HOST_DRIFT,
    ChangeStatus.DISMISSED,
)
# Every other change of status is allowed: users may change their decision.
_FORBIDDEN = {
    (ChangeStatus.CONFIRMED, ChangeStatus.HOST_DRIFT),
    (ChangeStatus.DISMISSED, ChangeStatus.HOST_DRIFT),
}


def sum_up_statuses(statuses: Iterable[ChangeStatus]) -> ChangeStatus:
    """Return the status of an incident, given those of its changes."""
    return min(statuses, key=STRONGEST_FIRST.index)


def needs_attention(status: ChangeStatus, *, is_acknowledged: bool) -> bool:
    """Return whether a change is open: undecided, or confirmed and not acknowledged yet."""
    return status in OPEN or (status is ChangeStatus.CONFIRMED and not is_acknowledged)


def is_allowed(current: ChangeStatus, new: ChangeStatus) -> bool:
    """Return whether a change may go from `current` to `new`."""
    return current is not new and (current, new) not in _FORBIDDEN


def check_transition(current: ChangeStatus, new: ChangeStatus) -> None:
    """Raise Conflict unless a change may go from `current` to `new`."""
    if current is new:
        raise Conflict(f"The change is {current.words} already.")
    if (current, new) in _FORBIDDEN:
        raise Conflict(f"A {current.words} change cannot become {new.words}; reopen it first.")


@dataclass(frozen=True)
class Levels:
    """Mean logs of a series before and after its change point."""

    before: float
    after: float


@dataclass(frozen=True)
class ChangeJudgement:
    """The result of a confirmation run; `found` is the ratio of the new build to the old one."""

    status: ChangeStatus
    reason: str
    found: Comparison | None
    pairs: int


def find_least(ratio: float, low: float, high: float) -> float:
    """Return the ratio in an interval that is nearest to 1, on the same side as the ratio."""
    return max(low, 1.0) if ratio > 1 else min(high, 1.0)


def plan_pairs(ratio: float, deviation: float | None, most: int) -> int:
    """Return the number of pairs of trials that finds a ratio with a power of 90 %.

    The two trials of a pair are independent except for slow drift, so the standard deviation of
    their log ratio is √2 times that of a trial. The power is that of the paired t-test.

    Args:
        ratio: the smallest ratio to find.
        deviation: standard deviation of the log of a trial within a cell; None if unknown.
        most: the maximum number of pairs.

    Returns:
        MIN_PAIRS to `most`; `most` if the noise requires more pairs or is unknown.
    """
    if deviation is None:
        return most
    for pairs in range(MIN_PAIRS, most):
        if find_power(ratio, deviation * sqrt(2 / pairs), pairs - 1) >= _WANTED_POWER:
            return pairs
    return max(most, MIN_PAIRS)


def judge_confirmation(
    ratio: float,
    pairs: Sequence[tuple[float, float]],
    levels: Levels,
    direction: Direction,
    instrument: Instrument = EXACT,
) -> ChangeJudgement:
    """Return whether the builds differ as the history shows.

    Confirmed: the interval of the paired ratio excludes 1 on the suspected side, and the builds are
    not equivalent. No difference: the interval excludes the suspected ratio. Then the old build
    shows the cause: if it is now nearer to the level after the change, the host has drifted;
    otherwise the shift is gone, and the change is dismissed. Suspected: the interval contains
    both 1 and the suspected ratio.

    Args:
        ratio: level after divided by level before, as found in the history.
        pairs: values of the old and the new build in trials that ran side by side.
        levels: the levels of the history, in logs.
        instrument: the error of the load generator, which widens the interval.
    """
    n = len(pairs)
    if n < MIN_PAIRS:
        reason = f"Only {n} pairs of trials have valid results; {MIN_PAIRS} are needed."
        return ChangeJudgement(ChangeStatus.SUSPECTED, reason, None, n)
    old = [value for value, _ in pairs]
    found = compare_pairs([value for _, value in pairs], old, direction, instrument)
    assert found.low is not None
    assert found.high is not None
    outcome = f"In {n} pairs of trials the new build is at {_format_ratio(found)} of the old"
    # Mirrored to an increase, so that the same rule covers both directions.
    low, far = (found.low, found.high) if ratio > 1 else (1 / found.high, 1 / found.low)
    if low > 1 and found.state is not PairState.EQUIVALENT:
        return ChangeJudgement(ChangeStatus.CONFIRMED, f"{outcome}.", found, n)
    if found.state is not PairState.EQUIVALENT and far >= max(ratio, 1 / ratio):
        reason = f"{outcome}, so the builds cannot be told apart yet. Test more pairs."
        return ChangeJudgement(ChangeStatus.SUSPECTED, reason, found, n)
    now = fmean(map(log, old))
    has_drifted = abs(now - levels.after) < abs(now - levels.before)
    level = _format_percent(now - levels.before)
    where = f"The old build itself is now at {level} of its earlier level"
    reason = f"{outcome}, so the builds do not explain the change. {where}"
    if has_drifted:
        return ChangeJudgement(
            ChangeStatus.HOST_DRIFT, f"{reason}, so the host has drifted.", found, n
        )
    return ChangeJudgement(ChangeStatus.DISMISSED, f"{reason}. The shift is gone.", found, n)


def _format_ratio(found: Comparison) -> str:
    """Return a ratio with its interval: 1.08× [1.05, 1.11]."""
    if found.low is None or found.high is None:
        return f"{found.ratio:.3g}×"
    return f"{found.ratio:.3f}× [{found.low:.3f}, {found.high:.3f}]"


def _format_percent(logs: float) -> str:
    """Return a difference of logs as a percentage of the first value: 108 %."""
    return f"{exp(logs):.0%}".replace("%", " %")


@dataclass(frozen=True)
class SharedShift:
    """A series of a batch: age of its shift in points, and its ratio; None without a shift."""

    age: int | None
    ratio: float = 1.0


# With fewer series, a shift of the host cannot be distinguished from one of a service.
MIN_SHARED = 3
_SHARED = 2 / 3
_SAME_TIME = 2


def find_common_shift(batch: Sequence[SharedShift]) -> list[int]:
    """Return the series of a batch that shifted together, if they are at least two thirds of it.

    Together means in the same direction and at most two points apart.

    Returns:
        Their indices; empty if the shifts are independent.
    """
    least = max(MIN_SHARED, ceil(len(batch) * _SHARED))
    for reference in batch:
        if reference.age is None:
            continue
        alike = [
            index
            for index, shift in enumerate(batch)
            if shift.age is not None
            and abs(shift.age - reference.age) <= _SAME_TIME
            and (shift.ratio > 1) == (reference.ratio > 1)
        ]
        if len(alike) >= least:
            return alike
    return []
