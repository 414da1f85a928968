"""Divide the results of one group into usable results and others; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.measurement.statistics.estimate import MIN_INTERVAL_TRIALS
from backend.core.results.cell_result import RunCellResult
from backend.core.results.ranking.candidate_ranking import Eligibility, RankedCandidate
from backend.core.results.run_results.rankings import GroupRanking

# With fewer trials, a result has no interval that could decide anything.
MIN_TRIALS = MIN_INTERVAL_TRIALS

Ranked = tuple[RunCellResult, RankedCandidate]


@dataclass(frozen=True)
class GroupAnswer:
    """The ranking of a group, divided into the results that are usable and the others.

    Attributes:
        usable: best first: not excluded, with at least MIN_TRIALS trials.
        others: the results that are not usable.
    """

    ranking: GroupRanking
    usable: Sequence[Ranked]
    others: Sequence[Ranked]

    @property
    def is_usable(self) -> bool:
        """Return whether two results can be compared, or the only result of the group is usable."""
        return len(self.usable) >= min(2, len(self.ranking.group.cells))

    @property
    def leaders(self) -> Sequence[Ranked]:
        """Return the usable results that no other is known to be better than."""
        if len(self.ranking.group.cells) == 1:
            return self.usable
        return [(result, ranked) for result, ranked in self.usable if ranked.rank == 1]

    @property
    def behind(self) -> Sequence[Ranked]:
        """Return the usable results that another is better than."""
        return [(result, ranked) for result, ranked in self.usable if (ranked.rank or 0) > 1]

    @property
    def leading_slugs(self) -> tuple[str, ...]:
        """Return the slugs of the leading frameworks; empty if the group is not usable."""
        if not self.is_usable:
            return ()
        return tuple(result.cell.framework.slug for result, _ in self.leaders)


def divide_group(ranking: GroupRanking) -> GroupAnswer:
    """Return which results of a group are usable."""
    ranked = ranking.list_ranked()
    usable = [item for item in ranked if is_usable(item[1])]
    return GroupAnswer(ranking, usable, [item for item in ranked if item not in usable])


def is_usable(ranked: RankedCandidate) -> bool:
    """Return whether a result can be compared with others."""
    candidate = ranked.candidate
    return (
        candidate.eligibility <= Eligibility.NOT_TESTABLE
        and candidate.estimate is not None
        and len(candidate.values) >= MIN_TRIALS
    )


def list_names(items: Sequence[Ranked]) -> list[str]:
    """Return the names of results, for sentences."""
    return [result.name_in_sentence for result, _ in items]
