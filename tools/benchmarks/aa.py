"""Count false and true differences in comparisons: `make bench-aa`.

It measures eight runs. Each has five copies of one service (A/A), a copy with 5 % and a copy with
10 % more work per request (A/B), with five interleaved trials each, which are compared as Tacho
does: paired by repetition.

A/A: each copy is compared with the next, and the last with the first: 40 comparisons. Neighbouring
comparisons share a cell, so the number of false words varies more than for independent comparisons.
Its expected value, 5 %, is the same. A/B at N = 5: each copy is compared with both services that
work more; at N = 10 with two runs combined. These comparisons share cells too: their shares are
unbiased, but are based on 8 and 4 independent cells. The last line is one JSON object.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import log, sqrt
from statistics import fmean

from backend.core.measurement.statistics.comparison import PairState, compare_pairs
from backend.core.measurement.statistics.power import find_power
from backend.core.units import METRICS, Metric
from tools.benchmarks.api import Document
from tools.benchmarks.measuring import (
    count_verdicts,
    open_stack,
    print_result,
    reference_cell,
    resolve_runtime,
    run_cells,
    values_of,
)

_RUNS = 8
_COPIES = 5
_TRIALS = 5
_RATE_RPS = 100
_SPAN = {"warm_up_seconds": 1, "duration_seconds": 3}
_BURN_US = 4000
_MORE_PERCENT = (5, 10)
_HEADLINE = Metric.CPU_US_PER_REQUEST
_METRICS = (_HEADLINE, Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)
_GOALS = {"wrong_differences": 4}

# The cells of a run, each with a metric of its trials by repetition.
Cells = Sequence[Sequence[float]]


@dataclass(frozen=True)
class TrueDifferenceRate:
    """The share of true differences that were found, and the expected share."""

    more_percent: int
    n: int
    ratio: float
    comparisons: int
    share: float
    power: float


def main() -> None:
    """Print both tables and the JSON line. The goal applies to CPU time per request."""
    runtime = resolve_runtime()
    burns = [_BURN_US] * _COPIES + [_BURN_US * (100 + more) // 100 for more in _MORE_PERCENT]
    cells = [
        reference_cell(rate_rps=_RATE_RPS, median_us=0, burn_us=burn, **_SPAN) for burn in burns
    ]
    runs = []
    with open_stack("bench-aa", runtime) as stack:
        for number in range(1, _RUNS + 1):
            runs.append(run_cells(stack, cells, _TRIALS))
            print(f"run {number} of {_RUNS}", flush=True)
    states = {metric: _count_states(_read(runs, metric), metric) for metric in _METRICS}
    found = {metric: _find_more(_read(runs, metric), metric) for metric in _METRICS}
    _show_states(states)
    _show_found(found[_HEADLINE])
    verdicts = count_verdicts(*runs)
    print(f"\n{_TRIALS} trials a cell; verdicts: {verdicts}")
    wrong = states[_HEADLINE][PairState.DIFFERENCE]
    figures = {
        "trials": _TRIALS,
        "runtime": runtime,
        "verdicts": verdicts,
        "wrong_differences": wrong,
        "states": states,
        "found": {metric: [asdict(row) for row in rows] for metric, rows in found.items()},
    }
    print_result("aa", figures, _GOALS, met=wrong <= _GOALS["wrong_differences"])


def _read(runs: Sequence[Document], metric: Metric) -> list[Cells]:
    return [[values_of(run, cell, metric) for cell in range(len(run["cells"]))] for run in runs]


def _count_states(runs: Sequence[Cells], metric: Metric) -> dict[PairState, int]:
    """Return the number of comparisons of equal cells by state."""
    count = dict.fromkeys(PairState, 0)
    for cells in runs:
        for first, second in _neighbours(cells):
            count[compare_pairs(first, second, METRICS[metric].direction).state] += 1
    return count


def _neighbours(cells: Cells) -> list[tuple[Sequence[float], Sequence[float]]]:
    copies = cells[:_COPIES]
    return [*pairwise(copies), (copies[-1], copies[0])]


def _find_more(runs: Sequence[Cells], metric: Metric) -> list[TrueDifferenceRate]:
    """Return the power for both differences and both numbers of trials.

    The expected share is the power of a paired t-test with the deviation of the A/A pairs, for the
    ratio of the services' means. This ratio is smaller than that of the work, because a request has
    other costs.
    """
    deviation = _pair_deviation(runs)
    joined = [_join(first, second) for first, second in zip(runs[::2], runs[1::2], strict=True)]
    rows = []
    for index, more in enumerate(_MORE_PERCENT):
        for each in (runs, joined):
            pairs = [(cells[_COPIES + index], copy) for cells in each for copy in cells[:_COPIES]]
            direction = METRICS[metric].direction
            worse = [
                compare_pairs(first, second, direction).is_better is False
                for first, second in pairs
            ]
            n = len(pairs[0][0])
            ratio = fmean(map(fmean, (pair[0] for pair in pairs))) / fmean(
                map(fmean, (pair[1] for pair in pairs))
            )
            rows.append(
                TrueDifferenceRate(
                    more_percent=more,
                    n=n,
                    ratio=ratio,
                    comparisons=len(worse),
                    share=worse.count(True) / len(worse),
                    power=find_power(ratio, deviation / sqrt(n), n - 1),
                )
            )
    return rows


def _join(first: Cells, second: Cells) -> Cells:
    return [[*item, *other] for item, other in zip(first, second, strict=True)]


def _pair_deviation(runs: Sequence[Cells]) -> float:
    """Return the standard deviation of the log ratio of two trials of a repetition, pooled over A/A
    pairs.

    The mean is known to be 0, so no degree of freedom is lost.
    """
    differences = [
        log(a) - log(b)
        for cells in runs
        for first, second in _neighbours(cells)
        for a, b in zip(first, second, strict=True)
    ]
    return sqrt(fmean(difference**2 for difference in differences))


def _show_states(states: dict[Metric, dict[PairState, int]]) -> None:
    print(f"\nTwo copies of one service, paired, states of {_RUNS * _COPIES} comparisons\n")
    print(f"{'':24}" + "".join(f"{state.words:>26}" for state in PairState))
    for metric, count in states.items():
        print(f"{metric:24}" + "".join(f"{count[state]:>26}" for state in PairState))


def _show_found(rows: Sequence[TrueDifferenceRate]) -> None:
    print(f"\nMore work per request, by {_HEADLINE}: share found to be more\n")
    heads = ("work", "N", "ratio", "comparisons", "share found", "power")
    print("".join(f"{head:>14}" for head in heads))
    for row in rows:
        figures = (f"+{row.more_percent} %", str(row.n), f"{row.ratio:.3f}")
        shares = (str(row.comparisons), f"{row.share:.2f}", f"{row.power:.2f}")
        print("".join(f"{share:>14}" for share in (*figures, *shares)))


if __name__ == "__main__":
    main()
