"""The disagreement of two load generators, and which results it applies to."""

from math import exp, inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.measurement.instrument.disagreement import (
    NO_ERROR,
    Disagreement,
    GeneratorPair,
    InstrumentError,
    add_to_noise,
    find_disagreements,
)
from backend.core.measurement.statistics.comparison import Instrument
from backend.core.units import Metric, ProfileKind
from backend.tests.core.measurement.statistics.intervals import interval_of

P50, P99, RPS = Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS, Metric.THROUGHPUT_RPS
RATE, SATURATE = ProfileKind.RATE, ProfileKind.SATURATE


def pair(
    ours: float, theirs: float, metric: Metric = P50, kind: ProfileKind = RATE
) -> GeneratorPair:
    return GeneratorPair(kind, "wrk 4.1.0", {metric: ours}, {metric: theirs})


def only(pairs: list[GeneratorPair]) -> Disagreement:
    (found,) = find_disagreements(pairs)
    return found


@given(st.lists(st.floats(0.1, 10), min_size=3, max_size=20))
def test_the_size_is_the_same_whichever_generator_measures_more(ratios: list[float]) -> None:
    ours = only([pair(ratio, 1) for ratio in ratios])
    theirs = only([pair(1, ratio) for ratio in ratios])

    assert ours.size == pytest.approx(theirs.size)
    assert ours.size >= 1
    low, high = interval_of(ours.ratio)
    assert low <= ours.ratio.estimate <= high


def test_generators_that_agree_widen_nothing() -> None:
    found = only([pair(5, 5), pair(7, 7), pair(6, 6)])

    assert (found.size, found.ratio.low, found.ratio.high) == (1, 1, 1)
    assert InstrumentError([found]).find_ratio(P50, RATE) == 1


def test_errors_in_both_directions_cancel_but_widen_the_interval() -> None:
    found = only([pair(exp(0.1), 1), pair(exp(-0.1), 1), pair(1, 1)])

    assert found.size == pytest.approx(1)
    assert interval_of(found.ratio)[1] > 1.2


def test_one_trial_has_a_size_but_no_interval() -> None:
    found = only([pair(5.5, 5)])

    assert found.size == pytest.approx(1.1)
    assert (found.ratio.low, found.ratio.n) == (None, 1)


def test_a_disagreement_of_many_powers_of_ten_is_kept() -> None:
    assert only([pair(1e-9, 1e9), pair(1e-9, 1e9)]).size == pytest.approx(1e18)


@pytest.mark.parametrize("value", [0.0, -1.0, nan, inf])
def test_invalid_values_are_left_out(value: float) -> None:
    assert find_disagreements([pair(value, 5)]) == []
    assert find_disagreements([pair(5, value)]) == []
    assert only([pair(5, value), pair(5, 5)]).ratio.n == 1


def test_a_metric_of_only_one_generator_has_no_disagreement() -> None:
    given_pair = GeneratorPair(SATURATE, "wrk 4.1.0", {P50: 5, P99: 9, RPS: 100}, {P50: 5, RPS: 90})

    assert {item.metric for item in find_disagreements([given_pair])} == {P50, RPS}
    assert find_disagreements([]) == []


def test_the_same_kind_of_load_applies_else_the_other() -> None:
    error = InstrumentError(
        find_disagreements(
            [
                pair(1.02, 1),
                pair(1.2, 1, P99),
                pair(1.05, 1, kind=SATURATE),
                pair(1.1, 1, RPS, SATURATE),
            ]
        )
    )

    assert error.find_ratio(P50, RATE) == pytest.approx(1.02)
    assert error.find_ratio(P50, ProfileKind.STEPS) == pytest.approx(1.02)
    assert error.find_ratio(P50, ProfileKind.USERS) == pytest.approx(1.05)
    assert error.find_ratio(P99, SATURATE) == pytest.approx(1.2)
    assert error.find_ratio(Metric.LATENCY_P90_MS, SATURATE) == pytest.approx(1.2)
    assert error.find_ratio(RPS, RATE) == pytest.approx(1.1)
    assert error.find_ratio(Metric.CPU_US_PER_REQUEST, RATE) == 1
    assert NO_ERROR.find_ratio(P50, RATE) == 1


def test_a_composite_has_the_weighted_error() -> None:
    detectable = {(P50, True): 1.44, (P50, False): 4.0}
    error = InstrumentError([only([pair(1.21, 1)])], detectable)

    found = error.describe_composite({P50: 1, Metric.CPU_US_PER_REQUEST: 1}, RATE)

    assert found.error_ratio == pytest.approx(1.1)
    assert found.detectable_ratio == pytest.approx(1.2)


def test_the_detectable_ratio_is_that_of_open_or_closed_loads() -> None:
    cpu = Metric.CPU_US_PER_REQUEST
    error = InstrumentError(detectable={(cpu, True): 1.3, (cpu, False): 1.06, (RPS, False): 1.08})

    assert error.describe(cpu, RATE) == Instrument(1.0, 1.3)
    assert error.find_detectable_ratio(cpu, ProfileKind.STEPS) == 1.3
    assert error.find_detectable_ratio(cpu, ProfileKind.USERS) == 1.06
    # At a rate, throughput does not vary.
    assert error.find_detectable_ratio(RPS, RATE) == 1
    assert NO_ERROR.describe(cpu, RATE) == Instrument()


def test_noise_and_error_add_as_logarithms() -> None:
    assert add_to_noise(1.05, 1.02) == pytest.approx(1.071)
    assert add_to_noise(1.05, 1) == 1.05
