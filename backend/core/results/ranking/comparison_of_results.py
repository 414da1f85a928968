"""Compare results of any runs with a baseline, label and describe them; pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from backend.core.results.cell_result import CellResult
from backend.core.results.loads import list_load_parts
from backend.core.results.ranking.comparison_sentences import describe_comparison
from backend.core.results.ranking.pairs import ComparedEntry, compare_results
from backend.core.units import Metric, find_common_metric

# In these traits, results of one framework may differ. A trait may have several parts.
_TRAITS: Sequence[Callable[[CellResult], Sequence[str]]] = (
    lambda result: [result.scenario.name],
    lambda result: list_load_parts(result.kind, result.summary.parameters),
    lambda result: [result.host],
    lambda result: [result.summary.runtime],
)
# The traits of a run, which follow one by one until all labels differ.
_RUN_TRAITS: Sequence[Callable[[CellResult], str]] = (
    lambda result: result.run.title,
    lambda result: f"{result.summary.at:%-d %b %Y, %H:%M} UTC",
    lambda result: result.run.slug,
)


@dataclass(frozen=True)
class ResultComparison:
    """Results compared with a baseline.

    Attributes:
        metric: the main metric, which most of the results have.
        entries: the baseline first, then the others in their order.
        sentences: the comparison in sentences, by metric.
    """

    metric: Metric
    entries: Sequence[ComparedEntry]
    sentences: Mapping[Metric, Sequence[str]]


def compare_with_baseline(results: Sequence[CellResult], baseline_id: UUID) -> ResultComparison:
    """Return each result compared with the baseline, which is one of them."""
    labels = label_results(results)
    (baseline,) = [result for result in results if result.summary.cell_id == baseline_id]
    entries = [
        ComparedEntry(
            result=result,
            label=label,
            pair=None if result is baseline else compare_results(result, baseline),
        )
        for result, label in zip(results, labels, strict=True)
    ]
    entries.sort(key=lambda entry: entry.pair is not None)
    return ResultComparison(
        metric=find_common_metric([result.estimates for result in results]),
        entries=entries,
        sentences={metric: describe_comparison(entries, metric) for metric in Metric},
    )


def label_results(results: Sequence[CellResult]) -> list[str]:
    """Return a label for each result: the framework, and the traits that distinguish its results.

    If the load and the host do not distinguish them, the title, time or slug of the run does.
    """
    return [_label(result, results) for result in results]


def _label(result: CellResult, results: Sequence[CellResult]) -> str:
    slug = result.framework.slug
    twins = [other for other in results if other.framework.slug == slug]
    if len(twins) == 1:
        return result.framework.name
    differing = [trait for trait in _TRAITS if any(trait(twin) != trait(result) for twin in twins)]
    parts = [
        part
        for trait in differing
        for part in trait(result)
        if any(part not in trait(twin) for twin in twins)
    ]
    same = [twin for twin in twins if all(trait(twin) == trait(result) for trait in differing)]
    for trait in _RUN_TRAITS:
        alike = [twin for twin in same if trait(twin) == trait(result)]
        if len(alike) < len(same):
            parts.append(trait(result))
        same = alike
    return ", ".join([result.framework.name, *parts])
