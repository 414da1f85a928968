"""The rule of steady states: false alarms, the share of changes that it finds, and its cases."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import ttest_ind

from backend.core.measurement.measurements.steadiness import (
    Glimpse,
    Steadiness,
    _welch,
    find_drift,
    find_obstacle,
    find_shift,
    find_unsteadiness,
    judge_steadiness,
    span_seconds,
)
from backend.core.measurement.measurements.verdicts import judge_unsteady_trials
from backend.core.second import Second
from backend.core.units import ProfileKind, Verdict
from backend.tests.measuring import second

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


def begins(levels: np.ndarray, spread: float) -> np.ndarray:
    """Return the first second after the steady state for many noisy loads; the cap if there is
    none."""
    chance = np.random.default_rng(11)
    noise = np.exp(chance.normal(0, spread, (LOADS, 3, CAP)))
    found = []
    for medians, counts, costs in noise:
        glimpses = [
            Glimpse(int(10000 * count / level), level * median, level * median * 2, level * cost)
            for level, median, count, cost in zip(levels, medians, counts, costs, strict=True)
        ]
        steady = (
            second
            for second in range(1, CAP)
            if find_unsteadiness(glimpses[:second], SPAN, is_closed=True, is_last=False) is None
        )
        found.append(next(steady, CAP))
    return np.array(found)


@pytest.mark.parametrize(("spread", "least"), [(0.03, 0.97), (0.05, 0.85)])
def test_a_steady_load_is_measured_from_the_earliest_second(spread: float, least: float) -> None:
    found = begins(np.ones(CAP), spread)

    assert found.min() == SPAN
    assert (found == SPAN).mean() >= least


@pytest.mark.parametrize("time_constant", [1.0, 4.0])
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


@pytest.mark.parametrize("rate", [0.03, -0.03])
def test_an_endless_drift_is_never_steady(rate: float) -> None:
    assert (begins(np.exp(rate * np.arange(CAP)), 0.03) == CAP).mean() >= 0.98


STEADY = Steadiness(True, "The load was steady for 10 s.")
TRIALS = 400


def correlated_noise(seconds: int, spread: float, correlation: float) -> np.ndarray:
    """Return logs of noise, one row a trial, in which neighbouring seconds are correlated."""
    shocks = np.random.default_rng(23).normal(0, spread, (TRIALS, seconds))
    noise = np.empty_like(shocks)
    noise[:, 0] = shocks[:, 0]
    for index in range(1, seconds):
        noise[:, index] = correlation * noise[:, index - 1]
        noise[:, index] += (1 - correlation**2) ** 0.5 * shocks[:, index]
    return noise


def of_five(one: float) -> float:
    """Return the share of results of five trials that are excluded: at least two trials failed.

    Args:
        one: the share of trials that fail.
    """
    return 1 - (1 - one) ** 5 - 5 * one * (1 - one) ** 4


def fails_at_cap(spread: float, rise: float) -> float:
    """Return the share of results of five trials that are excluded, if the warm-up of each trial is
    tested only at its cap.

    Args:
        rise: factor by which the load gets faster within the last 15 s.
    """
    levels = correlated_noise(15, spread, 0.3) + np.linspace(0, np.log(rise), 15)
    found = [
        find_unsteadiness(
            [Glimpse(round(1000 * level), 10 / level, 20 / level, 100 / level) for level in row],
            15,
            is_closed=True,
            is_last=True,
        )
        for row in np.exp(levels).tolist()
    ]
    return of_five(sum(reason is not None for reason in found) / len(found))


@pytest.mark.parametrize("spread", [0.03, 0.12])
def test_a_single_test_of_a_steady_load_rarely_fails(spread: float) -> None:
    assert fails_at_cap(spread, 1.0) <= 0.02


@pytest.mark.parametrize(("spread", "rise"), [(0.05, 1.25), (0.12, 1.5)])
def test_a_single_test_finds_a_load_that_gets_faster(spread: float, rise: float) -> None:
    assert fails_at_cap(spread, rise) >= 0.9


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
            if find_unsteadiness(slow(seconds, delay), 4, is_closed=True, is_last=True) is None
        ]
        assert found[0] == 4 + delay
    assert "responses" in str(find_unsteadiness(slow(8, 8), 4, is_closed=True, is_last=True))


def test_an_oscillating_throughput_is_not_steady() -> None:
    glimpses = [Glimpse(count, 5.0, 6.0, 7.0) for count in (319, 318, 99, 219)]

    assert "up and down" in str(find_unsteadiness(glimpses, 4, is_closed=True, is_last=True))


@pytest.mark.parametrize(
    ("early", "late", "is_steady"),
    [(0.9, 0.0, True), (0.0, 0.9, False), (0.2, 0.2, True), (None, None, True)],
)
def test_a_compiler_with_a_backlog_is_noticed_at_a_constant_speed(
    early: float | None, late: float | None, is_steady: bool
) -> None:
    shares = [early] * 20 + [late] * 10
    glimpses = [Glimpse(4000, 5.0, 6.0, 7.0, compiling=share) for share in shares]

    reason = find_unsteadiness(glimpses, 10, is_closed=True, is_last=False)

    assert (reason is None) is is_steady
    if not is_steady:
        assert reason == "the JIT compiler had work for 90% of the last 10 s"
        assert find_obstacle(glimpses, 10) == reason


def test_a_rate_is_not_judged_by_its_number_of_requests() -> None:
    glimpses = [Glimpse(100 * 2**second, 5.0, 6.0, 7.0) for second in range(6)]

    assert find_unsteadiness(glimpses, 4, is_closed=False, is_last=True) is None
    assert "throughput" in str(find_unsteadiness(glimpses, 4, is_closed=True, is_last=True))


def windows(seconds: int, spread: float, correlation: float, rise: float) -> list[list[Second]]:
    """Return windows of a closed load whose throughput rises, with the noise of a small host.

    The noise of neighbouring seconds is correlated, and shared by throughput, latency and CPU time.
    """
    noise = correlated_noise(seconds, spread, correlation)
    levels = np.exp(noise + np.linspace(0, np.log(rise), seconds))
    return [
        [
            second(number, [10 / level], requests=round(1000 * level), cpu_service_seconds=1.0)
            for number, level in enumerate(row)
        ]
        for row in levels.tolist()
    ]


def flagged(loads: list[list[Second]]) -> float:
    """Return the share of trials that were not measured in a steady state."""
    found = [judge_steadiness(load, ProfileKind.SATURATE, {}, STEADY) for load in loads]
    return sum(item.is_steady is False for item in found) / len(found)


@pytest.mark.parametrize("seconds", [10, 30])
def test_a_steady_window_is_rarely_flagged(seconds: int) -> None:
    one = flagged(windows(seconds, 0.05, 0.3, 1.0))

    assert of_five(one) <= 0.01


@pytest.mark.parametrize(("spread", "least"), [(0.03, 0.95), (0.05, 0.55)])
def test_a_window_that_rises_by_a_quarter_is_flagged(spread: float, least: float) -> None:
    for correlation in (0.0, 0.3):
        one = flagged(windows(10, spread, correlation, 1.25))

        assert one >= least
        assert of_five(one) >= 0.9


def excluded(loads: list[list[Second]]) -> float:
    """Return the share of results of five trials each that were not measured in a steady state."""
    count = 0
    for trials in zip(*(iter(loads),) * 5, strict=True):
        found = [judge_steadiness(load, ProfileKind.SATURATE, {}, STEADY) for load in trials]
        details = [item.detail for item in found if not item.is_steady]
        drifts = [find_drift(load, ProfileKind.SATURATE) or 0 for load in trials]
        state = judge_unsteady_trials(details, 5, drifts)
        count += state is not None and state.verdict is Verdict.NEVER_STEADY
    return 5 * count / len(loads)


def test_a_machine_whose_speed_varies_excludes_few_results() -> None:
    """The noise is that of a virtual machine that shares its cores with others."""
    loads = windows(15, 0.3, 0.9, 1.0)[:300]

    assert of_five(flagged(loads)) >= 0.5
    assert excluded(loads) <= 0.1


@pytest.mark.parametrize(("spread", "rise", "least"), [(0.05, 1.25, 0.95), (0.3, 2.0, 0.85)])
def test_a_service_that_gets_faster_in_each_trial_is_excluded(
    spread: float, rise: float, least: float
) -> None:
    assert excluded(windows(15, spread, 0.9, rise)[:300]) >= least


def test_the_drift_is_that_of_the_cost_of_a_request() -> None:
    faster = [second(number, requests=round(1000 * 1.1**number)) for number in range(11)]
    costlier = [
        second(number, [1.0] * 10, cpu_service_seconds=0.1 * 1.1**number) for number in range(11)
    ]

    assert find_drift(faster, ProfileKind.SATURATE) == pytest.approx(1 / 1.1**10, rel=0.001)
    assert find_drift(costlier, ProfileKind.RATE) == pytest.approx(1.1**10)
    assert find_drift(costlier, ProfileKind.STEPS) is None
    assert find_drift(costlier[:9], ProfileKind.RATE) is None
    unread = [*costlier[:10], second(10, [1.0], cpu_service_seconds=None)]
    assert find_drift(unread, ProfileKind.RATE) is None


def test_a_compiler_that_goes_on_for_minutes_is_noticed_in_the_window() -> None:
    """Its warm-up looked steady. The figures are those of a Quarkus service at 50 B."""
    levels = [11_813, 14_100, 17_900, 22_300, 26_800, 31_500, 36_200, 40_700, 44_600, 47_739]
    load = [second(number, [0.05] * 9, requests=level) for number, level in enumerate(levels)]

    found = judge_steadiness(load, ProfileKind.SATURATE, {}, STEADY)

    assert found.is_steady is False
    assert "throughput changed by" in found.detail


def even(seconds: int, **changes: object) -> list[Second]:
    return [second(number, [5.0] * 100, **changes) for number in range(seconds)]


@pytest.mark.parametrize("kind", list(ProfileKind))
def test_no_kind_of_load_is_steady_after_an_unsteady_warm_up(kind: ProfileKind) -> None:
    hit = Steadiness(
        False, "The warm-up ended at its limit of 30 s, not steady: the throughput changed by +20%."
    )

    assert judge_steadiness(even(20), kind, STEPS, hit) is hit


@pytest.mark.parametrize("kind", [ProfileKind.RATE, ProfileKind.USERS, ProfileKind.SATURATE])
def test_a_window_of_less_than_ten_seconds_cannot_be_tested(kind: ProfileKind) -> None:
    cold = Steadiness(None, "There was no warm-up.")

    assert judge_steadiness(even(9), kind, {}, STEADY).is_steady is None
    assert judge_steadiness(even(10), kind, {}, cold).is_steady is True


def test_a_count_that_ends_within_seconds_is_judged_by_its_warm_up() -> None:
    count, long, short = ProfileKind.COUNT, {"warm_up_seconds": 30}, {"warm_up_seconds": 8}
    untested = Steadiness(None, "It took the 3 s it was given.")

    assert judge_steadiness(even(1), count, long, STEADY) is STEADY
    assert judge_steadiness(even(1), count, short, STEADY).is_steady is None
    assert judge_steadiness(even(1), count, long, untested).is_steady is None
    assert judge_steadiness(even(10), count, short, untested).is_steady is None
    assert judge_steadiness(even(11), count, short, untested).is_steady is True


def test_the_last_second_of_a_count_does_not_show_a_change() -> None:
    ended = [*even(15), second(15, [2.0])]

    assert judge_steadiness(ended, ProfileKind.COUNT, {}, STEADY).is_steady is True
    assert judge_steadiness(even(15), ProfileKind.SATURATE, {}, STEADY).is_steady is True


STEPS = {
    "first_rps": 100,
    "step_rps": 100,
    "steps": 3,
    "step_seconds": 10,
    "success_percent": 90,
    "warm_up_seconds": 30,
}


def in_steps(costs: Sequence[float], failed_from: int = 99) -> list[Second]:
    """Return steps in which latency grows and each second needs this CPU time per request."""
    return [
        second(
            number,
            [1.0 + number] * 100,
            failed=50 if number >= failed_from else 0,
            cpu_service_seconds=100 * cost,
        )
        for number, cost in enumerate(costs)
    ]


def test_the_highest_step_that_passed_decides() -> None:
    falling = list(np.linspace(2.0, 1.5, 10) / 1000)
    even_costs = [0.001] * 10
    kind = ProfileKind.STEPS

    def judge(costs: list[float], failed_from: int = 99) -> Steadiness:
        return judge_steadiness(in_steps(costs, failed_from), kind, STEPS, STEADY)

    assert judge([*falling, *falling, *even_costs]).is_steady is True
    assert judge([*even_costs, *even_costs, *falling]).is_steady is False
    assert "within the step of 300 req/s" in judge([*even_costs, *even_costs, *falling]).detail
    # The last step failed, so that the second one decides.
    assert judge([*even_costs, *even_costs, *falling], failed_from=20).is_steady is True
    assert judge([*even_costs, *falling, *even_costs], failed_from=20).is_steady is False


def test_short_steps_and_steps_without_a_tested_warm_up_cannot_be_tested() -> None:
    loads, kind = in_steps([0.001] * 30), ProfileKind.STEPS
    untested = Steadiness(None, "It took the 3 s it was given.")

    assert judge_steadiness(loads, kind, STEPS | {"step_seconds": 5}, STEADY).is_steady is None
    assert judge_steadiness(loads, kind, STEPS, untested).is_steady is None


def test_a_tenth_of_the_seconds_may_be_without_a_good_answer() -> None:
    def judge(silent: int) -> Steadiness:
        load = [*even(20 - silent), *(second(20 - silent + n, requests=3) for n in range(silent))]
        return judge_steadiness(load, ProfileKind.RATE, {}, STEADY)

    assert judge(2).is_steady is True
    assert judge(3) == Steadiness(None, "Only 17 of 20 s had a good answer.")
