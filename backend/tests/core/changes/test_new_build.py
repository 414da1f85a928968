"""A new build is looked at by itself: when, beside which level, and how often wrongly."""

from math import log

import numpy as np
import pytest

from backend.core.changes.detection import Observation, find_changes
from backend.core.changes.new_build import LOOKS, look_at_build

OLD, NEW = "a" * 64, "b" * 64


def noise(seed: int, size: int, variation: float = 0.03) -> list[float]:
    return list(np.random.default_rng(seed).normal(0, variation, size))


def observe(logs: list[float]) -> list[Observation]:
    return [Observation(one, None) for one in logs]


def step(
    seed: int, before: int, after: int, ratio: float, variation: float = 0.03
) -> list[Observation]:
    logs = np.array(noise(seed, before + after, variation))
    logs[before:] += log(ratio)
    return observe(logs.tolist())


def test_it_is_looked_at_ever_more_rarely() -> None:
    points = step(1, 24, 40, 1.1)
    builds = [OLD] * 24 + [NEW] * 40
    looks = {size: look_at_build(points[: 24 + size], builds[: 24 + size]) for size in range(1, 41)}

    found = {size: look for size, look in looks.items() if look is not None}
    assert tuple(found) == LOOKS
    assert [look.tests for look in found.values()] == [1, 2, 3, 4]
    assert {look.change.index for look in found.values()} == {24}
    ratios = [look.change.ratio for look in found.values()]
    assert ratios == pytest.approx([1.1] * 4, rel=0.06)


@pytest.mark.parametrize(
    "builds",
    [
        [OLD] * 28,
        [OLD] * 12 + [NEW] + [OLD] * 11 + [NEW] * 4,
        [None] * 24 + [NEW] * 4,
        [OLD] * 24 + [None] * 4,
        ["c"] * 21 + [OLD] * 3 + [NEW] * 4,
    ],
    ids=["one build", "back and forth", "old unknown", "new unknown", "too few of the old"],
)
def test_two_builds_of_four_points_are_needed(builds: list[str | None]) -> None:
    found = look_at_build(step(2, 24, 4, 1.2), builds)

    # What went back and forth has eleven points of the old build before the newest one.
    assert (found is not None) == (builds[12] == NEW)


def test_the_old_level_begins_where_the_history_last_changed() -> None:
    logs = [0.5 + one for one in noise(3, 15)] + noise(4, 13)
    logs[24:] = [one + log(1.2) for one in logs[24:]]
    builds = [OLD] * 24 + [NEW] * 4

    look = look_at_build(observe(logs), builds, levels=[15])

    assert look is not None
    assert look.change.index == 24
    assert look.change.ratio == pytest.approx(1.2, rel=0.08)


def test_what_counts_as_equivalent_is_no_change() -> None:
    points = observe([one / 10 for one in noise(5, 24)] + [log(1.02)] * 8)

    assert look_at_build(points, [OLD] * 24 + [NEW] * 8) is None


def test_it_finds_sooner_and_is_seldom_wrong() -> None:
    """By simulation, iid with a coefficient of variation of 5 %, as published."""
    builds = [OLD] * 24 + [NEW] * 8

    def share(ratio: float) -> float:
        found = 0
        for seed in range(300):
            points = step(seed, 24, 8, ratio, 0.05)
            looks = [look_at_build(points[:end], builds[:end]) for end in (28, 32)]
            found += any(look and look.change.p_value * look.tests <= 0.0125 for look in looks)
        return found / 300

    def share_anywhere(ratio: float) -> float:
        return sum(bool(find_changes(step(seed, 24, 8, ratio, 0.05))) for seed in range(300)) / 300

    assert share(1.0) <= 0.03
    assert share(1.08) >= 0.75
    assert share_anywhere(1.08) <= 0.4
