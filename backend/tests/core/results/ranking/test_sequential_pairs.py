"""Pairs of a run with a goal."""

import pytest

from backend.core.measurement.statistics.comparison import Instrument
from backend.core.results.ranking.sequential_pairs import judge_pairs
from backend.core.units import Metric
from backend.tests.pair_states import UNDECIDED, WORSE, judged

VALUES = {
    0: {1: 1.00, 2: 1.01, 3: 1.00, 4: 1.00, 5: 1.01},
    3: {1: 1.10, 2: 1.11, 3: 1.10, 4: 1.10, 5: 1.11, 6: 1.0},
}


def test_only_blocks_in_which_each_result_has_a_value_count() -> None:
    ratio = judge_pairs(VALUES, Metric.CPU_US_PER_REQUEST, 8).find_ratio(3, 0)

    assert ratio is not None
    assert ratio.n == 5
    assert ratio.comparison.ratio == pytest.approx(1.1, rel=0.01)
    assert judged(ratio.comparison) == WORSE


def test_an_error_of_the_load_generator_makes_pairs_less_decisive() -> None:
    pairs = judge_pairs(VALUES, Metric.LATENCY_P50_MS, 8, Instrument(1.2))
    ratio = pairs.find_ratio(3, 0)

    assert ratio is not None
    assert judged(ratio.comparison) == UNDECIDED
    assert ratio.comparison.instrument_ratio == 1.2
    assert not pairs.state.is_reached
