"""Compare the results of a run with a goal, whose trials were added until the goal was reached.

An ordinary test after each block is wrong too often. `statistics.sequential` has intervals that
hold for all pairs and all blocks together; pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.core.measurement.statistics.comparison import EXACT, Comparison, Instrument, PairState
from backend.core.measurement.statistics.sequential import (
    Goal,
    GoalKind,
    PairStatement,
    SequentialState,
    judge,
)
from backend.core.results.cell_result import Values
from backend.core.results.ranking.pairs import Method, Ratio
from backend.core.units import Metric


@dataclass(frozen=True)
class SequentialPairs:
    """All pairs of the results of a group.

    Attributes:
        state: refers to results by their index in `positions`.
        positions: of the results in their group.
        instrument: what is known about the errors of the host and its load generator.
    """

    state: SequentialState
    positions: Sequence[int]
    instrument: Instrument = EXACT

    def list_pairs(self, state: PairState) -> list[tuple[int, int]]:
        """Return the pairs with this state, by positions."""
        return [
            (self.positions[pair.first], self.positions[pair.second])
            for pair in self.state.pairs
            if pair.state is state
        ]

    def find_ratio(self, first: int, second: int) -> Ratio | None:
        """Return the ratio of first to second by positions; None if they were not compared."""
        for pair in self.state.pairs:
            found = self.positions[pair.first], self.positions[pair.second]
            if found in ((first, second), (second, first)):
                compared = self._to_comparison(pair)
                if found != (first, second):
                    compared = compared.invert()
                return Ratio(compared, Method.SEQUENTIAL, self.state.blocks_done)
        return None

    def _to_comparison(self, pair: PairStatement) -> Comparison:
        return Comparison(
            ratio=pair.ratio,
            low=pair.low,
            high=pair.high,
            p_value=None,
            state=pair.state,
            is_better=pair.is_better,
            trials_needed=pair.blocks_needed,
            instrument_ratio=self.instrument.error_ratio,
            difference=pair.difference,
            detectable_ratio=self.instrument.detectable_ratio,
        )


def judge_pairs(
    values: Mapping[int, Values], metric: Metric, max_blocks: int, instrument: Instrument = EXACT
) -> SequentialPairs:
    """Return all pairs of results, over the blocks in which each result has a value.

    Args:
        values: position to the values by repetition.
        max_blocks: the largest number of blocks, fixed before the first block.
        instrument: what is known about the errors of the host and its load generator.
    """
    repetitions = [set(each) for each in values.values()]
    blocks = sorted(set.intersection(*repetitions)) if repetitions else []
    complete = [[each[block] for block in blocks] for each in values.values()]
    goal = Goal(GoalKind.RANKED, metric)
    return SequentialPairs(judge(complete, goal, max_blocks, instrument), [*values], instrument)
