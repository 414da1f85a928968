"""Interim analyses of a new build: when they are due, what they compare, their error rate."""

from math import log

import numpy as np
import pytest

from backend.core.changes.detection import Observation, find_changes
from backend.core.changes.new_build import (
    INTERIM_POINTS,
    Arrival,
    OtherSeries,
    analyse_build,
    find_arrival,
    find_host_shift,
)

OLD, NEW = "a" * 64, "b" * 64
# The largest p-value that passes in one of four series at 5 % (Benjamini and Hochberg).
MOST_P = 0.0125


def noise(seed: int, size: int, variation: float = 0.03) -> list[float]:
    return list(np.random.default_rng(seed).normal(0, variation, size))


def observe(logs: list[float]) -> list[Observation]:
    return [Observation(item, None) for item in logs]


def step(
    seed: int, before: int, after: int, ratio: float, variation: float = 0.03
) -> list[Observation]:
    logs = np.array(noise(seed, before + after, variation))
    logs[before:] += log(ratio)
    return observe(logs.tolist())


def test_interim_analyses_become_rarer() -> None:
    builds = [OLD] * 24 + [NEW] * 40
    arrivals = {size: find_arrival(builds[: 24 + size]) for size in range(1, 41)}

    due = {size: arrival for size, arrival in arrivals.items() if arrival is not None}
    assert tuple(due) == INTERIM_POINTS
    assert list(due.values()) == [Arrival(0, 24, count) for count in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    "builds",
    [
        [OLD] * 28,
        [None] * 24 + [NEW] * 4,
        [OLD] * 24 + [None] * 4,
        ["c"] * 21 + [OLD] * 3 + [NEW] * 4,
    ],
    ids=["one build", "old unknown", "new unknown", "too few of the old"],
)
def test_two_builds_of_four_points_are_needed(builds: list[str | None]) -> None:
    assert find_arrival(builds) is None


def test_the_old_level_begins_with_its_build_or_the_last_change() -> None:
    there_and_back = [OLD] * 12 + [NEW] + [OLD] * 11 + [NEW] * 4

    assert find_arrival(there_and_back) == Arrival(13, 24, 1)
    assert find_arrival(there_and_back, levels=[5, 18, 22]) == Arrival(18, 24, 1)
    assert find_arrival([OLD] * 100 + [NEW] * 8) == Arrival(50, 100, 2)


def test_a_change_compares_only_the_two_builds() -> None:
    logs = [0.5 + item for item in noise(3, 15)] + noise(4, 13)
    logs[24:] = [item + log(1.2) for item in logs[24:]]

    change = analyse_build(observe(logs), Arrival(15, 24, 1))

    assert change is not None
    assert change.index == 24
    assert change.ratio == pytest.approx(1.2, rel=0.08)


def test_an_equivalent_build_is_not_a_change() -> None:
    points = observe([item / 10 for item in noise(5, 24)] + [log(1.02)] * 8)

    assert analyse_build(points, Arrival(0, 24, 2)) is None


def test_the_host_shift_is_common_to_services_with_unchanged_builds() -> None:
    steady = OtherSeries({"r1": 1.0, "r2": 1.2, "r3": 1.3}, frozenset({OLD}))
    other = OtherSeries({"r1": 5.0, "r2": 5.4, "r3": 5.5}, frozenset({NEW}))
    rebuilt = OtherSeries({"r1": 0.0, "r2": 9.0}, frozenset({OLD, NEW}))
    unknown = OtherSeries({"r1": 0.0, "r4": 9.0}, frozenset({None}))

    found = find_host_shift(["r1", "r2", "r3", "r4"], [steady, other, rebuilt, unknown])

    assert found == [pytest.approx(-0.7 / 3), pytest.approx(0.2 / 3), pytest.approx(0.5 / 3), None]
    assert find_host_shift(["r1"], []) == [None]


def test_a_service_missing_in_early_runs_does_not_affect_the_host_shift() -> None:
    host = {f"r{at}": 0.1 if at >= 4 else 0.0 for at in range(8)}
    always = OtherSeries(host, frozenset({OLD}))
    late = OtherSeries({run: 5.0 + log for run, log in host.items() if log}, frozenset({NEW}))

    found = find_host_shift(list(host), [always, late, late])

    assert found == pytest.approx([-0.05] * 4 + [0.05] * 4)


def test_a_host_shift_at_a_new_build_is_subtracted() -> None:
    host = noise(16, 28, 0.04)
    host[24:] = [item + log(1.15) for item in host[24:]]
    same = observe([a + b for a, b in zip(host, noise(7, 28, 0.01), strict=True)])
    slower = [
        *same[:24],
        *(item._replace(mean_log=item.mean_log + log(1.08)) for item in same[24:]),
    ]
    arrival = Arrival(0, 24, 1)

    alone = analyse_build(same, arrival)
    assert alone is not None
    assert alone.p_value < MOST_P
    adjusted = analyse_build(same, arrival, host)
    assert adjusted is None or adjusted.p_value > MOST_P
    found = analyse_build(slower, arrival, host)
    assert found is not None
    assert found.p_value < MOST_P
    assert found.ratio == pytest.approx(1.08, rel=0.02)
    assert (alone.is_adjusted, found.is_adjusted) == (False, True)


def test_a_host_shift_unknown_in_most_runs_is_not_subtracted() -> None:
    points = step(8, 24, 4, 1.2)
    host_shift = [*[0.1, -0.1] * 12, None, 0.3, 0.3, 0.3]

    assert analyse_build(points, Arrival(0, 24, 1), host_shift) == analyse_build(
        points, Arrival(0, 24, 1)
    )


def test_analyses_find_changes_earlier_and_rarely_raise_false_alarms() -> None:
    """Simulation with independent noise, CoV 5 %: docs/methodology/change-detection.md."""

    def share(ratio: float) -> float:
        found = 0
        for seed in range(300):
            points = step(seed, 24, 8, ratio, 0.05)
            analyses = [
                analyse_build(points[: 24 + size], Arrival(0, 24, at))
                for at, size in enumerate(INTERIM_POINTS[:2], start=1)
            ]
            p_values = [
                analyse.p_value * at for at, analyse in enumerate(analyses, start=1) if analyse
            ]
            found += min(p_values, default=1.0) <= MOST_P
        return found / 300

    def share_anywhere(ratio: float) -> float:
        return sum(bool(find_changes(step(seed, 24, 8, ratio, 0.05))) for seed in range(300)) / 300

    assert share(1.0) <= 0.03
    assert share(1.08) >= 0.75
    assert share_anywhere(1.08) <= 0.4
