"""Judgements of confirmation runs, the number of pairs, and the tests of a whole batch."""

import random
from itertools import permutations, product
from math import exp, log

import pytest

from backend.core.changes.lifecycle import (
    MIN_PAIRS,
    Levels,
    SharedShift,
    check_transition,
    find_common_shift,
    judge_confirmation,
    plan_pairs,
    sum_up_statuses,
)
from backend.core.errors import Conflict
from backend.core.measurement.statistics.comparison import Instrument
from backend.core.statuses import ChangeStatus
from backend.core.units import Direction

SHIFTED = Levels(log(100.0), log(108.0))


def pairs(
    old: float, ratio: float, *, count: int = 12, variation: float = 0.02
) -> list[tuple[float, float]]:
    """Return pairs of trials: the old build at a level, the new build at a ratio to it."""
    chance = random.Random(7)
    noise = [exp(chance.gauss(0, variation)) for _ in range(2 * count)]
    return [
        (old * item, old * ratio * other)
        for item, other in zip(noise[::2], noise[1::2], strict=True)
    ]


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("ratio", [1.08, 1 / 1.08])
def test_builds_that_differ_confirm_the_change(ratio: float, direction: Direction) -> None:
    judged = judge_confirmation(ratio, pairs(100, ratio), Levels(0.0, log(ratio)), direction)

    assert judged.status is ChangeStatus.CONFIRMED
    assert judged.found is not None
    assert judged.found.low is not None
    assert judged.found.high is not None
    assert judged.found.low < ratio < judged.found.high
    assert judged.pairs == 12


@pytest.mark.parametrize(
    ("old", "ratio", "status", "expected"),
    [
        (108.0, 1.0, ChangeStatus.HOST_DRIFT, "the host has drifted"),
        (100.0, 1.0, ChangeStatus.DISMISSED, "The shift is gone"),
        # Significant, but in the other direction.
        (100.0, 1 / 1.08, ChangeStatus.DISMISSED, "do not explain the change"),
        # Significant, but too small to matter.
        (108.0, 1.012, ChangeStatus.HOST_DRIFT, "do not explain the change"),
    ],
)
def test_with_equal_builds_the_old_build_decides_between_drift_and_dismissal(
    old: float, ratio: float, status: ChangeStatus, expected: str
) -> None:
    few = 0.004 if ratio == 1.012 else 0.02
    judged = judge_confirmation(1.08, pairs(old, ratio, variation=few), SHIFTED, Direction.LOWER)

    assert judged.status is status
    assert expected in judged.reason


def test_a_noisy_confirmation_run_decides_nothing() -> None:
    noisy = judge_confirmation(1.08, pairs(100, 1.05, variation=0.2), SHIFTED, Direction.LOWER)
    assert noisy.status is ChangeStatus.SUSPECTED
    assert "cannot be told apart yet" in noisy.reason

    short = judge_confirmation(
        1.08, pairs(100, 1.08, count=MIN_PAIRS - 1), SHIFTED, Direction.LOWER
    )
    assert short.status is ChangeStatus.SUSPECTED
    assert "Only 4 pairs" in short.reason


def test_equal_builds_are_rarely_confirmed() -> None:
    """Two-sided 5 %; half of it is in the suspected direction."""
    chance = random.Random(3)
    confirmed = 0
    for _ in range(400):
        drawn = [(exp(chance.gauss(0, 0.03)), exp(chance.gauss(0, 0.03))) for _ in range(10)]
        judged = judge_confirmation(1.05, drawn, Levels(0.0, log(1.05)), Direction.LOWER)
        confirmed += judged.status is ChangeStatus.CONFIRMED
    assert confirmed <= 18


def test_noise_determines_the_number_of_pairs_within_bounds() -> None:
    few = plan_pairs(1.08, 0.02, 50)
    some = plan_pairs(1.08, 0.06, 50)

    assert MIN_PAIRS <= few < some < 50
    assert plan_pairs(1 / 1.08, 0.06, 50) == some
    assert plan_pairs(1.03, 0.3, 50) == 50
    assert plan_pairs(1.08, None, 20) == 20
    found = 0
    chance = random.Random(5)
    for _ in range(400):
        drawn = [
            (exp(chance.gauss(0, 0.06)), 1.08 * exp(chance.gauss(0, 0.06))) for _ in range(some)
        ]
        judged = judge_confirmation(1.08, drawn, SHIFTED, Direction.LOWER)
        found += judged.status is ChangeStatus.CONFIRMED
    assert 0.85 <= found / 400 <= 0.96


def test_users_may_change_a_decision_after_reopening() -> None:
    for current, new in permutations(ChangeStatus, 2):
        forbidden = new is ChangeStatus.HOST_DRIFT and current in {
            ChangeStatus.CONFIRMED,
            ChangeStatus.DISMISSED,
        }
        if forbidden:
            with pytest.raises(Conflict, match="reopen it first"):
                check_transition(current, new)
        else:
            check_transition(current, new)
    with pytest.raises(Conflict, match="under test already"):
        check_transition(ChangeStatus.TESTING, ChangeStatus.TESTING)


def test_two_thirds_that_shift_together_are_a_common_shift() -> None:
    still, up, later = SharedShift(None), SharedShift(5, 1.1), SharedShift(3, 1.05)

    assert find_common_shift([up, later, still]) == []  # three are needed
    assert find_common_shift([up, later, up, still]) == [0, 1, 2]
    assert find_common_shift([still, up, up, up]) == [1, 2, 3]
    assert find_common_shift([up, up, SharedShift(5, 0.9), still]) == []
    assert find_common_shift([up, up, SharedShift(40, 1.1), still]) == []
    assert find_common_shift([up, up, up, still, still]) == []
    assert find_common_shift([]) == []
    assert all(find_common_shift([a, b]) == [] for a, b in product([still, up], repeat=2))


def test_a_confirmation_allows_for_the_error_of_the_load_generator() -> None:
    drawn = pairs(100, 1.08)

    exact = judge_confirmation(1.08, drawn, SHIFTED, Direction.LOWER)
    unsure = judge_confirmation(1.08, drawn, SHIFTED, Direction.LOWER, Instrument(1.2))

    assert exact.status is ChangeStatus.CONFIRMED
    assert unsure.status is ChangeStatus.SUSPECTED


def test_a_build_with_a_confirmed_change_is_confirmed_despite_undecided_metrics() -> None:
    statuses = [ChangeStatus.SUSPECTED, ChangeStatus.CONFIRMED, ChangeStatus.DISMISSED]

    assert sum_up_statuses(statuses) is ChangeStatus.CONFIRMED
    assert sum_up_statuses([*statuses, ChangeStatus.TESTING]) is ChangeStatus.TESTING
