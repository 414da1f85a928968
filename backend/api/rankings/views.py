"""Rank the cells of a run: in groups that may be compared, each by one metric."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.api.comparisons.views import ratio_out
from backend.api.rankings.schemas import GroupRanking, RankedCell
from backend.api.runs.schemas import CellOut, RunOut
from backend.core.errors import InvalidRequest
from backend.core.ranking.candidate_ranking import (
    Candidate,
    CandidateRanking,
    RankedCandidate,
    headline_metric,
    rank_candidates,
)
from backend.core.ranking.sentence import describe_ranking
from backend.core.ranking.tie_groups import holds_among_all
from backend.core.statistics.estimate import Estimate
from backend.core.units import METRICS, Metric, Purpose


@dataclass(frozen=True)
class CellGroup:
    """Cells of one scenario, profile and parameters, which may be compared."""

    # As in the interface's address: scenario.profile, then .2 and so on for other parameters.
    key: str
    cells: Sequence[CellOut]


def group_cells(run: RunOut) -> list[CellGroup]:
    """Return the groups of the run, in the order of their first cells."""
    groups: dict[tuple[str, str, str], list[CellOut]] = {}
    for cell in run.cells:
        parameters = str(sorted(cell.parameters.items()))
        groups.setdefault((cell.scenario.slug, cell.profile, parameters), []).append(cell)
    found: list[CellGroup] = []
    for (scenario, profile, _), cells in groups.items():
        name = f"{scenario}.{profile}"
        twins = sum(group.key == name or group.key.startswith(f"{name}.") for group in found)
        found.append(CellGroup(f"{name}.{twins + 1}" if twins else name, cells))
    return found


def rank_group(
    run: RunOut, group: CellGroup, metric: Metric | None = None, baseline: str | None = None
) -> CandidateRanking:
    """Rank a group by a metric; default: the main metric of its kind of load.

    Args:
        baseline: slug of a framework of the group; default: the best result, or in a confirmation
            run the old build.
    """
    known = [metric for cell in group.cells for metric in cell.summary]
    chosen = metric or headline_metric(group.cells[0].kind, known)
    slugs = [cell.framework.slug for cell in group.cells]
    # A confirmation run compares the new build with the old one, whichever is better.
    usual = 0 if run.purpose == Purpose.CONFIRMATION else None
    position = slugs.index(baseline) if baseline in slugs else usual
    return rank_candidates(
        chosen, [_candidate(run, cell, chosen) for cell in group.cells], position
    )


def rank_run(run: RunOut, metric: Metric | None, baseline: str | None) -> list[GroupRanking]:
    """Return the ranking of each group.

    Raises:
        InvalidRequest: the run does not contain the baseline framework.
    """
    slugs = [framework.slug for framework in run.frameworks]
    if baseline is not None and baseline not in slugs:
        detail = f"The run has no framework {baseline!r}; it has {', '.join(slugs)}."
        raise InvalidRequest(f"baseline: {detail}", [{"field": "baseline", "detail": detail}])
    return [
        _ranking_out(group, rank_group(run, group, metric, baseline)) for group in group_cells(run)
    ]


def _candidate(run: RunOut, cell: CellOut, metric: Metric) -> Candidate:
    summary = cell.summary.get(metric)
    return Candidate(
        name=cell.framework.name,
        estimate=None
        if summary is None
        else Estimate(summary.estimate, summary.low, summary.high, summary.n),
        values={
            trial.repetition: trial.metrics[metric]
            for trial in run.trials
            if trial.cell_id == cell.id and metric in trial.metrics
        },
        excluded_by=[
            verdict.verdict.replace("_", " ")
            for verdict in cell.verdicts
            if verdict.excludes_from_ranking
        ],
        trials_failed=cell.trials_failed,
    )


def _ranking_out(group: CellGroup, ranking: CandidateRanking) -> GroupRanking:
    ids = [cell.id for cell in group.cells]
    return GroupRanking(
        group=group.key,
        metric=ranking.metric,
        title=METRICS[ranking.metric].title,
        baseline=None if ranking.baseline is None else ids[ranking.baseline],
        sentences=describe_ranking(ranking),
        cells=[
            RankedCell(
                cell_id=ids[position],
                rank=candidate.rank,
                ties=[ids[other] for other in candidate.ties],
                ratio=None
                if candidate.ratio is None
                else ratio_out(candidate.ratio, _is_judged(ranking, candidate)),
            )
            for position in ranking.order
            for candidate in [ranking.candidates[position]]
        ],
    )


def _is_judged(ranking: CandidateRanking, candidate: RankedCandidate) -> bool:
    """Whether the ratio gets a word: neither side is excluded, and the word contradicts no tie."""
    if ranking.baseline is None or candidate.ratio is None:
        return False
    baseline = ranking.candidates[ranking.baseline].candidate
    holds = holds_among_all(
        candidate.ratio.comparison.word, tied=ranking.baseline in candidate.ties
    )
    return holds and not candidate.candidate.excluded_by and not baseline.excluded_by
