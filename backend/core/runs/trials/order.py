"""The order in which the trials of a run are measured."""

import random


def interleave(cells: int, repetitions: int, seed: int) -> list[tuple[int, int]]:
    """Return repetition 1 of every cell in random order, then repetition 2, and so on.

    Drift of the host then affects all cells equally. The same seed gives the same order.

    Returns:
        `cells * repetitions` pairs of cell index (from 0) and repetition (from 1).
    """
    chance = random.Random(seed)  # noqa: S311  a reproducible order, not a secret
    order: list[tuple[int, int]] = []
    for repetition in range(1, repetitions + 1):
        round_ = list(range(cells))
        chance.shuffle(round_)
        order.extend((cell, repetition) for cell in round_)
    return order


def order_block(cells: int, repetition: int, seed: int) -> list[int]:
    """Return the order of the cells in one repetition of `interleave`."""
    return [cell for cell, _ in interleave(cells, repetition, seed)[-cells:]]
