"""The results of `make bench-remote`, and comparisons of its trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from backend.core.results.calibration.truth import is_true
from tools.benchmarks.load_hosts import QUANTILES, RemoteTrial

REQUESTS_SHARE = 0.01
CPU_SHARE = 0.1
_SHOWN = (0.01, 0.1, 0.5, 0.9, 0.99, 0.999)


@dataclass(frozen=True)
class RemoteFinding:
    """The result of one of the checks: lines to print, and figures for the JSON line."""

    title: str
    lines: Sequence[str]
    figures: Mapping[str, Any]
    is_met: bool


def compare_trials(
    title: str, first: tuple[str, list[RemoteTrial]], second: tuple[str, list[RemoteTrial]]
) -> RemoteFinding:
    """Compare the medians of latencies, requests and CPU time of two groups of trials."""
    expected, found = (merge_latencies(trials) for _, trials in (first, second))
    columns = {first[0]: expected, second[0]: found}
    differing = [
        quantile
        for quantile, own, other in zip(QUANTILES, found, expected, strict=True)
        if not is_true(own, other)
    ]
    requests = [median(trial.requests for trial in trials) for _, trials in (first, second)]
    costs = [median(trial.cpu_us for trial in trials) for _, trials in (first, second)]
    spreads = [median(trial.cpu_spread for trial in trials) for _, trials in (first, second)]
    lines = [
        *tabulate(columns, _SHOWN),
        f"Percentiles that differ by more than 2 % + 0.3 ms: {len(differing)} of {len(QUANTILES)}",
        f"Requests: {requests[0]:,.0f}, {requests[1]:,.0f}",
        f"CPU time per request: {costs[0]:.1f} µs, {costs[1]:.1f} µs; seconds differ from the "
        f"median second by up to {spreads[0]:.0%}, {spreads[1]:.0%}",
    ]
    figures = {
        **{f"{name}_ms": pick(values, _SHOWN) for name, values in columns.items()},
        "differing_quantiles": differing,
        "requests": requests,
        "cpu_us": [round(cost, 2) for cost in costs],
        "cpu_spread": [round(spread, 3) for spread in spreads],
    }
    is_met = (
        not differing
        and abs(requests[1] / requests[0] - 1) <= REQUESTS_SHARE
        and abs(costs[1] / costs[0] - 1) <= CPU_SHARE
    )
    return RemoteFinding(title, lines, figures, is_met)


def merge_latencies(trials: Sequence[RemoteTrial]) -> list[float]:
    """Return the median over trials of the latency (ms) at each of the QUANTILES."""
    return [
        median(values) for values in zip(*(trial.latencies_ms for trial in trials), strict=True)
    ]


def pick(values: Sequence[float], quantiles: Sequence[float]) -> dict[str, float]:
    """Return the values at some of the QUANTILES, by name, for the JSON line."""
    return {label(quantile): round(values[QUANTILES.index(quantile)], 4) for quantile in quantiles}


def label(quantile: float) -> str:
    """Return the name of a quantile, such as `p99.9`."""
    return f"p{quantile * 100:g}"


def tabulate(columns: Mapping[str, Sequence[float]], quantiles: Sequence[float]) -> list[str]:
    """Return the lines of a table with a row for each of the quantiles."""
    rows = [
        f"{label(quantile):8}"
        + "".join(f"{values[QUANTILES.index(quantile)]:>12.4f}" for values in columns.values())
        for quantile in quantiles
    ]
    return ["".join([f"{'':8}", *(f"{head:>12}" for head in columns)]), *rows]


def show(finding: RemoteFinding) -> None:
    """Print a result."""
    goal = "goal met" if finding.is_met else "goal missed"
    print(f"\n{finding.title}: {goal}")
    for line in finding.lines:
        print(f"  {line}", flush=True)
