"""The first and last measured second of a load, decided second by second as in a trial."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from backend.core.second import LoadCounts, ResourceUse
from backend.core.units import Phase, ProfileKind
from backend.tests.measuring import histogram_of
from worker.sampling.sampler import ResourceSecond
from worker.stages.seconds import SecondSum
from worker.stages.turns import Turn, Turns
from worker.stages.window import Window

STEPS = {
    "first_rps": 100,
    "step_rps": 50,
    "steps": 3,
    "step_seconds": 2,
    "success_percent": 90,
    "warm_up_seconds": 1,
}


def second_of(requests: int, latency_ms: float = 2.0, *, failed: int = 0) -> SecondSum:
    """Return a second of load whose successful requests all have this latency."""
    latency = histogram_of([latency_ms] * (requests - failed))
    counts = replace(LoadCounts.none(), requests=requests, failed=failed)
    return SecondSum(counts, latency=latency, latency_max_ns=int(latency_ms * 1e6))


def run(
    kind: ProfileKind, parameters: Mapping[str, int], load: Callable[[int], SecondSum]
) -> Window:
    """Follow a load until its window is over, as a trial does; return the window."""
    window = Window(kind, parameters)
    sums: dict[int, SecondSum] = {}
    for second in range(100):
        sums[second] = load(second)
        window.take(second, sums, [])
        if window.is_over(second):
            return window
    raise AssertionError("the window never ends")


def rate(cap: int) -> dict[str, int]:
    return {"warm_up_seconds": cap, "duration_seconds": 5, "rate_rps": 100}


@pytest.mark.parametrize("cap", [2, 8])
def test_a_script_warms_up_for_the_whole_time_and_is_not_judged(cap: int) -> None:
    def ramp(second: int) -> SecondSum:
        return second_of(10 * second)

    parameters = {"warm_up_seconds": cap, "duration_seconds": 5, "timeout_ms": 5000}
    window = run(ProfileKind.SCRIPT, parameters, ramp)

    assert window.warm_up is not None
    assert (window.begin, window.end) == (cap, cap + 5)
    assert window.warm_up.is_steady is None
    assert window.warm_up.detail == (
        f"A script decides its own load, so its warm-up took the {cap} s it was given."
    )


def test_a_steady_load_counts_once_it_has_been_steady_long_enough() -> None:
    window = run(ProfileKind.RATE, rate(8), lambda _: second_of(100))

    assert window.warm_up is not None
    assert (window.begin, window.end) == (5, 10)
    assert (window.warm_up.seconds, window.warm_up.is_steady) == (5, True)
    assert [window.locate(second) for second in (0, 4, 5, 9, 10)] == [
        *((Phase.WARM_UP, 0), (Phase.WARM_UP, 4), (Phase.MEASURE, 0), (Phase.MEASURE, 4)),
        None,
    ]


@pytest.mark.parametrize(
    ("requests", "each", "controls", "end"),
    [(100, 30, 0, 24), (1, 500, 0, 21), (900, 30, 0, 30), (100, 30, 500, 24)],
)
def test_a_count_ends_with_the_second_in_which_it_is_reached(
    requests: int, each: int, controls: int, end: int
) -> None:
    """It begins at the limit of the warm-up. Control requests have no latency and do not count."""
    parameters = {"warm_up_seconds": 20, "duration_seconds": 10, "requests": requests}
    counts = replace(LoadCounts.none(), requests=each + controls)
    total = SecondSum(counts, latency=histogram_of([2.0] * each), latency_max_ns=2_000_000)
    window = run(ProfileKind.COUNT, parameters, lambda _: total)

    assert (window.begin, window.end) == (20, end)


def test_the_window_begins_with_a_second_that_has_not_begun() -> None:
    window = Window(ProfileKind.RATE, rate(30))
    sums: dict[int, SecondSum] = {}
    while window.begin is None:
        sums[len(sums)] = second_of(100)
        window.take(len(sums) - 1, sums, [])

    reported, under_way = len(sums), 1
    assert window.begin == reported + under_way


def test_a_load_that_gets_faster_counts_once_it_is_steady() -> None:
    window = run(ProfileKind.RATE, rate(30), lambda second: second_of(100, 2.0 + 8.0 * 0.5**second))

    assert window.warm_up is not None
    assert window.warm_up.is_steady
    assert 14 <= (window.begin or 0) <= 19


def test_at_the_cap_an_unsteady_load_counts_and_is_reported_as_unsteady() -> None:
    window = run(ProfileKind.SATURATE, rate(8), lambda second: second_of(int(500 * 1.2**second)))

    assert window.warm_up is not None
    assert (window.begin, window.end) == (8, 13)
    assert window.warm_up.is_steady is False
    assert "throughput changed by +73%" in window.warm_up.detail


@pytest.mark.parametrize("cap", [0, 1, 3])
def test_a_short_warm_up_takes_its_time_and_is_not_judged(cap: int) -> None:
    window = run(ProfileKind.RATE, rate(cap), lambda second: second_of(100, 1.0 + second))

    assert window.warm_up is not None
    assert (window.begin, window.end) == (cap, cap + 5)
    assert window.warm_up.is_steady is None


@pytest.mark.parametrize(
    ("drain_seconds", "failing", "end"), [(0, (3, 4), 5), (0, (), 7), (3, (6, 7), 8)]
)
def test_steps_end_with_the_first_failed_step(
    drain_seconds: int, failing: Sequence[int], end: int
) -> None:
    def load(second: int) -> SecondSum:
        return second_of(100, failed=40 if second in failing else 5)

    window = run(ProfileKind.STEPS, STEPS | {"drain_seconds": drain_seconds}, load)

    assert (window.begin, window.end) == (1, end)


def test_a_pause_between_two_steps_belongs_to_neither() -> None:
    """The requests of a pause, which failed late, are not those of a step."""

    def load(second: int) -> SecondSum:
        is_pause = second in (3, 4, 5)
        return second_of(0 if is_pause else 100, failed=0 if second < 8 else 60)

    window = run(ProfileKind.STEPS, STEPS | {"drain_seconds": 3}, load)

    # Warm-up, two seconds, a pause of three, two seconds, and the pause and step that come next.
    assert (window.begin, window.end) == (1, 13)
    places = [window.locate(second) for second in range(14)]
    numbers = [None if place is None else place[1] for place in places]
    assert numbers == [0, 0, 1, None, None, None, 2, 3, None, None, None, 4, 5, None]


@pytest.mark.parametrize(("slower", "is_steady"), [(1.0, True), (1.1, False)])
def test_the_warm_up_of_steps_takes_its_cap_and_is_judged(slower: float, is_steady: bool) -> None:
    parameters = STEPS | {"warm_up_seconds": 30}
    window = run(ProfileKind.STEPS, parameters, lambda second: second_of(100, 2.0 * slower**second))

    assert window.warm_up is not None
    assert (window.begin, window.end) == (30, 36)
    assert (window.warm_up.seconds, window.warm_up.is_steady) == (30, is_steady)


def test_a_throughput_that_varies_too_much_to_show_a_change_warms_up_longer() -> None:
    """The noise of a host gives no verdict."""
    noise = [1.0, 1.2, 0.9, 1.15, 0.85]

    def load(second: int) -> SecondSum:
        return second_of(round(500 * noise[second % 5]), 2.0)

    window = run(ProfileKind.SATURATE, rate(60), load)

    assert window.warm_up is not None
    assert window.warm_up.is_steady
    assert 16 <= window.warm_up.seconds <= 60


def test_a_long_cap_needs_ten_steady_seconds() -> None:
    window = run(ProfileKind.RATE, rate(120), lambda _: second_of(100))

    assert window.begin == 11


def test_late_answers_may_make_a_step_fail() -> None:
    window = Window(ProfileKind.STEPS, STEPS)
    sums: dict[int, SecondSum] = {}
    for second in range(5):
        sums[second] = second_of(100)
        window.take(second, sums, [])
    assert not window.is_over(4)
    sums[1], sums[5] = second_of(100, failed=30), second_of(100)
    window.take(5, sums, [])

    assert window.end == 3
    assert window.is_over(5)


def test_two_loads_in_turns_count_the_same_seconds_once_both_are_steady() -> None:
    turns = Turns()
    first, second = (Window(ProfileKind.RATE, rate(120), Turn(turns, index)) for index in range(2))
    sums: dict[int, SecondSum] = {}
    warming: dict[int, SecondSum] = {}

    def warm_up(passed: int) -> SecondSum:
        return second_of(100, max(2.0, 22.0 - passed))

    for passed in range(60):
        sums[passed], warming[passed] = second_of(100), warm_up(passed)
        first.take(passed, sums, [])
        second.take(passed, warming, [])
    alone = run(ProfileKind.RATE, rate(120), warm_up)

    assert alone.begin is not None
    assert first.begin == second.begin == alone.begin + 2
    assert first.end == second.end


def test_a_load_in_turns_counts_from_the_cap_if_the_other_is_never_steady() -> None:
    window = Window(ProfileKind.RATE, rate(20), Turn(Turns(), 0))
    sums: dict[int, SecondSum] = {}
    for passed in range(25):
        sums[passed] = second_of(100)
        window.take(passed, sums, [])

    assert (window.begin, window.end) == (20, 25)


@pytest.mark.parametrize(
    ("compiling", "latency_ms", "has_obstacle"),
    [(0.9, 2.0, True), (0.1, 2.0, False), (0.0, 30_000.0, True)],
)
def test_a_compiler_with_work_and_missing_responses_are_obstacles(
    compiling: float, latency_ms: float, has_obstacle: bool
) -> None:
    window = Window(ProfileKind.SATURATE, rate(20))
    sums: dict[int, SecondSum] = {}
    rows: list[ResourceSecond] = []
    for second in range(20):
        sums[second] = second_of(100 + 30 * second, latency_ms)
        rows.append(ResourceSecond(second, ResourceUse.unknown(), "none", compiling))
        window.take(second, sums, rows)

    assert window.warm_up is not None
    assert window.warm_up.is_steady is False
    assert window.warm_up.has_obstacle is has_obstacle
