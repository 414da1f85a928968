"""In which order a run's trials are taken."""

import random


def interleave(cells: int, repetitions: int, seed: int) -> list[tuple[int, int]]:
    """Repetition 1 of every cell in random order, then repetition 2, …

    Drift of the host then hits all cells alike. The same seed gives the same order.

    Returns:
        (cell index from 0, repetition from 1), `cells * repetitions` of them.
    """
    chance = random.Random(seed)  # noqa: S311  an order to repeat, not a secret
    order: list[tuple[int, int]] = []
    for repetition in range(1, repetitions + 1):
        round_ = list(range(cells))
        chance.shuffle(round_)
        order.extend((cell, repetition) for cell in round_)
    return order
