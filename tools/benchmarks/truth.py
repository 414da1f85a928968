"""Compare reported latencies with known distributions: `make bench-truth`.

The reference service answers after latencies of known distributions. The table compares the
reported quantiles with those of the distribution and with those that the service really waited.
Values are medians over the trials, because a single stall of 20 ms changes the p99.9 of a trial.
Latencies are drawn stratified, with 1,000 strata in each 1,000 requests, so that the quantiles of a
sample equal those of the distribution within a rank or two. The remaining sampling error is the
difference between the two columns of true values. In the distribution `freezes` the service freezes
for 500 ms once every 10 s, and requests wait in the queues of its kernel. It does not see that
wait, so there is no value that it waited. The last line is one JSON object.
"""

from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any

from backend.core.measurement.measurements.histogram import Histogram
from backend.core.results.calibration.truth import (
    TOLERANCE_MS,
    TOLERANCE_SHARE,
    Distribution,
    is_true,
)
from backend.core.units import Metric
from tools.benchmarks.api import Document
from tools.benchmarks.measuring import (
    Truth,
    count_verdicts,
    open_stack,
    print_result,
    read_truth,
    reference_cell,
    resolve_runtime,
    run_cells,
    trials_of,
    values_of,
)
from tools.benchmarks.stack import Stack

_TRIALS = 5
_WARM_UP_SECONDS = 1
# Rate (req/s) -> measured seconds: at least 6,000 requests per trial, 30,000 over five.
_LOADS = {200: 30, 2000: 10}
# A window that begins within a block of a thousand may have one stall more or less, so it has twice
# as many requests.
_STALLS_LOADS = {200: 60, 2000: 10}
# Four freezes. At a higher rate, the service would take too long to catch up after each.
_FREEZES_LOADS = {200: 40}
_OTHER_LOADS = {"stalls": _STALLS_LOADS, "freezes": _FREEZES_LOADS}
_STALL_SHARE_TOLERANCE = 0.1
_LOGNORMAL = {"median_us": 5000, "sigma_percent": 40}
_DISTRIBUTIONS = {
    "lognormal": _LOGNORMAL,
    "bimodal": {
        "median_us": 2000,
        "sigma_percent": 20,
        "second_percent": 20,
        "second_median_us": 20000,
    },
    "stalls": _LOGNORMAL | {"stall_per_mille": 1, "stall_ms": 200},
    "freezes": _LOGNORMAL | {"freeze_ms": 500},
}
_QUANTILES = {
    0.5: Metric.LATENCY_P50_MS,
    0.9: Metric.LATENCY_P90_MS,
    0.99: Metric.LATENCY_P99_MS,
    0.999: Metric.LATENCY_P999_MS,
}


@dataclass(frozen=True)
class TruthRow:
    """A quantile (ms), or the share of stalled requests if the quantile is 0."""

    distribution: str
    rate_rps: int
    quantile: float
    true: float
    waited: float | None
    reported: float
    within: bool


def main() -> None:
    """Print the table and the JSON line. `met` is true if every row is within the bounds."""
    runtime = resolve_runtime()
    asked = [(name, rate) for name in _DISTRIBUTIONS for rate in _OTHER_LOADS.get(name, _LOADS)]
    with open_stack("bench-truth", runtime) as stack:
        run = run_cells(stack, [_cell(name, rate) for name, rate in asked], _TRIALS)
        rows = [
            row
            for index, (name, rate) in enumerate(asked)
            for row in _check(stack, run, index, name, rate)
        ]
    _show(rows)
    verdicts = count_verdicts(run)
    print(f"\n{_TRIALS} trials each; verdicts: {verdicts}")
    figures = {
        "trials": _TRIALS,
        "runtime": runtime,
        "verdicts": verdicts,
        "rows": [asdict(row) for row in rows],
    }
    goals = {
        "share": TOLERANCE_SHARE,
        "ms": TOLERANCE_MS,
        "stall_share": _STALL_SHARE_TOLERANCE,
    }
    print_result("truth", figures, goals, met=all(row.within for row in rows))


def _cell(name: str, rate_rps: int) -> dict[str, Any]:
    return reference_cell(
        rate_rps=rate_rps,
        warm_up_seconds=_WARM_UP_SECONDS,
        duration_seconds=_OTHER_LOADS.get(name, _LOADS)[rate_rps],
        **_DISTRIBUTIONS[name],
    )


def _check(stack: Stack, run: Document, cell: int, name: str, rate_rps: int) -> list[TruthRow]:
    own = Distribution.from_parameters(run["cells"][cell]["parameters"])
    truths = [read_truth(stack, trial, rate_rps) for trial in trials_of(run, cell)]
    rows = []
    for quantile, metric in _QUANTILES.items():
        if 1 - quantile < own.stall_share * 1.5:
            continue  # quantiles jump where the stalls begin, so their share is judged instead
        true = own.quantile_ms(quantile)
        waited = None if own.freeze_ms else _median_quantile_ms(truths, quantile)
        reported = median(values_of(run, cell, metric))
        within = is_true(reported, true)
        rows.append(TruthRow(name, rate_rps, quantile, true, waited, reported, within))
    if own.stall_share:
        rows.append(_check_stalls(stack, run, cell, truths, own, name, rate_rps))
    return rows


def _check_stalls(
    stack: Stack,
    run: Document,
    cell: int,
    truths: list[Truth],
    own: Distribution,
    name: str,
    rate_rps: int,
) -> TruthRow:
    """A request is slow if it takes longer than a stall; other requests are much faster."""
    slow = total = 0
    for trial in trials_of(run, cell):
        latency = stack.api.get(f"/trials/{trial['id']}/latency")
        total += latency["count"]
        slow += sum(
            bucket["count"] for bucket in latency["buckets"] if bucket["low_ms"] >= own.stall_ms
        )
    waited = [_share_above(truth.waited, own.stall_ms) for truth in truths]
    expected = total * own.stall_share
    return TruthRow(
        name,
        rate_rps,
        0.0,
        own.stall_share,
        fmean(waited),
        slow / total,
        abs(slow - expected) <= _STALL_SHARE_TOLERANCE * expected,
    )


def _share_above(latency: Histogram, limit_ms: float) -> float:
    slow = sum(count for low, _, count in latency.buckets() if low / 1e6 >= limit_ms)
    return slow / latency.count


def _median_quantile_ms(truths: list[Truth], quantile: float) -> float:
    return median(truth.waited.percentile(quantile) / 1e6 for truth in truths)


def _show(rows: list[TruthRow]) -> None:
    heads = ("true", "waited", "reported", "ratio")
    print(f"{'':12}{'req/s':>7}{'':>8}" + "".join(f"{head:>12}" for head in heads))
    for row in rows:
        what = f"p{row.quantile * 100:g}" if row.quantile else "stalls"
        figures = (row.true, row.waited, row.reported, row.reported / row.true)
        told = "".join(" " * 12 if value is None else f"{value:>12.5f}" for value in figures)
        mark = "" if row.within else "  beyond"
        print(f"{row.distribution:12}{row.rate_rps:>7,}{what:>8}{told}{mark}")


if __name__ == "__main__":
    main()
