"""The rate that a service sustained in a load in steps."""

from itertools import product
from math import inf

import pytest

from backend.core.measurement.statistics.comparison import Comparison
from backend.core.measurement.statistics.estimate import Estimate
from backend.core.measurement.statistics.rates import (
    RateBounds,
    compare_rates,
    describe_proof,
    find_rate_bounds,
)
from backend.tests.pair_states import BETTER, EQUIVALENT, UNDECIDED, WORSE, Judgement, judged

STEPS = {
    "first_rps": 100,
    "step_rps": 100,
    "steps": 11,
    "step_seconds": 3,
    "timeout_ms": 3000,
    "success_percent": 90,
}


def bounds(*rates: float) -> RateBounds:
    return RateBounds.of(rates, STEPS)


@pytest.mark.parametrize(
    ("rates", "low", "high"),
    [
        ((500, 500, 500), 500, 600),
        ((100, 500, 700), 100, 800),
        ((0, 0, 0), 0, 100),
        ((0, 300, 300), 0, 400),
        ((1100, 1100, 1100), 1100, inf),
        ((500, 500, 1100), 500, inf),
    ],
)
def test_a_rate_lies_between_what_all_trials_passed_and_what_none_passed(
    rates: tuple[float, ...], low: float, high: float
) -> None:
    found = bounds(*rates)

    assert (found.low, found.high) == (low, high)
    assert found.estimate == Estimate(
        low, low, None if high == inf else high, 3, is_bound=high == inf
    )


def test_a_trial_without_a_rate_failed_at_the_first_step() -> None:
    assert find_rate_bounds([300, 300], 3, STEPS) == bounds(300, 300, 0)
    assert find_rate_bounds([], 3, STEPS) is None


def test_two_trials_are_shown_as_values() -> None:
    assert bounds(500, 1100).estimate == Estimate(500, None, None, 2, (500, 1100), is_bound=True)


@pytest.mark.parametrize(
    ("first", "second", "word", "interval"),
    [
        ((700, 700, 800), (500, 500, 600), BETTER, (700 / 700, 900 / 500)),
        ((500, 500, 500), (700, 700, 700), WORSE, (500 / 800, 600 / 700)),
        ((500, 500, 500), (500, 500, 500), UNDECIDED, (500 / 600, 600 / 500)),
        ((600, 600, 600), (500, 500, 600), UNDECIDED, (600 / 700, 700 / 500)),
        # A trial that ended early makes the result uncertain, whatever the mean of the trials is.
        ((1100, 1100, 1100), (100, 1100, 1100), UNDECIDED, (0, None)),
        ((1100, 1100, 1100), (1100, 1100, 1100), UNDECIDED, (0, None)),
        ((1100, 1100, 1100), (500, 500, 500), BETTER, (1100 / 600, None)),
        ((500, 500, 500), (1100, 1100, 1100), WORSE, (0, 600 / 1100)),
        ((300, 300, 300), (0, 0, 0), BETTER, (3, None)),
        ((0, 0, 0), (300, 300, 300), WORSE, (0, 100 / 300)),
        ((0, 0, 0), (0, 0, 0), UNDECIDED, (0, None)),
    ],
)
def test_a_service_is_better_if_it_always_passed_what_the_other_never_passed(
    first: tuple[float, ...],
    second: tuple[float, ...],
    word: Judgement,
    interval: tuple[float, float | None],
) -> None:
    found = compare_rates(bounds(*first), bounds(*second))

    assert judged(found) == word
    assert (found.low, found.high) == interval
    assert found.trials_needed is None


def test_fine_steps_can_show_equivalence() -> None:
    fine = {**STEPS, "first_rps": 1000, "step_rps": 10, "steps": 100}
    pair = RateBounds.of([1500] * 3, fine), RateBounds.of([1510] * 3, fine)

    assert judged(compare_rates(*pair)) == EQUIVALENT


def test_fewer_than_three_trials_decide_nothing() -> None:
    found = compare_rates(bounds(1100, 1100), bounds(100, 100, 100))

    assert judged(found) == UNDECIDED
    assert (found.low, found.high, found.trials_needed) == (None, None, 3)


def as_figures(found: Comparison) -> tuple[float | None, float | None, Judgement]:
    return found.low, found.high, judged(found)


def test_the_inverse_compares_the_second_with_the_first() -> None:
    results = [bounds(*[rate] * 3) for rate in (0, 100, 500, 600, 1100)]
    for first, second in product(results, results):
        found, swapped = compare_rates(first, second), compare_rates(second, first)
        low, high, state = as_figures(found.invert())

        assert state == judged(swapped)
        assert (low, high) == pytest.approx((swapped.low, swapped.high))
        assert found.ratio is not None


def test_a_passed_step_proves_less_than_its_rate() -> None:
    proof = describe_proof(bounds(1100, 1100, 1100)).replace("\u202f", " ")

    assert bounds(1100, 1100, 1100).proven.low == pytest.approx(495)
    assert proof == "passing 1 100 req/s for 3 s with a timeout of 3 s proves only 495 req/s"
