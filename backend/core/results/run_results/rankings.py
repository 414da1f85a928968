"""Rank the groups of a run, each by one metric, and describe the rankings; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from backend.core.documents import RunGoal
from backend.core.measurement.statistics.comparison import EXACT
from backend.core.results.cell_result import RunCellResult
from backend.core.results.ranking.candidate_ranking import (
    Candidate,
    CandidateRanking,
    Eligibility,
    RankedCandidate,
    make_candidate,
    rank_candidates,
)
from backend.core.results.ranking.sentence import describe_ranking
from backend.core.results.ranking.sequential_pairs import SequentialPairs, judge_pairs
from backend.core.results.run_results.groups import ResultGroup
from backend.core.units import METRICS, Metric, MetricInfo, Purpose, find_main_metric

# In a run with a goal, a result with so many failed trials gets no further trials.
MAX_FAILED_TRIALS = 2


@dataclass(frozen=True)
class GroupRanking:
    """The ranking of a group by one metric."""

    group: ResultGroup
    metric: Metric
    ranking: CandidateRanking

    @cached_property
    def sentences(self) -> list[str]:
        """Return the sentences that describe it."""
        return describe_ranking(self.ranking, self.metric)

    @property
    def info(self) -> MetricInfo:
        return METRICS[self.metric]

    @property
    def baseline(self) -> RunCellResult | None:
        """Return the cell that ratios refer to."""
        position = self.ranking.baseline
        return None if position is None else self.group.cells[position]

    def list_ranked(self) -> list[tuple[RunCellResult, RankedCandidate]]:
        """Return the cells with their ranks, best first."""
        return [
            (self.group.cells[position], self.ranking.candidates[position])
            for position in self.ranking.order
        ]


def rank_groups(
    groups: Sequence[ResultGroup],
    purpose: Purpose,
    metric: Metric | None = None,
    baseline: str | None = None,
    goal: RunGoal | None = None,
) -> list[GroupRanking]:
    """Return the ranking of each group.

    Args:
        metric: default: the main metric of the group's kind of load.
        baseline: slug of a framework. Default: the best result; in a confirmation run, the old
            build.
        goal: of the run, if its number of trials depended on its results.
    """
    return [rank_group(group, purpose, metric, baseline, goal) for group in groups]


def rank_group(
    group: ResultGroup,
    purpose: Purpose,
    metric: Metric | None = None,
    baseline: str | None = None,
    goal: RunGoal | None = None,
) -> GroupRanking:
    """Return the ranking of a group; see `rank_groups`."""
    chosen = metric or find_group_metric(group)
    candidates = list_candidates(group, chosen, goal)
    is_of_steps = any(candidate.rates for candidate in candidates)
    sequential = judge_group_pairs(candidates, chosen, goal) if goal and not is_of_steps else None
    slugs = [result.cell.framework.slug for result in group.cells]
    # A confirmation run compares the new build with the old one, whichever is better.
    default = 0 if purpose == Purpose.CONFIRMATION else None
    ranking = rank_candidates(
        candidates,
        METRICS[chosen].direction,
        slugs.index(baseline) if baseline in slugs else default,
        sequential,
    )
    return GroupRanking(group, chosen, ranking)


def find_group_metric(group: ResultGroup) -> Metric:
    """Return the main metric of a group, among those that its results have."""
    known = {metric for result in group.cells for metric in result.estimates}
    return find_main_metric(group.kind, known)


def judge_group_pairs(
    candidates: Sequence[Candidate], metric: Metric, goal: RunGoal
) -> SequentialPairs:
    """Return all pairs of the eligible candidates of a run with a goal."""
    values = {
        position: candidate.values
        for position, candidate in enumerate(candidates)
        if candidate.eligibility is Eligibility.ELIGIBLE
    }
    instrument = EXACT
    for position in values:
        instrument = instrument.combine(candidates[position].instrument)
    return judge_pairs(values, metric, goal.max_trials, instrument)


def list_candidates(
    group: ResultGroup, metric: Metric, goal: RunGoal | None = None
) -> list[Candidate]:
    """Return the results of a group by one metric, in the order of its cells."""
    return [_to_candidate(result, metric, goal) for result in group.cells]


def _to_candidate(result: RunCellResult, metric: Metric, goal: RunGoal | None) -> Candidate:
    candidate = make_candidate(result, metric, result.name_in_sentence)
    failed = result.summary.trials_failed
    has_stopped = goal is not None and failed >= MAX_FAILED_TRIALS
    stopped_by = [f"{MAX_FAILED_TRIALS} failed trials"] if has_stopped else []
    return replace(
        candidate, excluded_by=[*candidate.excluded_by, *stopped_by], trials_failed=failed
    )
