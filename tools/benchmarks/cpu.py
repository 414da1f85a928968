"""Compare the reported CPU time with the actual CPU time: `make bench-cpu`.

The reference service burns a known CPU time per request, by the clock of its thread. The table
compares the reported CPU time per request with the process's getrusage, and the increase for a
longer burn with the additional burn. All other costs, such as HTTP and the watchdog of Go's
runtime, which wakes about 50 times in the first 5 ms of any burn, are equal. The last line is one
JSON object.
"""

from dataclasses import asdict, dataclass
from statistics import median

from backend.core.units import Metric
from tools.benchmarks.api import Document
from tools.benchmarks.measuring import (
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
_RATE_RPS = 50
# Longer than the phase in which the watchdog wakes, and within one CPU.
_BURNS_US = (6000, 10_000, 14_000)
_GOAL = 0.02


@dataclass(frozen=True)
class CpuRow:
    """Medians over the trials, CPU µs per request."""

    asked_us: int
    burnt_us: float
    kernel_us: float
    reported_us: float
    to_kernel: float
    added_to_burnt: float | None


def main() -> None:
    """Print the table and the JSON line. `met` is true if all ratios are within 2 %."""
    runtime = resolve_runtime()
    with open_stack("bench-cpu", runtime) as stack:
        cells = [
            reference_cell(
                rate_rps=_RATE_RPS,
                warm_up_seconds=1,
                duration_seconds=8,
                median_us=0,
                burn_us=burn,
            )
            for burn in _BURNS_US
        ]
        run = run_cells(stack, cells, _TRIALS)
        rows = _read(stack, run)
    print(f"{_RATE_RPS} req/s, medians of {_TRIALS} trials, CPU µs per request\n")
    heads = ("burn asked", "burnt", "getrusage", "reported", "to getrusage", "added to burnt")
    print("".join(f"{head:>16}" for head in heads))
    for row in rows:
        print(
            "".join(
                f"{'–' if item is None else f'{item:.4g}':>16}" for item in asdict(row).values()
            )
        )
    verdicts = count_verdicts(run)
    print(f"\nVerdicts: {verdicts}")
    ratios = [row.to_kernel for row in rows] + [
        row.added_to_burnt for row in rows if row.added_to_burnt is not None
    ]
    worst = max(abs(ratio - 1) for ratio in ratios)
    figures = {
        "trials": _TRIALS,
        "runtime": runtime,
        "verdicts": verdicts,
        "worst": worst,
        "rows": [asdict(row) for row in rows],
    }
    print_result("cpu", figures, {"worst": _GOAL}, met=worst <= _GOAL)


def _read(stack: Stack, run: Document) -> list[CpuRow]:
    rows: list[CpuRow] = []
    for cell, asked in enumerate(_BURNS_US):
        truths = [read_truth(stack, trial, _RATE_RPS) for trial in trials_of(run, cell)]
        reported = values_of(run, cell, Metric.CPU_US_PER_REQUEST)
        burnt = median(truth.burnt_us for truth in truths)
        pairs = zip(reported, truths, strict=True)
        reported_us = median(reported)
        rows.append(
            CpuRow(
                asked_us=asked,
                burnt_us=burnt,
                kernel_us=median(truth.cpu_us for truth in truths),
                reported_us=reported_us,
                to_kernel=median(own / truth.cpu_us for own, truth in pairs),
                added_to_burnt=(reported_us - rows[0].reported_us) / (burnt - rows[0].burnt_us)
                if rows
                else None,
            )
        )
    return rows


if __name__ == "__main__":
    main()
