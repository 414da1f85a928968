"""Interleaving: drift of the host must affect all cells equally."""

from hypothesis import given
from hypothesis import strategies as st

from backend.core.runs.goal import interleave

cells = st.integers(1, 12)
repetitions = st.integers(1, 8)
seeds = st.integers(0, 2**32 - 1)


@given(cells, repetitions, seeds)
def test_each_round_has_every_cell_once(cells: int, repetitions: int, seed: int) -> None:
    order = interleave(cells, repetitions, seed)

    assert len(order) == cells * repetitions
    for index in range(repetitions):
        round_ = order[index * cells : (index + 1) * cells]
        assert {cell for cell, _ in round_} == set(range(cells))
        assert {repetition for _, repetition in round_} == {index + 1}


@given(cells, repetitions, seeds)
def test_the_seed_repeats_the_order(cells: int, repetitions: int, seed: int) -> None:
    assert interleave(cells, repetitions, seed) == interleave(cells, repetitions, seed)


def test_seeds_and_rounds_differ() -> None:
    assert len({tuple(interleave(10, 1, seed)) for seed in range(100)}) == 100
    order = interleave(10, 5, 1)
    rounds = {tuple(cell for cell, _ in order[at : at + 10]) for at in range(0, 50, 10)}
    assert len(rounds) == 5
