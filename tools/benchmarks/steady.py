"""Compare the value that a default profile reports with a service that has run for three minutes.

`make bench-steady` measures each service and scenario twice in one run, with the same load: as the
profile does, and with a window of 180 s after the same warm-up. Of the second, the last 60 s count.
Both values are of the main metric of the load: throughput where it measures the limit, and CPU time
per request at a given rate. The goal is that 95 % of the reported values are within 5 % of the long
load, or are flagged as not steady, and that at most one in ten is flagged. `S=` and `C=` measure
only some services and loads. A service is left out of scenarios that it does not implement. The
last line is one JSON object.

Two starts of one service differ too. So the table also shows the same comparison within the long
load: the first seconds of its window, as many as the profile measures, next to its last 60 s.

The long load has a warm-up, too: without one, a compiler that many threads starve needs more than
180 s, and the last seconds are not those of a service that is warm
(docs/methodology/load.md#warm-up).
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median

from backend.core.catalog.folders import Catalogue
from backend.core.config import ROOT
from backend.core.measurement.measurements.verdicts import UNSTEADY
from backend.core.units import Metric
from tools.benchmarks.api import Document
from tools.benchmarks.measuring import (
    count_verdicts,
    is_within,
    open_stack,
    print_result,
    resolve_runtime,
    run_cells,
    trials_of,
    values_of,
)
from tools.benchmarks.stack import Stack

_SERVICES = (
    *("spring-mvc", "quarkus-rest", "micronaut", "vertx"),
    *("node", "go-nethttp", "fastapi", "axum"),
    # They implement `universities`.
    *("nest", "micro"),
)
_LONG_SECONDS = 180
_LAST_SECONDS = 60
_TOLERANCE = 0.05
_MIN_SHARE = 0.95
_MAX_FLAGGED = 0.1


@dataclass(frozen=True)
class SteadyCase:
    """A load of a default profile. `before_seconds` is what a trial of it took at most until
    28 November 2026: its warm-up and its window.
    """

    name: str
    scenario: str
    profile: str
    metric: Metric
    before_seconds: int
    parameters: Mapping[str, int]


_CASES = (
    SteadyCase("hello", "hello", "rate-quick", Metric.CPU_US_PER_REQUEST, 18, {}),
    SteadyCase(
        "articles 50 B", "articles", "get-quick", Metric.THROUGHPUT_RPS, 8, {"size_bytes": 50}
    ),
    SteadyCase(
        "articles 100 kB", "articles", "get-quick", Metric.THROUGHPUT_RPS, 8, {"size_bytes": 100000}
    ),
    SteadyCase("slow-upstream", "slow-upstream", "rate-quick", Metric.CPU_US_PER_REQUEST, 18, {}),
    SteadyCase("universities", "universities", "rate-quick", Metric.CPU_US_PER_REQUEST, 20, {}),
)


@dataclass(frozen=True)
class SteadyRow:
    """The reported value of a service and load, and that of the long load.

    Attributes:
        ratio: reported ÷ long.
        ratio_within: the same within the long load.
        is_flagged: whether a verdict shows that the reported value was not measured in a steady
            state.
        load_seconds: mean duration of the load of a trial, with its warm-up.
    """

    service: str
    case: str
    metric: Metric
    reported: float
    long: float
    ratio: float
    ratio_within: float
    is_flagged: bool
    load_seconds: float
    before_seconds: int

    @property
    def is_close(self) -> bool:
        return abs(self.ratio - 1) <= _TOLERANCE


def main() -> None:
    """Print the table and the JSON line."""
    options = _read_options()
    runtime = resolve_runtime()
    catalogue = Catalogue(ROOT / "services")
    rows: list[SteadyRow] = []
    verdicts: dict[str, int] = {}
    with open_stack("bench-steady", runtime) as stack:
        for service in options.services:
            implemented = catalogue.frameworks[service][0].scenarios
            for case in options.cases:
                if case.scenario not in implemented:
                    continue
                row, run = _measure(stack, service, case, options.trials)
                print(_describe(row), flush=True)
                rows.append(row)
                for verdict, count in count_verdicts(run).items():
                    verdicts[verdict] = verdicts.get(verdict, 0) + count
    flagged = [row for row in rows if row.is_flagged]
    sound = [row for row in rows if row.is_flagged or row.is_close]
    took, before = fmean(row.load_seconds for row in rows), fmean(r.before_seconds for r in rows)
    print(f"\n{len(sound)} of {len(rows)} values are within {_TOLERANCE:.0%} or flagged.")
    print(f"{len(flagged)} of {len(rows)} values are flagged. Verdicts of all trials: {verdicts}")
    print(f"The load of a trial took {took:.1f} s; before, at most {before:.1f} s.")
    figures = {
        "trials": options.trials,
        "runtime": runtime,
        "verdicts": verdicts,
        "share_sound": len(sound) / len(rows),
        "share_flagged": len(flagged) / len(rows),
        "load_seconds": took,
        "load_seconds_before": before,
        "rows": [asdict(row) for row in rows],
    }
    goals = {"share_sound": _MIN_SHARE, "share_flagged": _MAX_FLAGGED}
    met = is_within(figures, goals, least=("share_sound",))
    print_result("steady", figures, goals, met=met)


def _measure(
    stack: Stack, service: str, case: SteadyCase, trials: int
) -> tuple[SteadyRow, Document]:
    """Measure a service with a load in the short and the long way."""
    load = {"framework": service, "scenario": case.scenario, "profile": case.profile}
    long = {"duration_seconds": _LONG_SECONDS}
    run = run_cells(
        stack,
        [
            {**load, "parameters": dict(case.parameters)},
            {**load, "parameters": {**case.parameters, **long}},
        ],
        trials,
    )
    reported = median(values_of(run, 0, case.metric))
    window = run["cells"][0]["parameters"]["duration_seconds"]
    short, lasting = trials_of(run, 0), trials_of(run, 1)
    warm_ups = [_read_warm_up(stack, trial) for trial in short]
    series = [_read_series(stack, trial) for trial in lasting]
    ends = [_value(seconds[-_LAST_SECONDS:], case.metric) for seconds in series]
    begins = [_value(seconds[:window], case.metric) for seconds in series]
    flags = [
        any(verdict["verdict"] in UNSTEADY for verdict in trial["verdicts"]) for trial in short
    ]
    row = SteadyRow(
        service=service,
        case=case.name,
        metric=case.metric,
        reported=reported,
        long=median(ends),
        ratio=reported / median(ends),
        ratio_within=median(begins) / median(ends),
        is_flagged=any(flags),
        load_seconds=fmean(warm_ups) + window,
        before_seconds=case.before_seconds,
    )
    return row, run


def _read_warm_up(stack: Stack, trial: Document) -> int:
    return int(stack.api.get(f"/trials/{trial['id']}")["warm_up"]["seconds"])


def _read_series(stack: Stack, trial: Document) -> list[Document]:
    """Return the measured seconds of a trial."""
    samples: list[Document] = stack.api.get(f"/trials/{trial['id']}/series")["samples"]
    return samples


def _value(seconds: Sequence[Document], metric: Metric) -> float:
    """Return the throughput or the CPU time per request of some seconds."""
    requests = sum(second["requests"] for second in seconds)
    if metric is Metric.THROUGHPUT_RPS:
        return float(requests - sum(second["failed"] for second in seconds)) / len(seconds)
    return float(sum(second["cpu_service_seconds"] for second in seconds) / requests * 1e6)


def _describe(row: SteadyRow) -> str:
    flag = "flagged" if row.is_flagged else ""
    return (
        f"{row.service:14}{row.case:18}{row.metric:20}{row.reported:>12,.5g}{row.long:>12,.5g}"
        f"{row.ratio:>8.3f}{row.ratio_within:>8.3f}{row.load_seconds:>7.1f} s  {flag}"
    )


def _read_options() -> argparse.Namespace:
    cases = {case.name: case for case in _CASES}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1, help="fresh starts of each load")
    parser.add_argument("--services", default=",".join(_SERVICES))
    parser.add_argument("--cases", default=";".join(cases), help="separated by semicolons")
    options = parser.parse_args()
    options.services = options.services.split(",")
    options.cases = [cases[name] for name in options.cases.split(";")]
    return options


if __name__ == "__main__":
    main()
