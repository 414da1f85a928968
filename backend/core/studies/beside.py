"""A study's tables with our numbers beside theirs, cell by cell; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from uuid import UUID

from backend.core.catalog.figures import Figure, in_metric
from backend.core.catalog.study import Column, Meaning, StudyManifest, StudyRow, Table, list_figures
from backend.core.statistics.comparison import Estimate
from backend.core.studies.agreement import Agreement, correlate
from backend.core.studies.measured import MeasuredCell, Reproduction, estimate_of
from backend.core.units import METRICS, Direction, Metric, Verdict


@dataclass(frozen=True)
class Ours:
    """Our number: in the metric's unit. `unresponsive` where too little was answered to have one
    that means anything; `reason` says why there is none at all.
    """

    cell_id: UUID | None = None
    estimate: Estimate | None = None
    unresponsive: bool = False
    excluded: bool = False
    verdicts: Sequence[Verdict] = ()
    reason: str | None = None


@dataclass(frozen=True)
class Slot:
    """One number of a table's cell. `metric` None is one that we have no metric for.

    `published` is in the metric's unit, or as printed without a metric; `ratio` is ours over it.
    """

    metric: Metric | None
    figure: Figure | None
    published: float | None
    ours: Ours
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None


@dataclass(frozen=True)
class CellBeside:
    """A cell as printed, with its numbers; `failed` where it marks what could not answer."""

    printed: str
    failed: bool
    meaning: Meaning
    slots: Sequence[Slot]


@dataclass(frozen=True)
class OrderBeside:
    """Whether the systems of one load and metric are in the published order.

    `agreement` is None where there is no order to compare, for which `reason` tells why.
    """

    label: str
    metric: Metric
    systems: Sequence[str]
    agreement: Agreement | None
    reason: str | None = None


@dataclass(frozen=True)
class TableBeside:
    table: Table
    cells: Sequence[Sequence[CellBeside]]
    orders: Sequence[OrderBeside] = field(default_factory=list)


def set_beside(study: StudyManifest, table: Table, run: Reproduction | None) -> TableBeside:
    """A table with our numbers; without a run only the published ones."""
    cells = [
        [
            _cell(study, table, row, column, printed, run)
            for column, printed in zip(table.columns, row.cells, strict=True)
        ]
        for row in table.rows
    ]
    return TableBeside(table, cells, _orders(study, table, cells) if run else [])


def _cell(
    study: StudyManifest,
    table: Table,
    row: StudyRow,
    column: Column,
    printed: str,
    run: Reproduction | None,
) -> CellBeside:
    meaning = table.meaning(row, column)
    failed = table.failed is not None and printed == table.failed
    if table.setting:
        return CellBeside(printed, failed, meaning, [])
    figures = list_figures(table, row, column, printed)
    if not figures:
        named = meaning.metrics or ((meaning.metric,) if meaning.metric else ())
        slots = [
            Slot(metric, None, None, find_ours(study, meaning, metric, run))
            for metric in named
            if metric
        ]
        return CellBeside(printed, failed, meaning, slots)
    return CellBeside(
        printed,
        failed,
        meaning,
        [_slot(study, meaning, metric, figure, run) for metric, figure in figures],
    )


def _slot(
    study: StudyManifest,
    meaning: Meaning,
    metric: Metric | None,
    figure: Figure,
    run: Reproduction | None,
) -> Slot:
    if metric is None:
        return Slot(None, figure, figure.value, Ours(reason="Tacho has no metric for it."))
    published = in_metric(figure, metric, meaning.divide_by or 1)
    ours = find_ours(study, meaning, metric, run)
    if ours.estimate is None or published <= 0:
        return Slot(metric, figure, published, ours)
    low, high = ours.estimate.low, ours.estimate.high
    return Slot(
        metric,
        figure,
        published,
        ours,
        ratio=ours.estimate.estimate / published,
        ratio_low=None if low is None else low / published,
        ratio_high=None if high is None else high / published,
    )


def find_ours(
    study: StudyManifest, meaning: Meaning, metric: Metric, run: Reproduction | None
) -> Ours:
    """Our number for what a published one means, or why there is none."""
    if run is None:
        return Ours(reason="Not reproduced yet.")
    framework = study.frameworks.get(meaning.system or "")
    if framework is None or meaning.experiment is None:
        return Ours(reason="No framework in the catalogue corresponds to it.")
    experiment = study.experiments[meaning.experiment]
    cell = run.find(experiment, framework, meaning.parameters)
    if cell is None:
        return Ours(reason=f"Not part of this {run.variant} reproduction.")
    if meaning.step_rps is not None:
        return _of_step(cell, metric, meaning.step_rps)
    values = cell.find_values(metric)
    if not values:
        return Ours(cell.cell_id, unresponsive=cell.is_unresponsive, reason=_why_none(cell))
    return Ours(
        cell.cell_id,
        estimate_of(metric, values),
        unresponsive=cell.is_unresponsive and metric is not Metric.SUCCESS_RATIO,
        excluded=cell.excluded,
        verdicts=cell.verdicts,
    )


def _of_step(cell: MeasuredCell, metric: Metric, step_rps: int) -> Ours:
    step = cell.steps.get(step_rps)
    if step is None:
        is_past = bool(cell.steps) and step_rps > max(cell.steps)
        reason = "It failed at a lower rate." if is_past else _why_none(cell)
        if not is_past and cell.trials_succeeded:
            reason = "This rate was not measured."
        return Ours(cell.cell_id, reason=reason)
    values = cell.find_values(metric, step_rps)
    return Ours(
        cell.cell_id,
        estimate_of(metric, values) if values else None,
        unresponsive=not step.passed,
        excluded=cell.excluded,
        verdicts=cell.verdicts,
        reason=None if values else "Nothing was answered at this rate.",
    )


def _why_none(cell: MeasuredCell) -> str:
    if cell.trials_open:
        return "Not measured yet."
    if cell.failure and not cell.trials_succeeded:
        return f"All trials failed: {cell.failure}"
    return "The trials gave no such number."


def find_orders_across(study: StudyManifest, tables: Sequence[TableBeside]) -> list[OrderBeside]:
    """Orders of systems that have a table each, for each cell that the tables share."""
    groups: Groups = {}
    for one in tables:
        if one.table.system is not None:
            for row, line in zip(one.table.rows, one.cells, strict=True):
                for column, cell in zip(one.table.columns, line, strict=True):
                    place = f"{row.head} · {column.head}" if len(line) > 1 else row.head
                    _gather(study, groups, place, place, cell)
    return _orders_of(groups)


# Of one load and metric: label, and system with its cell and number.
Members = list[tuple[str, CellBeside, Slot]]
Groups = dict[str, tuple[str, Members]]


def _orders(
    study: StudyManifest, table: Table, cells: Sequence[Sequence[CellBeside]]
) -> list[OrderBeside]:
    """One for each load and metric of which the table has several systems."""
    groups: Groups = {}
    for row, line in zip(table.rows, cells, strict=True):
        for column, cell in zip(table.columns, line, strict=True):
            if table.system is None:
                label = column.head if row.system is not None else row.head
                _gather(study, groups, "", label, cell)
    return _orders_of(groups)


def _gather(study: StudyManifest, groups: Groups, place: str, label: str, cell: CellBeside) -> None:
    if cell.meaning.system not in study.frameworks:
        return
    of_load = cell.meaning.model_copy(update={"system": None, "unit": None}).model_dump_json()
    for slot in cell.slots:
        if slot.metric is not None:
            _, members = groups.setdefault(f"{slot.metric} {of_load} {place}", (label, []))
            members.append((cell.meaning.system or "", cell, slot))


def _orders_of(groups: Groups) -> list[OrderBeside]:
    """Of what is printed of at least two."""
    return [
        _order(label, members)
        for label, members in groups.values()
        if sum(cell.failed or slot.published is not None for _, cell, slot in members) > 1
    ]


def _order(label: str, members: Members) -> OrderBeside:
    metric = members[0][2].metric
    assert metric is not None
    worst = inf if METRICS[metric].direction is Direction.LOWER else -inf
    ranked = []
    for system, cell, slot in members:
        published = worst if cell.failed else slot.published
        ours = _rankable(slot.ours, worst)
        if published is not None and ours is not None:
            ranked.append((system, published, ours))
    theirs, mine = [one[1] for one in ranked], [one[2] for one in ranked]
    agreement = correlate(theirs, mine)
    return OrderBeside(
        label,
        metric,
        [one[0] for one in ranked],
        agreement,
        None if agreement else _why_no_order(theirs, mine),
    )


def _rankable(ours: Ours, worst: float) -> float | None:
    if ours.unresponsive:
        return worst
    return None if ours.estimate is None or ours.excluded else ours.estimate.estimate


def _why_no_order(theirs: Sequence[float], mine: Sequence[float]) -> str:
    if len(theirs) < 3:
        return (
            f"Only {len(theirs)} have both a published number and one of ours that may be ranked."
        )
    if len(set(theirs)) < 2:
        return "The study prints the same for all."
    return "Ours are all the same." if len(set(mine)) < 2 else "There is no order to compare."
