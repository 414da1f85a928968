"""Compare the results of a run with a goal, whose trials were added until the goal was reached.

An ordinary test after each block is wrong too often. `statistics.sequential` has intervals that
hold for all pairs and all blocks together; pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backend.core.ranking.pairs import Method, Ratio
from backend.core.results.results import Values
from backend.core.statistics.comparison import Comparison, Word
from backend.core.statistics.sequential import Goal, GoalKind, PairStatement, SequentialState, judge
from backend.core.units import Metric

_OPPOSITES = {Word.FASTER: Word.SLOWER, Word.SLOWER: Word.FASTER}


@dataclass(frozen=True)
class SequentialPairs:
    """All pairs of the results of a group.

    Attributes:
        state: refers to results by their index in `positions`.
        positions: of the results in their group.
        instrument_ratio: the factor by which the load generator may be wrong about a ratio.
    """

    state: SequentialState
    positions: Sequence[int]
    instrument_ratio: float = 1.0

    def list_pairs(self, *words: Word) -> list[tuple[int, int]]:
        """Return the pairs with any of these outcomes, by positions."""
        return [
            (self.positions[pair.first], self.positions[pair.second])
            for pair in self.state.pairs
            if pair.word in words
        ]

    def find_ratio(self, first: int, second: int) -> Ratio | None:
        """Return the ratio of first to second by positions; None if they were not compared."""
        for pair in self.state.pairs:
            found = self.positions[pair.first], self.positions[pair.second]
            if found in ((first, second), (second, first)):
                compared = _to_comparison(pair, is_inverted=found != (first, second))
                return Ratio(
                    replace(compared, instrument_ratio=self.instrument_ratio),
                    Method.SEQUENTIAL,
                    self.state.blocks_done,
                )
        return None


def judge_pairs(
    values: Mapping[int, Values], metric: Metric, max_blocks: int, instrument_ratio: float = 1.0
) -> SequentialPairs:
    """Return all pairs of results, over the blocks in which each result has a value.

    Args:
        values: position to the values by repetition.
        max_blocks: the largest number of blocks, fixed before the first block.
        instrument_ratio: the factor by which the load generator may be wrong about a ratio.
    """
    repetitions = [set(each) for each in values.values()]
    blocks = sorted(set.intersection(*repetitions)) if repetitions else []
    complete = [[each[block] for block in blocks] for each in values.values()]
    goal = Goal(GoalKind.RANKED, metric)
    state = judge(complete, goal, max_blocks, instrument_ratio=instrument_ratio)
    return SequentialPairs(state, [*values], instrument_ratio)


def _to_comparison(pair: PairStatement, *, is_inverted: bool) -> Comparison:
    ratio, low, high, word = pair.ratio, pair.low, pair.high, pair.word
    if is_inverted:
        ratio, word = 1 / ratio, _OPPOSITES.get(word, word)
        low, high = (
            None if pair.high is None else 1 / pair.high,
            None if pair.low is None else 1 / pair.low,
        )
    return Comparison(ratio, low, high, None, None, word)
