"""The figures of an answer: rows of a group and the matrix of all groups; pure."""

from collections.abc import Sequence
from math import inf, log

from backend.core.measurement.statistics.comparison import PairState
from backend.core.measurement.statistics.estimate import Estimate
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
    AnswerMatrix,
    AnswerRow,
    MatrixCell,
    MatrixColumn,
    MatrixRow,
)
from backend.core.results.run_results.rankings import GroupRanking

_NO_RESULT = "no result"
# Each begins a level of difference.
_LEVELS = (1.25, 1.7, 3.0, 10.0)
_NO_CELL = MatrixCell(text="–", state=None, ratio=None, is_best=False, excluded=False, level=0)


def list_rows(ranking: GroupRanking) -> list[AnswerRow]:
    """Return the results of a group in the order of its ranking."""
    return [_make_row(ranking, result, ranked) for result, ranked in ranking.list_ranked()]


def _make_row(ranking: GroupRanking, result: RunCellResult, ranked: RankedCandidate) -> AnswerRow:
    candidate, unit = ranked.candidate, ranking.info.unit
    estimate = candidate.estimate
    found = ranked.ratio.comparison if ranked.ratio else None
    is_short = bool(estimate and estimate.values)
    interval = None
    if estimate and not is_short and estimate.low is not None and estimate.high is not None:
        interval = format_interval(estimate.estimate, estimate.low, estimate.high, unit)
    return AnswerRow(
        cell_id=result.cell.id,
        framework=result.cell.framework.slug,
        name=result.name,
        colour=result.framework.colour,
        rank=ranked.rank,
        value=_show_value(estimate, unit),
        interval=interval,
        values=format_values(estimate.values, unit) if estimate and is_short else None,
        comparison=describe_comparison(ranking, ranked),
        state=_find_state(ranking, ranked),
        excluded=candidate.eligibility is Eligibility.EXCLUDED,
        is_bound=bool(estimate and estimate.is_bound),
        estimate=estimate.estimate if estimate else None,
        low=estimate.low if estimate else None,
        high=estimate.high if estimate else None,
        n=estimate.n if estimate else 0,
        ratio=found.ratio if found else None,
        ratio_low=found.low if found else None,
        ratio_high=found.high if found else None,
    )


def _show_value(estimate: Estimate | None, unit: str) -> str:
    if estimate is None:
        return _NO_RESULT
    return format_estimate(estimate.estimate, None, None, unit, is_bound=estimate.is_bound)


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


def make_matrix(groups: Sequence[GroupAnswer], labels: Sequence[str]) -> AnswerMatrix | None:
    """Return the ratios of all frameworks to the best of each group.

    None for a single group, or if no group has a usable result.

    Frameworks are ordered by the number of groups that they lead, then by their mean difference
    from the best; those without one are last.
    """
    if len(groups) < 2 or not any(group.is_usable for group in groups):
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
    return AnswerMatrix(
        columns=[
            MatrixColumn(
                group=group.ranking.group.key,
                label=label,
                metric_title=group.ranking.info.title,
                direction=group.ranking.info.direction,
            )
            for group, label in zip(groups, labels, strict=True)
        ],
        rows=[
            MatrixRow(
                framework=slug,
                name=firsts[slug].framework.name,
                colour=firsts[slug].framework.colour,
                cells=[column.get(slug, _NO_CELL) for column in columns],
            )
            for slug in order
        ],
    )


def _column(group: GroupAnswer) -> list[tuple[RunCellResult, MatrixCell]]:
    ranking = group.ranking
    return [
        (result, _make_cell(ranking, ranked, is_best=group.is_usable and ranked.rank == 1))
        for result, ranked in ranking.list_ranked()
    ]


def _make_cell(ranking: GroupRanking, ranked: RankedCandidate, *, is_best: bool) -> MatrixCell:
    if ranked.candidate.excluded_by:
        return _NO_CELL.model_copy(update={"text": "excluded", "excluded": True})
    if _is_baseline(ranking, ranked):
        text = format_ratio(1, None, None)
        return _NO_CELL.model_copy(update={"text": text, "ratio": 1.0, "is_best": is_best})
    if ranked.ratio is None:
        return _NO_CELL
    found, span = ranked.ratio.comparison, format_range(ranked.ratio)
    is_different = found.state is PairState.DIFFERENCE
    text = span or format_size(found)
    if is_different:
        text = format_size(enlarge(found))
        text += " worse" if found.ratio is not None else ""
    return MatrixCell(
        text=text,
        state=found.state,
        ratio=found.ratio,
        is_best=is_best,
        excluded=False,
        level=_find_level(found.size) if is_different else 0,
    )


def _find_level(size: float) -> int:
    """Return the level of a difference of logs: of 1.25×, 1.7×, 3× and 10× the next one begins."""
    return sum(size >= log(least) for least in _LEVELS)


def _find_mean_size(cells: Sequence[MatrixCell]) -> float:
    sizes = [abs(log(cell.ratio)) for cell in cells if cell.ratio and not cell.excluded]
    return sum(sizes) / len(sizes) if sizes else inf
