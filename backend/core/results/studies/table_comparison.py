"""Compare the tables of a study with measured results, cell by cell, as pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from backend.core.catalog.figures import Figure, in_metric
from backend.core.catalog.study import Column, Meaning, StudyManifest, StudyRow, Table, list_figures
from backend.core.numeric import stats
from backend.core.results.studies.measured import Reproduction
from backend.core.results.studies.measurement import (
    Measurement,
    ShownValue,
    find_measurement,
    show_in_unit,
)
from backend.core.units import METRICS, Direction, Metric

# Two items are in the same order by chance in half of all cases.
MIN_RANKED = 3


@dataclass(frozen=True)
class Agreement:
    """Rank correlation of `n` items, from -1 (opposite order) to 1 (same order).

    `p_value` is that of Kendall's tau against no association. With three or four items it cannot be
    small.
    """

    n: int
    spearman: float
    kendall: float
    p_value: float


def correlate(published: Sequence[float], ours: Sequence[float]) -> Agreement | None:
    """Return the rank correlation of two lists of the same items, with correction for ties.

    Returns:
        None with fewer than MIN_RANKED items, or if all values of a list are equal.
    """
    if len(published) < MIN_RANKED or min(len(set(published)), len(set(ours))) < 2:
        return None
    tau = stats.kendalltau(published, ours)
    rho = stats.spearmanr(published, ours)
    return Agreement(
        n=len(published),
        spearman=float(rho.statistic),
        kendall=float(tau.statistic),
        p_value=float(tau.pvalue),
    )


@dataclass(frozen=True)
class FigureComparison:
    """A published figure and the result measured here; `metric` is None if Tacho has none for it.

    `published` is in the metric's unit, or as printed without a metric. `ratio` is measured divided
    by published. `shown` is the result in the unit of the published figure, None without one.
    """

    metric: Metric | None
    figure: Figure | None
    published: float | None
    measured: Measurement
    shown: ShownValue | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None


@dataclass(frozen=True)
class CellComparison:
    """A cell as printed, with its figures; `failed` if the study marks the system as failed."""

    printed: str
    failed: bool
    meaning: Meaning
    figures: Sequence[FigureComparison]


@dataclass(frozen=True)
class OrderComparison:
    """Whether the systems have the published order, for one load and metric.

    `agreement` is None if there is no order to compare; `reason` explains why.
    """

    label: str
    metric: Metric
    systems: Sequence[str]
    agreement: Agreement | None
    reason: str | None = None


@dataclass(frozen=True)
class TableComparison:
    """A table of a study, compared cell by cell and by order."""

    table: Table
    cells: Sequence[Sequence[CellComparison]]
    orders: Sequence[OrderComparison] = field(default_factory=list)


def compare_table(study: StudyManifest, table: Table, run: Reproduction | None) -> TableComparison:
    """Return a table with the results of a run, or with the published figures only."""
    cells = [
        [
            _compare_cell(study, table, row, column, printed, run)
            for column, printed in zip(table.columns, row.cells, strict=True)
        ]
        for row in table.rows
    ]
    return TableComparison(table, cells, _compare_orders(study, table, cells) if run else [])


def _compare_cell(
    study: StudyManifest,
    table: Table,
    row: StudyRow,
    column: Column,
    printed: str,
    run: Reproduction | None,
) -> CellComparison:
    meaning = table.meaning(row, column)
    failed = table.failed is not None and printed == table.failed
    if table.setting:
        return CellComparison(printed, failed, meaning, [])
    figures = list_figures(table, row, column, printed)
    if not figures:
        named = meaning.metrics or ((meaning.metric,) if meaning.metric else ())
        unprinted = [_compare_nothing(study, meaning, metric, run) for metric in named if metric]
        return CellComparison(printed, failed, meaning, unprinted)
    return CellComparison(
        printed,
        failed,
        meaning,
        [_compare_figure(study, meaning, metric, figure, run) for metric, figure in figures],
    )


def _compare_nothing(
    study: StudyManifest, meaning: Meaning, metric: Metric, run: Reproduction | None
) -> FigureComparison:
    """Return a result next to which the study prints no figure, in the unit of the table."""
    measured = find_measurement(study, meaning, metric, run)
    shown = None
    if measured.estimate is not None and meaning.unit is not None:
        figure = Figure(0, meaning.unit)
        shown = show_in_unit(measured.estimate, figure, metric, meaning.divide_by or 1)
    return FigureComparison(metric, None, None, measured, shown)


def _compare_figure(
    study: StudyManifest,
    meaning: Meaning,
    metric: Metric | None,
    figure: Figure,
    run: Reproduction | None,
) -> FigureComparison:
    if metric is None:
        reason = meaning.unpaired or "Tacho has no metric for it."
        return FigureComparison(None, figure, figure.value, Measurement(reason=reason))
    published = in_metric(figure, metric, meaning.divide_by or 1)
    measured = find_measurement(study, meaning, metric, run)
    if measured.estimate is None or published <= 0:
        return FigureComparison(metric, figure, published, measured)
    low, high = measured.estimate.low, measured.estimate.high
    return FigureComparison(
        metric,
        figure,
        published,
        measured,
        shown=show_in_unit(measured.estimate, figure, metric, meaning.divide_by or 1),
        ratio=measured.estimate.estimate / published,
        ratio_low=None if low is None else low / published,
        ratio_high=None if high is None else high / published,
    )


def compare_orders_across(
    study: StudyManifest, tables: Sequence[TableComparison]
) -> list[OrderComparison]:
    """Return the orders of systems that have a table each, for each cell that the tables share."""
    groups: Groups = {}
    for comparison in tables:
        table = comparison.table
        if table.system is not None:
            for row, line in zip(table.rows, comparison.cells, strict=True):
                for column, cell in zip(table.columns, line, strict=True):
                    heads = f"{row.head} · {column.head}" if len(line) > 1 else row.head
                    _gather(study, groups, heads, heads, cell)
    return _compare_groups(groups)


# The system, cell and figure of each member of an order, and by load and metric with a label.
Members = list[tuple[str, CellComparison, FigureComparison]]
Groups = dict[str, tuple[str, Members]]


def _compare_orders(
    study: StudyManifest, table: Table, cells: Sequence[Sequence[CellComparison]]
) -> list[OrderComparison]:
    """Return an order for each load and metric with several systems in the table."""
    groups: Groups = {}
    for row, line in zip(table.rows, cells, strict=True):
        for column, cell in zip(table.columns, line, strict=True):
            if table.system is None:
                label = column.head if row.system is not None else row.head
                _gather(study, groups, "", label, cell)
    return _compare_groups(groups)


def _gather(
    study: StudyManifest, groups: Groups, heads: str, label: str, cell: CellComparison
) -> None:
    if cell.meaning.system not in study.frameworks:
        return
    of_load = cell.meaning.model_copy(update={"system": None, "unit": None}).model_dump_json()
    for comparison in cell.figures:
        if comparison.metric is not None:
            _, members = groups.setdefault(f"{comparison.metric} {of_load} {heads}", (label, []))
            members.append((cell.meaning.system or "", cell, comparison))


def _compare_groups(groups: Groups) -> list[OrderComparison]:
    """Return the orders of groups in which the study has at least two results."""
    return [
        _compare_order(label, members)
        for label, members in groups.values()
        if sum(cell.failed or comparison.published is not None for _, cell, comparison in members)
        > 1
    ]


def _compare_order(label: str, members: Members) -> OrderComparison:
    metric = members[0][2].metric
    assert metric is not None
    worst = inf if METRICS[metric].direction is Direction.LOWER else -inf
    ranked = []
    for system, cell, comparison in members:
        published = worst if cell.failed else comparison.published
        measured = _find_rankable(comparison.measured, worst)
        if published is not None and measured is not None:
            ranked.append((system, published, measured))
    published_values = [published for _, published, _ in ranked]
    measured_values = [measured for _, _, measured in ranked]
    agreement = correlate(published_values, measured_values)
    return OrderComparison(
        label,
        metric,
        [system for system, _, _ in ranked],
        agreement,
        None if agreement else _why_no_order(published_values, measured_values),
    )


def _find_rankable(measured: Measurement, worst: float) -> float | None:
    """Return the value to rank; an unresponsive system is worst, an excluded result has none."""
    if measured.unresponsive:
        return worst
    return None if measured.estimate is None or measured.excluded else measured.estimate.estimate


def _why_no_order(published: Sequence[float], measured: Sequence[float]) -> str:
    if len(published) < MIN_RANKED:
        systems = ("No system has", "Only 1 system has")[len(published) : len(published) + 1]
        return (
            f"{systems[0] if systems else f'Only {len(published)} systems have'} both a published "
            "figure and a result that may be ranked."
        )
    if len(set(published)) < 2:
        return "The study prints the same figure for all systems."
    if len(set(measured)) < 2:
        return "The measured results are all equal."
    return "There is no order to compare."
