"""The table of a session and its last line, a JSON object."""

import json
import statistics
from collections import Counter
from collections.abc import Sequence

from backend.core.documents import JsonObject
from worker.chaos.plan import Fault
from worker.chaos.session import FaultResult

_WIDTHS = "{:>3} {:8} {:38} {:11} {:14} {:28} {:>8} {:>9} {:>5} {:>6}"


def show_plan(plan: Sequence[Fault]) -> None:
    """Print the plan. A seed always gives the same plan."""
    print("Plan")
    for fault in plan:
        delay = f"{fault.delay_s:.2f} s into " if fault.delay_s else ""
        hold = f", for {fault.hold_s:.1f} s" if fault.hold_s else ""
        print(
            f"{fault.number:3} {fault.runtime:8} {fault.kind.name}, {delay}{fault.stage}{hold}; "
            f"{fault.trials} × {fault.load}"
        )
    print(flush=True)


def show_head() -> None:
    """Print the table's head."""
    print(
        _WIDTHS.format(
            *("#", "runtime", "fault", "stage", "load", "outcomes", "attempts", "recovery"),
            *("lines", "s"),
        ),
        flush=True,
    )


def show_result(result: FaultResult) -> None:
    """Print the row of a fault, its notes, and each violation on a separate line."""
    fault = result.fault
    recovery = "" if result.recovery_s is None else f"{result.recovery_s:.1f} s"
    print(
        _WIDTHS.format(
            *(fault.number, fault.runtime, fault.kind.name, result.stage or "-", fault.load),
            ", ".join(result.outcomes),
            ", ".join(map(str, result.attempts)),
            *(recovery, result.log_lines, f"{result.seconds:.0f}"),
        )
    )
    for note in result.notes:
        print(f"      {note}")
    for violation in result.violations:
        print(f"      VIOLATION {violation}")
    print(end="", flush=True)


def summarise(seed: int, results: Sequence[FaultResult], problems: Sequence[str]) -> JsonObject:
    """Return the JSON object; `problems` are those of whole installations."""
    outcomes = Counter(str(outcome) for result in results for outcome in result.outcomes)
    violations = sum(len(result.violations) for result in results) + len(problems)
    times: dict[str, list[float]] = {}
    for result in results:
        if result.recovery_s is not None:
            times.setdefault(result.fault.kind.target, []).append(result.recovery_s)
    return {
        "chaos": {
            "seed": seed,
            "faults": len(results),
            "trials": sum(outcomes.values()),
            "outcomes": dict(outcomes),
            "recovery_seconds": {
                target: {"median": round(statistics.median(own), 1), "max": round(max(own), 1)}
                for target, own in sorted(times.items())
            },
            "seconds": round(sum(result.seconds for result in results)),
        },
        "violations": violations,
        "met": violations == 0,
    }


def show_summary(summary: JsonObject) -> None:
    """Print recovery times, and the JSON object as the last line."""
    print("\nRecovery, seconds             median     max")
    for target, times in summary["chaos"]["recovery_seconds"].items():
        print(f"{target:28}{times['median']:8.1f}{times['max']:8.1f}")
    print(json.dumps(summary))
