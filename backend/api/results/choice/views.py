"""Choices as the API shows them."""

from backend.addresses import run_page
from backend.api.results.choice.schemas import (
    ChoiceCellOut,
    ChoiceColumnOut,
    ChoiceOut,
    ChoiceParameterOut,
    ChoiceRowOut,
)
from backend.api.results.comparisons.views import ratio_out
from backend.api.schemas import FrameworkRef
from backend.api.views import metric_summary, verdict_out
from backend.core.models import Framework
from backend.core.results.cell_result import CellResult
from backend.core.results.choose.missing import ChoiceColumn
from backend.core.results.choose.service import FrameworkChoice
from backend.core.results.loads import describe_parameter, list_load_parts
from backend.core.results.ranking.metric_words import find_words
from backend.core.units import Verdict


def choice_out(choice: FrameworkChoice) -> ChoiceOut:
    """Return a choice as the API shows it."""
    found = choice.recommendation
    return ChoiceOut.of(
        choice,
        parameters=[
            ChoiceParameterOut(name=name, values=list(values), **describe_parameter(name)._asdict())
            for name, values in choice.parameters.items()
        ],
        outcome=found.outcome,
        best=list(found.best),
        headline=found.headline,
        sentences=list(found.sentences),
        against=list(found.against),
        columns=[_column_out(column) for column in choice.columns],
        rows=[
            ChoiceRowOut(
                framework=FrameworkRef.of(framework),
                cells=[_cell_out(column, framework) for column in choice.columns],
            )
            for framework in _sort(choice)
        ],
    )


def _sort(choice: FrameworkChoice) -> list[Framework]:
    """Return the frameworks by their rank in the first column that has one, then as named."""

    def place(framework: Framework) -> list[int]:
        entries = [column.ranked.find(framework.slug) for column in choice.columns]
        return [entry.rank if entry and entry.rank else len(choice.frameworks) for entry in entries]

    return sorted(choice.frameworks, key=place)


def _column_out(column: ChoiceColumn) -> ChoiceColumnOut:
    info, used = column.ranked.info, column.reference
    load = None if used is None else list_load_parts(used.kind, used.summary.parameters)
    return ChoiceColumnOut(
        criterion=column.ranked.criterion,
        metric=info.metric,
        title=info.title,
        unit=info.unit,
        direction=info.direction,
        load=None if load is None else " · ".join(load),
        runtime=None if used is None else used.summary.runtime,
        sentences=list(column.ranked.sentences) if column.ranked.entries else [],
    )


def _cell_out(column: ChoiceColumn, framework: Framework) -> ChoiceCellOut:
    entry = column.ranked.find(framework.slug)
    result: CellResult | None = entry.result if entry else column.excluded.get(framework.slug)
    metric = column.ranked.metric
    estimate = result.estimates.get(metric) if result else None
    return ChoiceCellOut(
        criterion=column.ranked.criterion,
        availability=column.availability[framework.slug],
        words=column.availability[framework.slug].words,
        estimate=metric_summary(metric, estimate) if estimate else None,
        rank=entry.rank if entry else None,
        to_best=ratio_out(entry.to_best, find_words(metric)) if entry and entry.to_best else None,
        verdicts=[
            verdict_out(Verdict(own["verdict"]), own["detail"], own["trials"])
            for own in (result.summary.verdicts if result else ())
        ],
        cell_id=result.summary.cell_id if result else None,
        permalink=run_page(result.run.slug) if result else None,
        at=result.summary.at if result else None,
    )
