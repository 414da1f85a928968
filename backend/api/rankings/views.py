"""Who stands where in a run: its cells in groups that may be compared, each by one metric."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.api.comparisons.views import ratio_out
from backend.api.rankings.schemas import GroupRanking, RankedCell
from backend.api.runs.schemas import CellOut, RunOut
from backend.core.comparison.contest import (
    Contender,
    Contest,
    Standing,
    headline_metric,
    hold_contest,
)
from backend.core.comparison.ranking import holds_among_all
from backend.core.comparison.sentence import describe_contest
from backend.core.comparison.stats import Estimate
from backend.core.errors import InvalidRequest
from backend.core.units import METRICS, Metric, Purpose


@dataclass(frozen=True)
class CellGroup:
    """Cells of one scenario, profile and parameters: what stands side by side."""

    # As in the interface's address: scenario.profile, then .2 and so on for other parameters.
    key: str
    cells: Sequence[CellOut]


def group_cells(run: RunOut) -> list[CellGroup]:
    """The run's groups, in the order of their first cells."""
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


def contest_of(
    run: RunOut, group: CellGroup, metric: Metric | None = None, baseline: str | None = None
) -> Contest:
    """A group's contest by a metric; default: the one that its kind of load is for.

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
    return hold_contest(chosen, [_contender(run, cell, chosen) for cell in group.cells], position)


def rank_run(run: RunOut, metric: Metric | None, baseline: str | None) -> list[GroupRanking]:
    """Every group's ranking.

    Raises:
        InvalidRequest: the baseline is no framework of the run.
    """
    slugs = [framework.slug for framework in run.frameworks]
    if baseline is not None and baseline not in slugs:
        detail = f"The run has no framework {baseline!r}; it has {', '.join(slugs)}."
        raise InvalidRequest(f"baseline: {detail}", [{"field": "baseline", "detail": detail}])
    return [
        _ranking_out(group, contest_of(run, group, metric, baseline)) for group in group_cells(run)
    ]


def _contender(run: RunOut, cell: CellOut, metric: Metric) -> Contender:
    summary = cell.summary.get(metric)
    return Contender(
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


def _ranking_out(group: CellGroup, contest: Contest) -> GroupRanking:
    ids = [cell.id for cell in group.cells]
    return GroupRanking(
        group=group.key,
        metric=contest.metric,
        title=METRICS[contest.metric].title,
        baseline=None if contest.baseline is None else ids[contest.baseline],
        sentences=describe_contest(contest),
        cells=[
            RankedCell(
                cell_id=ids[position],
                place=one.place,
                ties=[ids[other] for other in one.ties],
                ratio=None if one.ratio is None else ratio_out(one.ratio, _is_judged(contest, one)),
            )
            for position in contest.order
            for one in [contest.standings[position]]
        ],
    )


def _is_judged(contest: Contest, one: Standing) -> bool:
    """An excluded number is no side of a comparison in words, and no word contradicts a tie."""
    if contest.baseline is None or one.ratio is None:
        return False
    baseline = contest.standings[contest.baseline].contender
    holds = holds_among_all(one.ratio.comparison.word, tied=contest.baseline in one.ties)
    return holds and not one.contender.excluded_by and not baseline.excluded_by
