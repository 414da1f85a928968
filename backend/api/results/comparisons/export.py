"""Exports a snapshot as JSON, CSV or Markdown."""

import json
from enum import StrEnum
from typing import Any

from backend.api.results.comparisons.schemas import (
    ComparedResult,
    ComparisonOut,
    MetricRatioOut,
    PairOut,
    SnapshotOut,
)
from backend.core.csv_rows import write_csv_row
from backend.core.markdown import escape_markdown, write_table_row
from backend.core.numbers import format_estimate
from backend.core.results.ranking.pairs import Comparability
from backend.core.units import METRICS, Metric

_RATIO_HEAD = (
    *("ratio", "difference", "ratio_low", "ratio_high"),
    *("state", "is_better", "trials_needed", "method"),
)
_HEAD = (
    *("comparison", "run", "cell", "framework", "scenario", "host", "runtime", "profile"),
    *("parameters", "excluded", "metric", "unit", "estimate", "low", "high", "n", "comparability"),
    *_RATIO_HEAD,
)
_CSV_EXAMPLE = f"{','.join(_HEAD)}\n2c26b46b68ff…,k3v9q2mx4d,0190f3c2-…,node,hello,bench-01,…\n"
_MARKDOWN_EXAMPLE = """# Comparison

Baseline: Node.js · Hello, run `k3v9q2mx4d` on bench-01 (docker).

| | Node.js | Go net/http |
| --- | ---: | ---: |
| CPU per request | 61.2 µs [60.1, 62.4] | 37.3 µs [36.6, 38.1]; 0.610× [0.590, 0.630], lower |
"""

EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "model": SnapshotOut,
        "content": {
            "text/csv": {"schema": {"type": "string"}, "example": _CSV_EXAMPLE},
            "text/markdown": {"schema": {"type": "string"}, "example": _MARKDOWN_EXAMPLE},
        },
    }
}


class SnapshotSuffix(StrEnum):
    JSON = "json"
    CSV = "csv"
    MD = "md"


def render(digest: str, document: str, suffix: SnapshotSuffix) -> tuple[str, str]:
    """Return the text of the export and its media type; JSON is the document that was hashed."""
    if suffix is SnapshotSuffix.JSON:
        return document, "application/json"
    comparison = SnapshotOut.model_validate_json(document).comparison
    if suffix is SnapshotSuffix.CSV:
        return _csv(digest, comparison), "text/csv"
    return _markdown(digest, comparison), "text/markdown"


def _csv(digest: str, comparison: ComparisonOut) -> str:
    """Return one row per cell and metric. The rows of the baseline have no ratio."""
    pairs = {pair.cell_id: pair for pair in comparison.pairs}
    lines = [write_csv_row(_HEAD)]
    for cell in comparison.cells:
        pair = pairs.get(cell.cell_id)
        head = [digest, cell.run_slug, cell.cell_id, cell.framework.slug, cell.scenario.slug]
        head += [cell.host, cell.runtime, cell.profile, json.dumps(cell.parameters, sort_keys=True)]
        for metric, found in cell.summary.items():
            ratio = pair.ratios.get(metric) if pair else None
            lines.append(
                write_csv_row(
                    [
                        *head,
                        str(cell.excluded).lower(),
                        Metric(metric).value,
                        found.unit,
                        found.estimate,
                        found.low,
                        found.high,
                        found.n,
                        pair.comparability if pair else "baseline",
                        *(_ratio_fields(ratio) if ratio else [None] * len(_RATIO_HEAD)),
                    ]
                )
            )
    return "".join(lines)


def _ratio_fields(ratio: MetricRatioOut) -> list[object]:
    numbers = (ratio.ratio, ratio.difference, ratio.low, ratio.high)
    return [*numbers, ratio.state, ratio.is_better, ratio.trials_needed, ratio.method]


def _markdown(digest: str, comparison: ComparisonOut) -> str:
    pairs = {pair.cell_id: pair for pair in comparison.pairs}
    (baseline,) = [item for item in comparison.cells if item.cell_id == comparison.baseline]
    ordered = [baseline, *(item for item in comparison.cells if item is not baseline)]
    lines = [
        "# Comparison",
        "",
        f"`{digest}`",
        "",
        f"Baseline: {_title(baseline)}{_exclusion(baseline)}.",
        "",
    ]
    lines += [
        f"- {_title(cell)}{_comparability(cell, pairs[cell.cell_id])}" for cell in ordered[1:]
    ]
    names = [escape_markdown(f"{item.framework.name} · {item.run_slug}") for item in ordered]
    lines += ["", write_table_row(["", *names]), "| --- |" + " ---: |" * len(ordered)]
    for metric in Metric:
        if any(metric in cell.summary for cell in ordered):
            figures = [_figure(cell, pairs.get(cell.cell_id), metric) for cell in ordered]
            lines.append(write_table_row([METRICS[metric].title, *figures]))
    lines += [
        "",
        "Estimates over trials with 95 % intervals in brackets, or the values of fewer than three "
        "trials; × is the ratio to the baseline, paired where the trials were interleaved in one "
        "run, else by Welch's t, both on logs; pp is a difference of shares in percentage points.",
        "",
    ]
    return "\n".join(lines)


def _title(cell: ComparedResult) -> str:
    load = ", ".join(f"{name} = {value}" for name, value in cell.parameters.items())
    what = f"{cell.framework.name} · {cell.scenario.name}, {cell.profile} ({load})"
    return (
        f"{escape_markdown(what)}, run `{cell.run_slug}` of {cell.at:%Y-%m-%d %H:%M} on "
        f"{escape_markdown(cell.host)} ({cell.runtime})"
    )


def _exclusion(cell: ComparedResult) -> str:
    excluding = [
        verdict.verdict.words for verdict in cell.verdicts if verdict.excludes_from_ranking
    ]
    return (
        f"; excluded ({', '.join(excluding)}), so nothing is compared with it"
        if cell.excluded
        else ""
    )


def _comparability(cell: ComparedResult, pair: PairOut) -> str:
    if pair.comparability != Comparability.INCOMPARABLE:
        return f"{_exclusion(cell)}."
    named = "; ".join(
        f"{item.subject} ({item.baseline} or {item.other})" for item in pair.differences
    )
    return f"; **not comparable**: {escape_markdown(named)}."


def _figure(cell: ComparedResult, pair: PairOut | None, metric: Metric) -> str:
    found = cell.summary.get(metric)
    if found is None:
        return "–"
    figures = (found.estimate, found.low, found.high, found.unit, found.values)
    text = format_estimate(*figures, is_bound=found.is_bound)
    ratio = pair.ratios.get(metric) if pair else None
    if pair is None or ratio is None:
        return text
    shown = f"{text}; {ratio.text}"
    explained = f". {ratio.explanation}" if ratio.explanation else ""
    return f"{shown}, {ratio.words}{explained}"
