"""The figures of an answer: rows of a group and the matrix of all groups; pure."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, log

from backend.core.measurement.statistics.comparison import PairState
from backend.core.numbers import (
    format_estimate,
    format_interval,
    format_ratio,
    format_values,
    join_words,
)
from backend.core.results.cell_result import RunCellResult
from backend.core.results.ranking.candidate_ranking import Eligibility, RankedCandidate
from backend.core.results.ranking.comparison_text import (
    describe_pair,
    enlarge,
    format_comparison,
    format_range,
    format_size,
)
from backend.core.results.run_results.answer.group import GroupAnswer
from backend.core.results.run_results.answer.model import (
    RatioCell,
    RatioColumn,
    RatioMatrix,
    RatioRow,
    ResultRow,
)
from backend.core.results.run_results.rankings import GroupRanking

_NO_RESULT = "no result"
# Each begins a level of difference.
_LEVELS = (1.25, 1.7, 3.0, 10.0)
_NONE = RatioCell("–", None, is_best=False, excluded=False)


def list_rows(ranking: GroupRanking) -> list[ResultRow]:
    """Return the results of a group in the order of its ranking."""
    return [_make_row(ranking, result, ranked) for result, ranked in ranking.list_ranked()]


def _make_row(ranking: GroupRanking, result: RunCellResult, ranked: RankedCandidate) -> ResultRow:
    candidate, unit = ranked.candidate, ranking.info.unit
    estimate = candidate.estimate
    found = ranked.ratio.comparison if ranked.ratio else None
    row = ResultRow(
        cell_id=result.cell.id,
        framework=result.cell.framework.slug,
        name=result.name,
        colour=result.framework.colour,
        rank=ranked.rank,
        value=_NO_RESULT,
        interval=None,
        values=None,
        comparison=describe_comparison(ranking, ranked),
        state=_find_state(ranking, ranked),
        excluded=candidate.eligibility is Eligibility.EXCLUDED,
        ratio=found.ratio if found else None,
        ratio_low=found.low if found else None,
        ratio_high=found.high if found else None,
    )
    if estimate is None:
        return row
    is_short = bool(estimate.values)
    interval = None
    if not is_short and estimate.low is not None and estimate.high is not None:
        interval = format_interval(estimate.estimate, estimate.low, estimate.high, unit)
    figures = {
        "value": format_estimate(estimate.estimate, None, None, unit, is_bound=estimate.is_bound),
        "is_bound": estimate.is_bound,
        "interval": interval,
        "values": format_values(estimate.values, unit) if is_short else None,
        "estimate": estimate.estimate,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
    }
    return ResultRow(**{**vars(row), **figures})


def describe_comparison(ranking: GroupRanking, ranked: RankedCandidate) -> str:
    """Return the comparison of a result with the baseline, or why there is none."""
    candidate = ranked.candidate
    if candidate.excluded_by:
        return f"excluded: {join_words(candidate.excluded_by)}"
    if candidate.estimate is None:
        return ""
    if _is_baseline(ranking, ranked):
        return format_ratio(1, None, None)
    if ranked.ratio is not None and ranked.state is PairState.DIFFERENCE:
        return format_comparison(ranked.ratio.comparison)
    known = describe_pair(ranked.ratio, is_share=candidate.is_share)
    span = format_range(ranked.ratio)
    return f"{known}, {span}" if span else known


def _find_state(ranking: GroupRanking, ranked: RankedCandidate) -> PairState | None:
    if ranked.candidate.estimate is None or _is_baseline(ranking, ranked):
        return None
    return PairState.NOT_COMPARABLE if ranked.candidate.excluded_by else ranked.state


def _is_baseline(ranking: GroupRanking, ranked: RankedCandidate) -> bool:
    baseline = ranking.ranking.baseline
    return baseline is not None and ranking.ranking.candidates[baseline] is ranked


def make_matrix(groups: Sequence[GroupAnswer], labels: Sequence[str]) -> RatioMatrix | None:
    """Return the ratios of all frameworks to the best of each group; None for a single group.

    Frameworks are ordered by the number of groups that they lead, then by their mean difference
    from the best; those without one are last.
    """
    if len(groups) < 2:
        return None
    firsts: dict[str, RunCellResult] = {}
    wins: dict[str, int] = {}
    for group in groups:
        for result in group.ranking.group.cells:
            firsts.setdefault(result.cell.framework.slug, result)
        for slug in group.leading_slugs:
            wins[slug] = wins.get(slug, 0) + 1
    columns = [
        {result.cell.framework.slug: cell for result, cell in _column(group)} for group in groups
    ]
    order = sorted(
        firsts,
        key=lambda slug: (
            -wins.get(slug, 0),
            _find_mean_size([column[slug] for column in columns if slug in column]),
        ),
    )
    return RatioMatrix(
        [
            RatioColumn(
                group.ranking.group.key,
                label,
                group.ranking.info.title,
                group.ranking.info.direction,
            )
            for group, label in zip(groups, labels, strict=True)
        ],
        [
            RatioRow(
                slug,
                firsts[slug].framework.name,
                firsts[slug].framework.colour,
                [column.get(slug, _NONE) for column in columns],
            )
            for slug in order
        ],
    )


def _column(group: GroupAnswer) -> list[tuple[RunCellResult, RatioCell]]:
    ranking = group.ranking
    return [
        (result, _make_cell(ranking, ranked, is_best=group.is_usable and ranked.rank == 1))
        for result, ranked in ranking.list_ranked()
    ]


def _make_cell(ranking: GroupRanking, ranked: RankedCandidate, *, is_best: bool) -> RatioCell:
    if ranked.candidate.excluded_by:
        return RatioCell("excluded", None, is_best=False, excluded=True)
    if _is_baseline(ranking, ranked):
        return RatioCell(format_ratio(1, None, None), 1.0, is_best=is_best, excluded=False)
    if ranked.ratio is None:
        return _NONE
    found, span = ranked.ratio.comparison, format_range(ranked.ratio)
    text = span or format_size(found)
    if found.state is PairState.DIFFERENCE:
        text = format_size(enlarge(found))
        text += " worse" if found.ratio is not None else ""
    level = _find_level(found.size) if found.state is PairState.DIFFERENCE else 0
    cell = RatioCell(text, found.ratio, is_best=is_best, excluded=False, state=found.state)
    return replace(cell, level=level)


def _find_level(size: float) -> int:
    """Return the level of a difference of logs: of 1.25×, 1.7×, 3× and 10× the next one begins."""
    return sum(size >= log(least) for least in _LEVELS)


def _find_mean_size(cells: Sequence[RatioCell]) -> float:
    sizes = [abs(log(cell.ratio)) for cell in cells if cell.ratio and not cell.excluded]
    return sum(sizes) / len(sizes) if sizes else inf
