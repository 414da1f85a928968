"""Comparisons as the API shows them."""

from base64 import b64encode
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TypeVar
from uuid import UUID

from backend.api.measurement.trials.schemas import StepOut
from backend.api.measurement.trials.views import percentiles_out
from backend.api.results.comparisons.schemas import (
    CellChartsOut,
    ComparedResult,
    ComparisonCharts,
    ComparisonOut,
    ListedResult,
    MetricRatioOut,
    PairOut,
    ResultItem,
    SeriesOut,
    SpreadOut,
)
from backend.api.views import metric_summary, summaries_of, verdict_out
from backend.core.measurement.statistics.estimate import Estimate
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.results.cell_charts import NO_BAND, CellCharts
from backend.core.results.cell_result import CellResult
from backend.core.results.ranking.comparison_of_results import compare_with_baseline
from backend.core.results.ranking.comparison_text import (
    describe_pair,
    explain_pair,
    format_comparison,
)
from backend.core.results.ranking.metric_words import MetricWords, find_words
from backend.core.results.ranking.pairs import ComparedEntry, Pair, Ratio
from backend.core.results.repository import CellRow
from backend.core.units import METRICS, Metric, ProfileKind, Verdict, find_main_metric

# The figures of a series, by its fields.
_FIGURES = {
    "throughput_rps": "throughput_rps",
    "latency_p99_ms": "latency_p99_ms",
    "cpu_cores": "cpu_service_seconds",
    "memory_bytes": "memory_bytes",
}
Item = TypeVar("Item", bound=ResultItem)


def comparison_out(results: Sequence[CellResult], baseline_id: UUID) -> ComparisonOut:
    """Return results and each against the baseline, which is one of them."""
    comparison = compare_with_baseline(results, baseline_id)
    entries = {entry.result.summary.cell_id: entry for entry in comparison.entries}
    in_order = [entries[result.summary.cell_id] for result in results]
    return ComparisonOut(
        statistics_version=STATISTICS_VERSION,
        baseline=baseline_id,
        metric=comparison.metric,
        sentences={metric: list(found) for metric, found in comparison.sentences.items()},
        cells=[_compared(entry) for entry in in_order],
        pairs=[
            _pair_out(entry.result.summary.cell_id, entry.pair) for entry in in_order if entry.pair
        ],
    )


def result_out(schema: type[Item], row: CellRow | CellResult, **values: object) -> Item:
    """Return a result.

    Args:
        values: of the fields that the schema has in addition to those of `ResultItem`.
    """
    return schema.of(
        row.summary,
        run_slug=row.run.slug,
        run_title=row.run.title,
        host=row.host,
        framework=row.framework,
        scenario=row.scenario,
        verdicts=[
            verdict_out(Verdict(verdict["verdict"]), verdict["detail"], verdict["trials"])
            for verdict in row.summary.verdicts
        ],
        **values,
    )


def listed_result(row: CellRow, estimates: Mapping[Metric, Estimate]) -> ListedResult:
    """Return a result as in a list, with its value by its main metric.

    Args:
        estimates: of its main metrics.
    """
    metric = find_main_metric(ProfileKind(row.summary.kind), estimates)
    found = estimates.get(metric)
    return result_out(
        ListedResult,
        row,
        metric=metric if found else None,
        metric_title=METRICS[metric].title if found else None,
        value=metric_summary(metric, found) if found else None,
    )


def _compared(entry: ComparedEntry) -> ComparedResult:
    result = entry.result
    return result_out(
        ComparedResult,
        result,
        label=entry.label,
        summary=summaries_of(result.estimates),
        values=result.values,
        environment=result.environment,
    )


def _pair_out(cell_id: UUID, pair: Pair) -> PairOut:
    ratios = {metric: ratio_out(ratio, find_words(metric)) for metric, ratio in pair.ratios.items()}
    return PairOut.of(pair, cell_id=cell_id, ratios=ratios)


def ratio_out(ratio: Ratio, words: MetricWords) -> MetricRatioOut:
    """Return a ratio with what is known about the pair."""
    found = ratio.comparison
    return MetricRatioOut.of(
        found,
        text=format_comparison(found),
        words=describe_pair(ratio, is_share=found.ratio is None),
        explanation=explain_pair(ratio, words),
        method=ratio.method,
        n=ratio.n,
    )


def charts_out(cells: Sequence[CellCharts]) -> ComparisonCharts:
    """Return the data of the charts of each cell."""
    return ComparisonCharts(cells=[_cell_charts(cell) for cell in cells])


def _cell_charts(cell: CellCharts) -> CellChartsOut:
    begin = bisect_left(cell.seconds, 0)
    spreads = {
        field: SpreadOut(low=band.low[begin:], middle=band.middle[begin:], high=band.high[begin:])
        for field, figure in _FIGURES.items()
        for band in (cell.bands.get(figure, NO_BAND),)
    }
    return CellChartsOut(
        cell_id=cell.cell_id,
        requests=cell.latency.count,
        percentiles=percentiles_out(cell.latency),
        histogram=b64encode(cell.encoded_latency).decode(),
        series=SeriesOut(seconds=cell.seconds[begin:], **spreads),
        steps=[StepOut.of(step) for step in cell.steps],
    )
