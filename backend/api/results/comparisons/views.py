"""Comparisons as the API shows them."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from uuid import UUID

from backend.api.measurement.trials.schemas import StepOut
from backend.api.measurement.trials.views import percentiles_out
from backend.api.results.comparisons.schemas import (
    CellChartsOut,
    ComparedResult,
    ComparisonCharts,
    ComparisonOut,
    DifferenceOut,
    ListedResult,
    MetricRatioOut,
    PairOut,
    SeriesOut,
    SpreadOut,
)
from backend.api.views import colours_of, framework_ref, metric_summary, scenario_ref, verdict_out
from backend.core.measurement.statistics.estimate import Estimate
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.results.cell_charts import Band, CellCharts
from backend.core.results.cell_result import CellResult
from backend.core.results.ranking.comparison_of_results import compare_with_baseline
from backend.core.results.ranking.comparison_text import (
    describe_pair,
    explain_pair,
    format_comparison,
)
from backend.core.results.ranking.pairs import ComparedEntry, Pair, Ratio
from backend.core.results.repository import CellRow
from backend.core.units import METRICS, Metric, ProfileKind, Verdict, find_main_metric


def comparison_out(results: Sequence[CellResult], baseline_id: UUID) -> ComparisonOut:
    """Return results and each against the baseline, which is one of them."""
    comparison = compare_with_baseline(results, baseline_id)
    entries = {entry.result.summary.cell_id: entry for entry in comparison.entries}
    in_order = [entries[result.summary.cell_id] for result in results]
    colours = colours_of(result.framework for result in results)
    return ComparisonOut(
        statistics_version=STATISTICS_VERSION,
        baseline=baseline_id,
        metric=comparison.metric,
        sentences={metric: list(found) for metric, found in comparison.sentences.items()},
        cells=[_compared(entry, colours) for entry in in_order],
        pairs=[
            _pair_out(entry.result.summary.cell_id, entry.pair) for entry in in_order if entry.pair
        ],
    )


def result_fields(
    row: CellRow | CellResult, colours: Mapping[int, int] = MappingProxyType({})
) -> dict[str, object]:
    """Return the fields that every view of a result shows, without its values.

    Args:
        colours: of frameworks that are shown together, by their stored colours.
    """
    copied = (
        "cell_id",
        "run_id",
        "at",
        "runtime",
        "framework_digest",
        "scenario_digest",
        "host_digest",
        "harness_digest",
        "image_digest",
        "profile",
        "kind",
        "parameters",
        "trials_succeeded",
        "trials_failed",
        "excluded",
    )
    return {name: getattr(row.summary, name) for name in copied} | {
        "run_slug": row.run.slug,
        "run_title": row.run.title,
        "host": row.host,
        "framework": framework_ref(row.framework, colours),
        "scenario": scenario_ref(row.scenario),
        "verdicts": [
            verdict_out(Verdict(verdict["verdict"]), verdict["detail"], verdict["trials"])
            for verdict in row.summary.verdicts
        ],
    }


def listed_result(row: CellRow, estimates: Mapping[Metric, Estimate]) -> ListedResult:
    """Return a result as in a list, with its value by its main metric.

    Args:
        estimates: of its main metrics.
    """
    metric = find_main_metric(ProfileKind(row.summary.kind), estimates)
    found = estimates.get(metric)
    return ListedResult.model_validate(
        result_fields(row)
        | {
            "metric": metric if found else None,
            "metric_title": METRICS[metric].title if found else None,
            "value": metric_summary(metric, found) if found else None,
        }
    )


def _compared(entry: ComparedEntry, colours: Mapping[int, int]) -> ComparedResult:
    result = entry.result
    return ComparedResult.model_validate(
        result_fields(result, colours)
        | {
            "label": entry.label,
            "summary": {
                metric: metric_summary(metric, found) for metric, found in result.estimates.items()
            },
            "values": result.values,
            "environment": result.environment,
        }
    )


def _pair_out(cell_id: UUID, pair: Pair) -> PairOut:
    return PairOut(
        cell_id=cell_id,
        comparability=pair.comparability,
        differences=[
            DifferenceOut(
                subject=difference.subject, baseline=difference.one, other=difference.other
            )
            for difference in pair.differences
        ],
        ratios={metric: ratio_out(ratio) for metric, ratio in pair.ratios.items()},
    )


def ratio_out(ratio: Ratio) -> MetricRatioOut:
    """Return a ratio with what is known about the pair."""
    found = ratio.comparison
    return MetricRatioOut(
        ratio=found.ratio,
        difference=found.difference,
        low=found.low,
        high=found.high,
        state=found.state,
        is_better=found.is_better,
        text=format_comparison(found),
        words=describe_pair(ratio, is_share=found.ratio is None),
        explanation=explain_pair(ratio),
        trials_needed=found.trials_needed,
        method=ratio.method,
        n=ratio.n,
    )


def charts_out(cells: Sequence[CellCharts]) -> ComparisonCharts:
    """Return the data of the charts of each cell."""
    return ComparisonCharts(cells=[_cell_charts(cell) for cell in cells])


def _cell_charts(cell: CellCharts) -> CellChartsOut:
    return CellChartsOut(
        cell_id=cell.cell_id,
        requests=cell.latency.count,
        percentiles=percentiles_out(cell.latency),
        histogram=b64encode(cell.encoded_latency).decode(),
        series=SeriesOut.model_validate(
            {"seconds": cell.seconds} | {name: _spread(band) for name, band in cell.bands.items()}
        ),
        steps=[StepOut.model_validate(asdict(step)) for step in cell.steps],
    )


def _spread(band: Band) -> SpreadOut:
    return SpreadOut(low=[*band.low], middle=[*band.middle], high=[*band.high])
