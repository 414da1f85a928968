"""The detection of shifts: the share found, and false alarms."""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from backend.core.measurements.steadiness import (
    Glimpse,
    _welch,
    find_shift,
    find_unsteadiness,
    span_seconds,
)

SERIES = 500
SPREAD = 0.05


def seen(step: float, seconds: int) -> float:
    """Return the share of noisy series with a step in the middle in which a shift is found."""
    chance = np.random.default_rng(7)
    level = np.where(np.arange(seconds) < seconds // 2, 1.0, step)
    noise = np.exp(chance.normal(0, SPREAD, (SERIES, seconds)))
    return sum(find_shift(row, 1.1) is not None for row in (level * noise).tolist()) / SERIES


def test_steady_series_raise_no_alarm() -> None:
    assert seen(1.0, 10) <= 0.004
    assert seen(1.0, 60) <= 0.004


def test_ten_seconds_reveal_a_step_of_a_half_and_sixty_a_step_of_a_tenth() -> None:
    assert seen(1.5, 10) >= 0.95
    assert seen(1.15, 60) >= 0.99


def test_each_split_is_tested_like_scipy() -> None:
    logs = np.random.default_rng(3).normal(9.0, 0.2, 30)
    sizes = np.arange(3, 28)

    _, p_values = _welch(logs, sizes)

    expected = [ttest_ind(logs[:size], logs[size:], equal_var=False).pvalue for size in sizes]
    assert p_values == pytest.approx(expected, rel=1e-9)


def test_a_step_is_found_at_its_second() -> None:
    shift = find_shift([10.0, 10.1, 9.9, 10.0, 15.0, 15.1, 14.9], 1.1)
    assert shift is not None
    assert shift.second == 4
    assert shift.ratio == pytest.approx(1.5, rel=0.01)


@pytest.mark.parametrize("series", [[], [1.0] * 5, [0.0] * 10, [1.0, 1.0, 1.0, 0.0, 2.0, 2.0, 2.0]])
def test_few_seconds_have_no_verdict(series: list[float]) -> None:
    assert find_shift(series, 1.1) is None


CAP = 30
LOADS = 200
SPAN = span_seconds(CAP)


def begins(levels: np.ndarray, spread: float, cap: int = CAP) -> np.ndarray:
    """Return the first second after the steady state for many noisy loads; the cap if there is
    none."""
    chance = np.random.default_rng(11)
    noise = np.exp(chance.normal(0, spread, (LOADS, 3, cap)))
    found = []
    for medians, counts, costs in noise:
        glimpses = [
            Glimpse(int(10000 * count / level), level * median, level * median * 2, level * cost)
            for level, median, count, cost in zip(levels, medians, counts, costs, strict=True)
        ]
        steady = (
            second
            for second in range(1, cap)
            if find_unsteadiness(glimpses[:second], span_seconds(cap), is_closed=True) is None
        )
        found.append(next(steady, cap))
    return np.array(found)


@pytest.mark.parametrize("cap", [8, CAP])
@pytest.mark.parametrize(("spread", "least"), [(0.03, 0.97), (0.05, 0.85), (0.1, 0.7)])
def test_a_steady_load_is_measured_from_the_earliest_second(
    spread: float, least: float, cap: int
) -> None:
    found = begins(np.ones(cap), spread, cap)

    assert found.min() == span_seconds(cap)
    assert (found == span_seconds(cap)).mean() >= least
    assert np.median(found) == span_seconds(cap)


@pytest.mark.parametrize("time_constant", [1.0, 2.0, 4.0])
def test_the_warm_up_waits_for_a_compiler(time_constant: float) -> None:
    levels = 1 + 4 * np.exp(-np.arange(CAP) / time_constant)
    found = begins(levels, 0.03)

    too_early = levels[found - 1] > 1.1
    assert too_early.mean() <= 0.02
    assert (found < CAP).mean() >= 0.9


def test_the_warm_up_waits_for_the_end_of_a_step() -> None:
    found = begins(np.where(np.arange(CAP) < 8, 2.0, 1.0), 0.05)

    assert (found >= 8 + SPAN // 2).mean() >= 0.98
    assert (found < CAP).mean() >= 0.98


@pytest.mark.parametrize("rate", [0.03, -0.03, 0.06])
def test_an_endless_drift_is_never_steady(rate: float) -> None:
    assert (begins(np.exp(rate * np.arange(CAP)), 0.03) == CAP).mean() >= 0.98


def slow(seconds: int, delay_seconds: int) -> list[Glimpse]:
    """Return a load with constant responses that take whole seconds, so that the last are
    outstanding."""
    answered = Glimpse(100, delay_seconds * 1000 + 2.0, delay_seconds * 1000 + 3.0, 50.0)
    waiting = Glimpse(0, None, None, None)
    count = max(0, seconds - delay_seconds)
    return [answered] * count + [waiting] * (seconds - count)


def test_seconds_that_wait_for_answers_are_left_out() -> None:
    for delay in (1, 8):
        found = [
            seconds
            for seconds in range(1, 30)
            if find_unsteadiness(slow(seconds, delay), 4, is_closed=True) is None
        ]
        assert found[0] == 4 + delay
    assert "responses" in str(find_unsteadiness(slow(8, 8), 4, is_closed=True))


def test_an_oscillating_throughput_is_not_steady() -> None:
    glimpses = [Glimpse(count, 5.0, 6.0, 7.0) for count in (319, 318, 99, 219)]

    assert "up and down" in str(find_unsteadiness(glimpses, 4, is_closed=True))


def test_a_rate_is_not_judged_by_its_number_of_requests() -> None:
    glimpses = [Glimpse(100 * 2**second, 5.0, 6.0, 7.0) for second in range(6)]

    assert find_unsteadiness(glimpses, 4, is_closed=False) is None
    assert "throughput" in str(find_unsteadiness(glimpses, 4, is_closed=True))
