"""The table of a session and its last line, a JSON object."""

import statistics
from collections import Counter
from collections.abc import Sequence

import numpy as np

from backend.core.documents import JsonObject
from tools.chaos.invariants import LONGEST_RECOVERY_S
from tools.chaos.plan import Fault
from tools.chaos.session import FaultResult

_WIDTHS = "{:>3} {:8} {:38} {:11} {:14} {:28} {:>8} {:>9} {:>6}"


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
            *("#", "runtime", "fault", "stage", "load", "outcomes", "attempts", "recovery", "s"),
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
            *(recovery, f"{result.seconds:.0f}"),
        )
    )
    for note in result.notes:
        print(f"      {note}")
    for violation in result.violations:
        print(f"      VIOLATION {violation}")
    print(end="", flush=True)


def show_recovery(results: Sequence[FaultResult]) -> None:
    """Print the recovery times of each target."""
    times: dict[str, list[float]] = {}
    for result in results:
        if result.recovery_s is not None:
            times.setdefault(result.fault.kind.target, []).append(result.recovery_s)
    print("\nRecovery, seconds             median     max")
    for target, own in sorted(times.items()):
        print(f"{target:28}{statistics.median(own):8.1f}{max(own):8.1f}")


def summarise(
    seed: int,
    results: Sequence[FaultResult],
    problems: Sequence[str],
    left_out: Sequence[str],
) -> JsonObject:
    """Return the JSON object.

    Args:
        problems: those of whole installations.
        left_out: what this machine could not do. The goals are not met without it.
    """
    violations = sum(len(result.violations) for result in results) + len(problems)
    times = [result.recovery_s for result in results if result.recovery_s is not None]
    outcomes = Counter(str(outcome) for result in results for outcome in result.outcomes)
    return {
        "bench": "chaos",
        "seed": seed,
        "faults": len(results),
        "kinds": len({result.fault.kind for result in results}),
        "runtimes": dict(Counter(str(result.fault.runtime) for result in results)),
        "left_out": list(left_out),
        "outcomes": dict(outcomes),
        "seconds": round(sum(result.seconds for result in results)),
        "violations": violations,
        "recovery_p50_s": _find_percentile(times, 50),
        "recovery_p95_s": _find_percentile(times, 95),
        "goals": {"violations": 0, "recovery_s": LONGEST_RECOVERY_S},
        "met": violations == 0 and not left_out,
    }


def _find_percentile(times: Sequence[float], percent: float) -> float | None:
    return round(float(np.percentile(times, percent)), 1) if times else None
