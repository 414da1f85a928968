"""A change that is found again at a slightly different index is the same change."""

import random
from math import log

from backend.core.changes.detection import ChangePoint, Observation
from backend.core.changes.sameness import find_same

STEP = 24


def series(ratio: float, variation: float) -> list[Observation]:
    chance = random.Random(5)
    return [
        Observation(chance.gauss(0, variation) + (log(ratio) if at >= STEP else 0.0), None)
        for at in range(60)
    ]


def found(*places: int, ratio: float = 1.05) -> list[ChangePoint]:
    return [ChangePoint(place, ratio, ratio, ratio, 1e-6) for place in places]


def test_a_change_is_the_same_within_three_points_in_the_same_direction() -> None:
    clear = series(1.2, 0.01)

    assert find_same(clear, found(STEP), 0, [(10, 1.2), (STEP + 3, 1.2)]) == 1
    assert find_same(clear, found(STEP), 0, [(STEP - 2, 1.2), (STEP + 1, 1.2)]) == 1
    assert find_same(clear, found(STEP), 0, [(STEP, 0.8)]) is None
    assert find_same(clear, found(STEP), 0, []) is None


def test_a_distant_change_is_the_same_only_if_noise_hides_the_place() -> None:
    known = [(STEP + 6, 1.05)]

    assert find_same(series(1.03, 0.03), found(STEP), 0, known) == 0
    assert find_same(series(1.2, 0.01), found(STEP), 0, known) is None


def test_a_change_beyond_another_change_is_different() -> None:
    noisy = series(1.0, 0.03)

    assert find_same(noisy, found(10, 30), 1, [(22, 1.05)]) == 0
    assert find_same(noisy, found(24, 30), 1, [(22, 1.05)]) is None


def test_series_without_noise() -> None:
    assert find_same(series(1.05, 0.0), found(STEP), 0, [(STEP + 8, 1.05)]) is None
