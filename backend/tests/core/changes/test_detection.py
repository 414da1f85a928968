"""The detector against known steps, and against noise without steps."""

from collections.abc import Sequence
from math import log

import numpy as np
import numpy.typing as npt
import pytest

from backend.core.changes.detection import (
    MIN_POINTS,
    MIN_SEGMENT_POINTS,
    ChangePoint,
    Observation,
    Sensitivity,
    compare_levels,
    find_changes,
)
from backend.core.changes.spikes import draw_in

COV = 0.03


def noise(seed: int, n: int) -> npt.NDArray[np.float64]:
    return np.random.default_rng(seed).normal(0, COV, n)


def observe(
    logs: Sequence[float], half_width: float | None = None, trials: int = 5
) -> list[Observation]:
    return [Observation(value, half_width, trials) for value in logs]


def step(seed: int, n: int, at: int, ratio: float) -> list[float]:
    logs = noise(seed, n)
    logs[at:] += log(ratio)
    return [float(value) for value in logs]


def indices(changes: Sequence[ChangePoint]) -> list[int]:
    return [change.index for change in changes]


def test_an_interval_allows_for_a_noisier_level() -> None:
    chance = np.random.default_rng(5)
    held = 0
    for _ in range(1000):
        logs = [*chance.normal(0, 0.02, 50), *chance.normal(0, 0.04, 4)]
        found = compare_levels([Observation(float(item), None) for item in logs], 50, min_ratio=1)
        held += found is not None and found.low < 1 < found.high

    # About 870 with Student's degrees of freedom, 930 with Satterthwaite's.
    assert held > 905


def test_a_step_is_found_at_its_index_with_its_ratio() -> None:
    (found,) = find_changes(observe(step(1, 60, 36, 1.10)))

    assert abs(found.index - 36) <= 1
    assert found.low < 1.10 < found.high
    assert found.ratio == pytest.approx(1.10, abs=0.02)
    assert found.p_value < 1e-4


def test_a_rise_and_a_fall_are_two_changes_relative_to_the_level_before() -> None:
    logs = noise(2, 90)
    logs[30:60] += log(1.2)

    up, down = find_changes(observe(logs.tolist()))

    assert (up.index, down.index) == (30, 60)
    assert up.ratio * down.ratio == pytest.approx(1, abs=0.02)


def test_an_index_counts_all_points_including_old_ones() -> None:
    logs = noise(3, 400)
    logs[50:] += log(1.2)
    logs[350:] += log(1.2)

    assert indices(find_changes(observe(logs.tolist()))) == [350]
    assert indices(find_changes(observe(logs.tolist()), last=400)) == [50, 350]


def test_a_level_needs_four_points_and_a_history_twenty() -> None:
    flat = [0.0, 0.001] * 12
    new = [0.5, 0.501, 0.5, 0.501]

    assert find_changes(observe([*flat, *new[: MIN_SEGMENT_POINTS - 1]])) == []
    assert indices(find_changes(observe([*flat, *new]))) == [24]
    assert find_changes(observe([*flat[: MIN_POINTS - 5], *new])) == []
    assert indices(find_changes(observe([*flat[: MIN_POINTS - 4], *new]))) == [16]


def test_constant_values_have_only_their_exact_changes() -> None:
    assert find_changes(observe([7.0] * 40)) == []

    (found,) = find_changes(observe([7.0] * 25 + [7.1] * 15))

    assert found.index == 25
    assert found.p_value < 1e-100
    assert found.low == pytest.approx(found.high)


def test_an_irrelevant_difference_is_not_a_change_even_if_significant() -> None:
    steady = observe((np.array(step(4, 80, 40, 1.25)) / 10).tolist())

    assert find_changes(steady) == []
    assert indices(find_changes(steady, Sensitivity(min_ratio=1.01))) == [40]


def test_points_with_wide_intervals_make_no_change() -> None:
    logs = step(5, 60, 50, 1.08)

    assert indices(find_changes(observe(logs, 0.03))) == [50]
    assert find_changes(observe(logs, 0.5)) == []


def test_many_points_with_wide_intervals_make_a_change() -> None:
    """Trials vary by 3 %: the interval of a point with two trials is ± 40 %, that of sixty points
    is narrower."""
    logs = step(5, 60, 50, 1.08)

    assert indices(find_changes(observe(logs, 0.4, trials=2))) == [50]
    assert find_changes(observe(logs, 0.4, trials=50)) == []


def test_a_spike_is_not_a_level_and_does_not_hide_a_level() -> None:
    logs = step(7, 80, 50, 1.15)
    for index in (10, 33, 34, 57, 79):
        logs[index] += 0.5

    assert indices(find_changes(observe(logs))) == [50]


def test_a_spike_is_reduced_and_a_step_is_not() -> None:
    logs = np.array([0.0, 0.01] * 10 + [1.0, 1.01] * 10)
    spiky = logs.copy()
    spiky[[5, 30]] = 3.0

    assert draw_in(logs) == pytest.approx(logs)
    assert draw_in(spiky) == pytest.approx(logs, abs=0.05)


def test_false_alarms_and_detections_match_the_documentation() -> None:
    """Simulation with independent noise, CoV 3 %: docs/methodology/change-detection.md."""
    alarms = sum(bool(find_changes(observe(noise(seed, 100).tolist()))) for seed in range(400))
    found = sum(
        any(abs(index - 76) <= 5 for index in indices(find_changes(observe(logs))))
        for logs in (step(1000 + seed, 100, 76, 1.05) for seed in range(200))
    )

    assert alarms <= 0.01 * 400
    assert found >= 0.90 * 200
