"""The state of a pair for tests, and whether its first result is better."""

from typing import Protocol

from backend.core.measurement.statistics.comparison import PairState

Judgement = tuple[PairState, bool | None]

BETTER: Judgement = (PairState.DIFFERENCE, True)
WORSE: Judgement = (PairState.DIFFERENCE, False)
EQUIVALENT: Judgement = (PairState.EQUIVALENT, None)
UNDECIDED: Judgement = (PairState.UNDECIDED, None)


class _Found(Protocol):
    @property
    def state(self) -> PairState: ...

    @property
    def is_better(self) -> bool | None: ...


def judged(found: _Found) -> Judgement:
    """Return what a comparison, or a statement about a pair, shows."""
    return found.state, found.is_better
