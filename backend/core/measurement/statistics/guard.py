"""Decide after each pair of trials whether a change made a service worse; pure.

A pair is one trial of the base and one of the head, in random order. The differences of the logs of
their values are tested after every pair from the third on, with critical values for repeated tests
(boundaries.py) and the repeated confidence intervals of sequential.py. Each metric of each load has
a limit: the largest change for the worse that its team accepts.

- *Worse*: the interval for decisions excludes no change, and the estimate is beyond the limit.
- *Better*: the same in the other direction.
- *Within the limit*: the interval for equivalence lies below the limit.
- *Unknown*: none of these yet.

The error rates are divided by the number of metrics of all loads (Bonferroni). So a change without
any effect is called worse in at most 1 % of guards, and a change for the worse by a limit or more
is called within the limit in at most 3 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, exp, log, sqrt

from backend.core.catalog.own.metrics import direction_of
from backend.core.measurement.statistics.boundaries import FIRST_LOOK, find_boundaries
from backend.core.measurement.statistics.sequential import repeat_intervals
from backend.core.numeric import np
from backend.core.units import Direction

# The rates are for all metrics together. Half of each applies to each direction.
DECISION_ERROR_RATE = 0.02
EQUIVALENCE_ERROR_RATE = 0.06
# As in sequential.py: early tests are strict about equivalence, less so about large differences.
_DECISION_SPENDING = 0.75
_EQUIVALENCE_SPENDING = 2.0
# Fewer show little about the noise.
_ENOUGH_PAIRS = 5


class ChangeState(StrEnum):
    """The state of a change in one metric."""

    WORSE = "worse"
    BETTER = "better"
    WITHIN_LIMIT = "within_limit"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ChangeEvidence:
    """The evidence of pairs of trials about a change in one metric.

    Ratios are head divided by base, as measured: 1.05 is 5 % more.

    Attributes:
        metric: a name of `backend.core.catalog.own.metrics`.
        limit: the largest accepted change for the worse, as a share: 0.05 is 5 %.
        low, high: the interval from which the state follows. None before the third pair.
        pairs_needed: the number of pairs with which an unknown change is probably decided. None if
            no number is known.
        base, head: geometric means of the values.
        visible: the smallest change that all pairs together would show, as a share, given the noise
            so far. None with fewer than five pairs.
    """

    metric: str
    limit: float
    state: ChangeState
    pairs: int
    ratio: float
    low: float | None
    high: float | None
    pairs_needed: int | None
    base: float
    head: float
    visible: float | None = None
    less_is_worse: bool = False


def judge_change(
    metric: str,
    base: Sequence[float],
    head: Sequence[float],
    limit: float,
    *,
    metrics: int,
    most_pairs: int,
    less_is_worse: bool = False,
) -> ChangeEvidence:
    """Return what the pairs so far show.

    Args:
        base, head: positive values of the pairs, in the order of time.
        limit: the largest accepted change for the worse, as a share.
        metrics: number of metrics of all loads that are judged together.
        most_pairs: the largest number of pairs. The error rates hold if it was fixed before the
            first pair.
        less_is_worse: as for `direction_of`.

    Raises:
        ValueError: the numbers of values differ, there are none, or a value is not positive.
    """
    if len(base) != len(head) or not base or min(*base, *head) <= 0:
        raise ValueError("pairs need as many positive values of the base as of the head")
    # From here on, positive differences are changes for the worse.
    is_lower_better = direction_of(metric, less_is_worse=less_is_worse) is Direction.LOWER
    sign = 1.0 if is_lower_better else -1.0
    differences = sign * (np.log(head) - np.log(base))
    pairs, centre = len(base), float(differences.mean())
    margin = log(1 + limit)
    state, shown = ChangeState.UNKNOWN, None
    if pairs >= FIRST_LOOK:
        deciding, equating = find_critical_values(metrics, max(most_pairs, pairs))
        [decision] = repeat_intervals(differences[None, :], deciding, 0.0)
        [equivalence] = repeat_intervals(differences[None, :], equating, 0.0)
        assert decision is not None
        assert equivalence is not None
        state, shown = _decide(centre, margin, decision, equivalence)
    low, high = shown or (None, None)
    if sign < 0 and low is not None and high is not None:
        low, high = -high, -low
    needed = None
    if state is ChangeState.UNKNOWN:
        needed = _estimate_pairs(differences.tolist(), margin, metrics, most_pairs)
    return ChangeEvidence(
        metric=metric,
        limit=limit,
        state=state,
        pairs=pairs,
        ratio=exp(sign * centre),
        low=None if low is None else exp(low),
        high=None if high is None else exp(high),
        pairs_needed=needed,
        base=float(np.exp(np.log(base).mean())),
        head=float(np.exp(np.log(head).mean())),
        visible=_find_visible(differences.tolist(), metrics, most_pairs),
        less_is_worse=less_is_worse,
    )


def _find_visible(differences: Sequence[float], metrics: int, most_pairs: int) -> float | None:
    if len(differences) < _ENOUGH_PAIRS:
        return None
    pairs = max(most_pairs, len(differences))
    deciding, _ = find_critical_values(metrics, pairs)
    return exp(deciding[-1] * float(np.std(differences, ddof=1)) / sqrt(pairs)) - 1


def find_critical_values(
    metrics: int, most_pairs: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the critical values of |t| after 3, 4, … pairs: for decisions, and for equivalence."""
    last = max(most_pairs, FIRST_LOOK)
    return (
        find_boundaries(DECISION_ERROR_RATE / metrics, last, _DECISION_SPENDING),
        find_boundaries(EQUIVALENCE_ERROR_RATE / metrics, last, _EQUIVALENCE_SPENDING),
    )


def find_side(
    metric: str,
    base: Sequence[float],
    head: Sequence[float],
    threshold: float,
    *,
    error_rate: float,
    most_pairs: int,
) -> bool | None:
    """Return whether a change for the worse is larger than a threshold; None if it is not known.

    The answer is wrong, after any number of pairs, with a probability of at most `error_rate`.

    Args:
        base, head, most_pairs: as for `judge_change`.
        threshold: the size of the change: log of a ratio, positive.
    """
    if len(base) < FIRST_LOOK:
        return None
    sign = 1.0 if direction_of(metric) is Direction.LOWER else -1.0
    differences = sign * (np.log(head) - np.log(base))
    critical = find_boundaries(error_rate, max(most_pairs, len(base)), _DECISION_SPENDING)
    [interval] = repeat_intervals(differences[None, :], critical, 0.0)
    assert interval is not None
    if interval[0] > threshold:
        return True
    return False if interval[1] < threshold else None


def _decide(
    centre: float,
    margin: float,
    decision: tuple[float, float],
    equivalence: tuple[float, float],
) -> tuple[ChangeState, tuple[float, float]]:
    """Return the state of a change, and the interval from which it follows."""
    if decision[0] > 0 and centre >= margin:
        return ChangeState.WORSE, decision
    if decision[1] < 0 and centre <= -margin:
        return ChangeState.BETTER, decision
    if equivalence[1] < margin:
        return ChangeState.WITHIN_LIMIT, equivalence
    return ChangeState.UNKNOWN, decision


def _estimate_pairs(
    differences: Sequence[float], margin: float, metrics: int, most_pairs: int
) -> int | None:
    """Return with how many pairs an unknown change is probably decided, if its noise stays.

    None before the third pair, and if the estimate is so close to the limit that no number helps.
    """
    pairs = len(differences)
    if pairs < FIRST_LOOK:
        return None
    deviation, centre = float(np.std(differences, ddof=1)), float(np.mean(differences))
    deciding, equating = find_critical_values(metrics, max(most_pairs, pairs))
    # The distance that the last interval must not exceed, for a decision or for equivalence.
    needed = [(margin - centre) / equating[-1]]
    if abs(centre) >= margin:
        needed.append(abs(centre) / deciding[-1])
    error = max(needed)
    return max(pairs + 1, ceil((deviation / error) ** 2)) if error > 0 else None
