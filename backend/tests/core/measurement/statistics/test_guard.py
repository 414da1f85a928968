"""When a change is decided: exact small cases, directions, and simulated error rates."""

from math import log

import numpy as np
import pytest
from scipy import stats

from backend.core.measurement.statistics.guard import (
    ChangeEvidence,
    ChangeState,
    find_critical_values,
    find_side,
    judge_change,
)
from backend.core.units import Metric

CPU = Metric.CPU_US_PER_REQUEST
MOST = 14


def make_pairs(ratio: float, seed: int, pairs: int = MOST) -> tuple[list[float], list[float]]:
    """Return normal trials of base and head, whose pairs share a drift."""
    random = np.random.default_rng(seed)
    drift = random.normal(0, 0.3, pairs).cumsum()
    base = np.exp(drift + random.normal(0, 0.015, pairs))
    head = ratio * np.exp(drift + random.normal(0, 0.015, pairs))
    return base.tolist(), head.tolist()


def judge(
    base: list[float],
    head: list[float],
    limit: float = 0.03,
    metric: Metric = CPU,
    metrics: int = 1,
) -> ChangeEvidence:
    return judge_change(metric, base, head, limit, metrics=metrics, most_pairs=MOST)


def stop(ratio: float, seed: int, metrics: int) -> ChangeState:
    """Add pair after pair until the change is decided, or there are no more pairs."""
    base, head = make_pairs(ratio, seed)
    for pairs in range(3, MOST + 1):
        found = judge(base[:pairs], head[:pairs], metrics=metrics)
        if found.state is not ChangeState.UNKNOWN:
            return found.state
    return ChangeState.UNKNOWN


def test_less_of_a_metric_of_a_script_may_be_worse() -> None:
    base, head = [10.0, 10.1, 9.9], [8.0, 8.1, 7.9]

    def judge_orders(*, less_is_worse: bool) -> ChangeState:
        found = judge_change(
            "script:orders", base, head, 0.03, metrics=1, most_pairs=3, less_is_worse=less_is_worse
        )
        return found.state

    assert judge_orders(less_is_worse=True) is ChangeState.WORSE
    assert judge_orders(less_is_worse=False) is ChangeState.BETTER


def test_three_pairs_at_most_are_tested_once_by_t_on_paired_logs() -> None:
    base, head = [1.00, 1.01, 1.00], [1.10, 1.12, 1.11]
    differences = np.log(head) - np.log(base)
    half_width = stats.t.ppf(1 - 0.02 / 2, 2) * stats.sem(differences)

    found = judge_change(CPU, base, head, 0.03, metrics=1, most_pairs=3)

    assert found.state is ChangeState.WORSE
    assert found.ratio == pytest.approx(np.exp(differences.mean()))
    assert found.low == pytest.approx(np.exp(differences.mean() - half_width))
    assert found.high == pytest.approx(np.exp(differences.mean() + half_width))


def test_nothing_is_decided_before_the_third_pair() -> None:
    found = judge([1.0, 1.0], [9.0, 9.0])

    assert (found.state, found.low, found.high) == (ChangeState.UNKNOWN, None, None)


@pytest.mark.parametrize(
    ("metric", "ratio", "state"),
    [
        (CPU, 1.2, ChangeState.WORSE),
        (CPU, 0.8, ChangeState.BETTER),
        (CPU, 1.0, ChangeState.WITHIN_LIMIT),
        (Metric.THROUGHPUT_RPS, 0.8, ChangeState.WORSE),
        (Metric.THROUGHPUT_RPS, 1.2, ChangeState.BETTER),
        (Metric.THROUGHPUT_RPS, 1.0, ChangeState.WITHIN_LIMIT),
    ],
)
def test_more_is_worse_or_better_by_metric(
    metric: Metric, ratio: float, state: ChangeState
) -> None:
    base, head = make_pairs(ratio, seed=3)

    found = judge(base, head, limit=0.06, metric=metric)

    assert found.state is state
    assert found.ratio == pytest.approx(ratio, rel=0.03)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.ratio <= found.high


def test_a_real_change_below_the_limit_is_within_it() -> None:
    base = [1.0 + 0.0001 * at for at in range(MOST)]
    head = [1.01 * value for value in base]

    assert judge(base, head, limit=0.03).state is ChangeState.WITHIN_LIMIT


def test_an_unknown_change_has_an_estimate_of_the_pairs_that_decide_it() -> None:
    base, head = make_pairs(1.0, seed=1, pairs=3)

    found = judge(base, head, limit=0.02, metrics=6)

    assert found.state is ChangeState.UNKNOWN
    assert found.pairs_needed is not None
    assert found.pairs_needed > 3


def test_a_guard_without_a_change_is_called_worse_in_at_most_1_percent() -> None:
    metrics, guards = 4, 150
    wrong = sum(
        any(stop(1.0, 10_000 * metric + seed, metrics) is ChangeState.WORSE for metric in range(4))
        for seed in range(guards)
    )

    assert wrong <= stats.binom.ppf(0.999, guards, 0.01)


def test_a_slowdown_by_5_percent_is_found_and_never_called_within_a_limit_of_3() -> None:
    states = [stop(1.05, seed, metrics=4) for seed in range(300)]

    assert states.count(ChangeState.WITHIN_LIMIT) <= stats.binom.ppf(0.999, 300, 0.03)
    assert states.count(ChangeState.WORSE) >= 0.9 * len(states)


def test_critical_values_fall_with_each_pair_and_rise_with_each_metric() -> None:
    one, four = find_critical_values(1, MOST)[0], find_critical_values(4, MOST)[0]

    assert list(one) == sorted(one, reverse=True)
    assert all(more > less for more, less in zip(four, one, strict=True))


@pytest.mark.parametrize(("ratio", "is_larger"), [(1.10, True), (1.00, False)])
def test_the_side_of_a_threshold_is_found(ratio: float, is_larger: bool) -> None:
    base, head = make_pairs(ratio, seed=5)

    assert find_side(CPU, base, head, log(1.05), error_rate=0.01, most_pairs=MOST) is is_larger


def test_a_change_at_the_threshold_has_no_side() -> None:
    base, head = make_pairs(1.05, seed=5)

    assert find_side(CPU, base, head, log(1.05), error_rate=0.01, most_pairs=MOST) is None
