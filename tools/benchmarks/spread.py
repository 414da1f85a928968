"""Measure the variation between equal trials: `make bench-spread`.

It runs `hello` on `node`, 20 trials at full throughput and 20 at a rate, interleaved. The
coefficient of variation shows which metrics are trustworthy. The last line is one JSON object.
"""

from statistics import fmean, median, stdev

from backend.core.units import Metric
from tools.benchmarks.measuring import (
    count_verdicts,
    open_stack,
    print_result,
    read_options,
    run_cells,
    values_of,
)

_TRIALS = 20
_SPAN = {"warm_up_seconds": 3, "duration_seconds": 5}
_CELLS = [
    {"framework": "node", "scenario": "hello", "profile": profile, "parameters": _SPAN | load}
    for profile, load in (("saturate-quick", {}), ("rate-quick", {"rate_rps": 1000}))
]
_SATURATE, _RATE = range(2)
_SHOWN = (
    (_SATURATE, Metric.THROUGHPUT_RPS),
    (_SATURATE, Metric.CPU_US_PER_REQUEST),
    (_SATURATE, Metric.LATENCY_P99_MS),
    (_RATE, Metric.CPU_US_PER_REQUEST),
    (_RATE, Metric.LATENCY_P50_MS),
    (_RATE, Metric.LATENCY_P99_MS),
)


def main() -> None:
    """Print the table and the JSON line. There is no goal."""
    options = read_options(__doc__, _TRIALS)
    trials = options.trials
    with open_stack("bench-spread", options.runtime) as stack:
        run = run_cells(stack, _CELLS, trials)
    print(f"hello on node, {trials} trials each\n")
    print(f"{'':42}{'median':>12}{'least':>12}{'most':>12}{'CoV':>9}")
    variations = {}
    for cell, metric in _SHOWN:
        values = values_of(run, cell, metric)
        name = f"{run['cells'][cell]['kind']} {metric}"
        variations[name] = stdev(values) / fmean(values)
        shown = "".join(f"{item:>12,.4g}" for item in (median(values), min(values), max(values)))
        print(f"{name:42}{shown}{variations[name]:>9.1%}")
    verdicts = count_verdicts(run)
    print(f"\nVerdicts: {verdicts}")
    figures = {
        "trials": trials,
        "runtime": options.runtime,
        "verdicts": verdicts,
        "variation": variations,
    }
    print_result("spread", figures, {}, met=True)


if __name__ == "__main__":
    main()
