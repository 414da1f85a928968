"""New builds in made-up histories: how soon a look finds what one does, and how often wrongly."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import partial

from backend.core.changes.detection import MIN_POINTS, find_changes
from backend.core.changes.new_build import LOOKS, look_at_build
from backend.core.changes.service import FALSE_DISCOVERY_RATE
from worker.benchmarks.detectors import Found, sum_up
from worker.benchmarks.noise import Model, make_history

# Points of the old build, no more than the fewest that a history needs.
_BEFORE = MIN_POINTS
# What a run of one service at a rate prolongs; of these only one moves.
_SERIES = 4
_OTHER_SEEDS = 2_000_000


def watch_builds(
    pool: Executor, histories: int, ratios: Sequence[float]
) -> dict[Model, list[Found]]:
    """In each kind of noise, by what the new build does: 1 is nothing, and all found are wrong."""
    return {
        model: [
            sum_up(
                ratio, list(pool.map(partial(_watch, model, ratio), range(histories), chunksize=5))
            )
            for ratio in ratios
        ]
        for model in Model
    }


def show_builds(found: Mapping[Model, Sequence[Found]]) -> None:
    """As a table."""
    print(f"\nA build after {_BEFORE} points, looked at with {LOOKS} of its own")
    for model, by_ratio in found.items():
        told = "".join(
            f" {f'{one.ratio - 1:+.0%}':>6} {one.share:>6.1%}"
            f" {'–' if one.delay is None else f'{one.delay:.0f}':>3}"
            for one in by_ratio
        )
        print(f"{model:<24}{told}", flush=True)


def _watch(model: Model, ratio: float, seed: int) -> int | None:
    """With how many points of the new build it was suspected; None when it never was."""
    points = make_history(model, _OTHER_SEEDS + seed, _BEFORE + LOOKS[-1], _BEFORE, ratio).points
    for size in LOOKS:
        seen = points[: _BEFORE + size]
        levels = [one.index for one in find_changes(seen)]
        look = look_at_build(seen, ["old"] * _BEFORE + ["new"] * size, levels)
        if look and look.change.p_value * look.tests <= FALSE_DISCOVERY_RATE / _SERIES:
            return size
    return None
