"""Loads in steps: figures, passed steps, and the knee."""

from collections.abc import Sequence

import pytest

from backend.core.documents import Step
from backend.core.measurement.measurements.steps import (
    find_knee_rps,
    find_sustained_rps,
    has_failed,
    list_steps,
)
from backend.core.measurement.measurements.summary import summarise_steps
from backend.core.second import Second
from backend.core.units import Metric
from backend.tests.measuring import second

PARAMETERS = {"first_rps": 10, "step_rps": 5, "steps": 4, "step_seconds": 2, "success_percent": 90}


def seconds_of(*counts: tuple[int, int, int]) -> list[Second]:
    """Return seconds with these numbers of (succeeded, failed, dropped) requests."""
    return [
        second(number, [2.0] * good, requests=good + failed, failed=failed, dropped=dropped)
        for number, (good, failed, dropped) in enumerate(counts)
    ]


def test_each_step_has_its_own_figures() -> None:
    first, second_ = list_steps(
        seconds_of((10, 0, 0), (10, 0, 0), (15, 0, 0), (9, 1, 5)), PARAMETERS
    )

    assert (first.step, first.target_rps, first.offered, first.passed) == (0, 10, 20, True)
    assert (first.success_ratio, first.throughput_rps) == (1.0, 10.0)
    assert first.latency_p99_ms == pytest.approx(2.0, rel=0.005)
    assert first.latency_mean_ms == pytest.approx(2.0, rel=0.005)
    assert first.cpu_us_per_request == pytest.approx(1.0 / 20 * 1e6)
    assert (second_.target_rps, second_.offered, second_.requests) == (15, 30, 25)
    assert (second_.failed, second_.dropped, second_.passed) == (1, 5, False)
    assert second_.success_ratio == pytest.approx(24 / 30)


def test_a_step_passes_at_exactly_its_criterion() -> None:
    (exact,) = list_steps(seconds_of((9, 1, 0), (9, 0, 1)), PARAMETERS)
    (below,) = list_steps(seconds_of((9, 1, 0), (8, 1, 1)), PARAMETERS)

    assert exact.passed
    assert not below.passed
    assert [has_failed(PARAMETERS, 0, lost) for lost in (2, 3)] == [False, True]
    assert [has_failed(PARAMETERS, 3, lost) for lost in (5, 6)] == [False, True]


def test_a_step_in_which_nothing_was_sent_or_answered_fails() -> None:
    unsent, unanswered = list_steps(
        seconds_of((0, 0, 0), (0, 0, 0), (0, 15, 0), (0, 15, 0)), PARAMETERS
    )

    assert not unsent.passed
    assert not unanswered.passed
    assert unanswered.latency_p99_ms is None


@pytest.mark.parametrize(
    ("passed", "sustained"),
    [([True, True], 15), ([True, False, True], 10), ([False], None), ([], None)],
)
def test_the_sustained_rate_is_the_last_rate_before_a_failure(
    passed: Sequence[bool], sustained: int | None
) -> None:
    good, bad = (10, 0, 0), (0, 10, 0)
    seconds = seconds_of(*(good if item else bad for item in passed for _ in range(2)))

    assert find_sustained_rps(list_steps(seconds, PARAMETERS)) == sustained


def curve(*latencies_ms: float) -> list[Step]:
    """Return steps of 100, 200 … req/s with these p99 latencies."""
    parameters = {**PARAMETERS, "first_rps": 100, "step_rps": 100, "step_seconds": 1}
    return list_steps([second(n, [p99] * 100) for n, p99 in enumerate(latencies_ms)], parameters)


@pytest.mark.parametrize(
    ("latencies_ms", "knee"),
    [
        ((2, 2, 2, 2, 2, 2, 50, 200), 600),
        ((1, 2, 3, 5, 8, 13, 60, 300), 600),
        ((5, 5, 5, 100, 200, 300, 400, 500), 300),
        # A straight line, a constant with noise, and few steps have no knee.
        ((10, 20, 30, 40, 50, 60, 70, 80), None),
        ((2.0, 2.1, 1.9, 2.0, 2.2, 2.0, 2.1, 2.3), None),
        ((2, 2, 2, 50), None),
    ],
)
def test_the_knee_is_where_the_tail_begins_to_rise(
    latencies_ms: Sequence[float], knee: int | None
) -> None:
    assert find_knee_rps(curve(*latencies_ms)) == knee


def test_a_trial_in_steps_has_no_figures_that_mix_its_rates() -> None:
    mixed = dict.fromkeys(Metric, 1.0)
    own = summarise_steps(mixed, curve(2, 2, 2, 2, 2, 2, 50, 200))

    assert (own[Metric.SUSTAINED_RPS], own[Metric.KNEE_RPS]) == (800, 600)
    assert own[Metric.MEMORY_PEAK_BYTES] == own[Metric.CPU_SECONDS] == 1.0
    assert not {Metric.LATENCY_P99_MS, Metric.THROUGHPUT_RPS, Metric.SUCCESS_RATIO} & set(own)
    assert Metric.KNEE_RPS not in summarise_steps({}, curve(2, 2, 2, 2, 2))
