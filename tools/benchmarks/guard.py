"""Check the verdicts of `tacho guard` on services of others: `make bench-guard`.

Each service of `examples/` is compared with itself, and with itself behind a proxy that costs each
request 10 or 7 % more CPU time, or 2 ms. Both versions are behind the proxy, are built separately,
and have equal responses. A verdict is

- a *false alarm*: equal versions, and the verdict is slower,
- *found*: a planted cost, and the verdict is slower,
- *unknown*: the minutes were not enough,
- *wrong*: equal versions that are called faster, or a planted cost that is not found.

The second table simulates guards over the noise of all comparisons of equal versions: how many are
false alarms, and how many find 5 % more CPU time per request.

Each comparison is one file in `.tacho/guard-recording`. `RESUME=1` skips the comparisons that are
there. `SERVICES=`, `TIMES=` and `MINUTES=` measure less. The last line is one JSON object.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from backend.core.config import ROOT, get_settings
from backend.core.results.guard.document import ResponseDifference
from backend.core.units import Metric, RuntimeKind
from tools.benchmarks.guard_records import (
    ComparisonKind,
    GuardRecord,
    Outcome,
    count_outcomes,
    find_cpu_us,
    find_noise,
    name_record,
)
from tools.benchmarks.guard_simulation import (
    Noise,
    SimulatedGuard,
    SimulatedVerdict,
    find_deviations,
    find_shapes,
    find_share,
)
from tools.benchmarks.guarded_examples import (
    PlantedCost,
    build_proxy,
    plan_pairs,
    read_example,
    write_repository,
)
from tools.benchmarks.measuring import is_within, print_result
from tools.benchmarks.observed_guard import read_pairs
from tools.benchmarks.programs import get_go

_SERVICES = ("go-httpbin", "json-server", "verdaccio", "datasette", "httpbin", "wiremock")
_TIMES = 3
_MINUTES = 15
# Of the CPU time per request behind the proxy, as measured in the first comparison with itself.
_SHARES = (0.10, None, 0.07)
_SLEEP_US = 2000
_SIMULATIONS = 500
_SIMULATED_EFFECT = {Metric.CPU_US_PER_REQUEST: 1.05}
_ERROR_CHARACTERS = 2000
_GOALS = {
    "false_alarms": 0,
    "wrong": 0,
    "failed": 0,
    "share_found": 0.9,
    "share_unknown": 0.1,
    "simulated_false_alarms": 0.01,
    "simulated_found": 0.95,
}
_LEAST = ("share_found", "simulated_found")


def main() -> int:
    """Print the tables and the JSON line. The exit code is 1 if a goal is missed."""
    options = _read_options()
    options.folder.mkdir(parents=True, exist_ok=True)
    print(f"{'service':14}{'head':>20}  {'verdict':15}{'outcome':13}{'pairs':>6}{'min':>6}")
    with tempfile.TemporaryDirectory(prefix="tacho-guards-") as scratch:
        proxy = build_proxy(get_go(), Path(scratch))
        records = [
            _find_or_measure(options, Path(scratch), proxy, service, kind, number)
            for number in range(1, options.times + 1)
            for service in options.services
            for kind in ComparisonKind
        ]
    simulated = _simulate(records, options)
    figures = {
        "times": options.times,
        "minutes": options.minutes,
        **count_outcomes(records),
        "minutes_per_guard": round(fmean(record.minutes for record in records), 1),
        **summarize(simulated),
        "services": simulated,
    }
    met = is_within(figures, _GOALS, _LEAST)
    print_result("guard", figures, _GOALS, met=met)
    return 0 if met else 1


def choose_cost(kind: ComparisonKind, number: int, cpu_us: float) -> PlantedCost:
    """Return the cost of a comparison.

    Args:
        number: from 1. The costs take turns.
        cpu_us: CPU time per request of the service behind the proxy.
    """
    if kind is ComparisonKind.SAME:
        return PlantedCost()
    share = _SHARES[(number - 1) % len(_SHARES)]
    return PlantedCost(sleep_us=_SLEEP_US) if share is None else PlantedCost(round(share * cpu_us))


def summarize(simulated: Mapping[str, Mapping[str, Any]]) -> dict[str, float | None]:
    """Return the means of the simulated shares of all services."""
    rows = list(simulated.values())
    return {
        name: round(fmean(row[name] for row in rows), 4) if rows else None
        for name in ("simulated_false_alarms", "simulated_found", "simulated_unknown")
    }


def _find_or_measure(
    options: argparse.Namespace,
    scratch: Path,
    proxy: Path,
    service: str,
    kind: ComparisonKind,
    number: int,
) -> GuardRecord:
    """Return a recorded comparison, or measure and record it. A failed comparison is repeated."""
    path = options.folder / name_record(service, kind, number)
    record = GuardRecord.read(path) if path.exists() else None
    if record is None or record.outcome is Outcome.FAILED:
        record = _measure(options, scratch, proxy, service, kind, number)
        record.write(options.folder)
    elif record.most_minutes != options.minutes:
        raise SystemExit(
            f"{path} was recorded with MINUTES={record.most_minutes}. Use the same, or delete it."
        )
    _show(record)
    return record


def _measure(
    options: argparse.Namespace,
    scratch: Path,
    proxy: Path,
    service: str,
    kind: ComparisonKind,
    number: int,
) -> GuardRecord:
    first = options.folder / name_record(service, ComparisonKind.SAME, 1)
    cpu_us = find_cpu_us(GuardRecord.read(first)) if first.exists() else None
    cost = choose_cost(kind, number, cpu_us or 0.0)
    if kind is ComparisonKind.PLANTED and cost == PlantedCost():
        reason = f"{first.name} has no pair, so the CPU time per request is not known."
        return GuardRecord(service, kind, number, cost, options.minutes, 0.0, None, reason)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        repository, values = Path(folder) / "repository", Path(folder) / "pairs.jsonl"
        write_repository(repository, service, proxy, cost)
        command = [
            *(sys.executable, "-m", "tools.benchmarks.observed_guard", str(values)),
            *("--base", "HEAD~1", "--head", "HEAD", "--folder", str(repository)),
            *("--minutes", str(options.minutes), "--runtime", RuntimeKind.PROCESS, "--json"),
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        pairs = read_pairs(values)
    document = json.loads(done.stdout) if done.stdout.startswith("{") else None
    return GuardRecord(
        service,
        kind,
        number,
        cost,
        options.minutes,
        round(time.monotonic() - started, 1),
        document,
        "" if document else done.stderr[-_ERROR_CHARACTERS:],
        pairs,
    )


def _show(record: GuardRecord) -> None:
    head = "the same" if record.kind is ComparisonKind.SAME else record.cost.describe()
    print(
        f"{record.service:14}{head:>20}  {record.verdict:15}{record.outcome:13}"
        f"{len(record.pairs):>6}{record.minutes:>6.1f}",
        flush=True,
    )
    if record.outcome is Outcome.FAILED:
        differences = [
            ResponseDifference.model_validate(difference).describe()
            for load in (record.document or {}).get("loads", ())
            for difference in load["responses"]["differences"]
        ]
        print("\n".join(differences) or record.error, file=sys.stderr, flush=True)


def _simulate(
    records: Sequence[GuardRecord], options: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    """Print how much each service varies and what its simulated guards find; return both."""
    noises = {service: find_noise(records, service) for service in options.services}
    shapes = find_shapes(list(noises.values()))
    rows: dict[str, dict[str, Any]] = {}
    print(
        f"\n{'service':14}{'pairs':>6}  {'false':>6}{'+5 %':>6}{'unknown':>8}  deviations of a pair"
    )
    for service, noise in noises.items():
        guard = _make_guard(service, find_deviations(noise), shapes, records)
        if guard is None:
            continue
        own = {metric: round(guard.deviations[metric], 4) for metric in guard.limits}
        slower, unknown = SimulatedVerdict.SLOWER, SimulatedVerdict.UNKNOWN
        row = {
            "pairs": max(map(len, noise.values())),
            "simulated_pairs": guard.most_pairs,
            "simulated_false_alarms": find_share(guard, {}, slower, _SIMULATIONS, 1),
            "simulated_found": find_share(guard, _SIMULATED_EFFECT, slower, _SIMULATIONS, 2),
            "simulated_unknown": find_share(guard, {}, unknown, _SIMULATIONS, 1),
            "deviations": own,
        }
        rows[service] = row
        shown = ", ".join(f"{metric} {deviation:.1%}" for metric, deviation in own.items())
        print(
            f"{service:14}{row['pairs']:>6}  {row['simulated_false_alarms']:>6.1%}"
            f"{row['simulated_found']:>6.0%}{row['simulated_unknown']:>8.0%}  {shown}",
            flush=True,
        )
    return rows


def _make_guard(
    service: str,
    deviations: Mapping[Metric, float],
    shapes: Noise,
    records: Sequence[GuardRecord],
) -> SimulatedGuard | None:
    """Return the simulated guard of a service; None if too little of it was measured."""
    own = [record for record in records if record.service == service and record.minutes]
    limits = {
        Metric(metric): limit
        for load in read_example(service).loads.values()
        for metric, limit in load.limits.items()
    }
    if not own or not limits.keys() <= deviations.keys():
        return None
    minutes = sum(record.minutes for record in own) / sum(len(record.pairs) for record in own)
    planned = plan_pairs(service, own[0].most_minutes)
    most_pairs = min(planned, int(own[0].most_minutes / minutes))
    return SimulatedGuard(limits, deviations, shapes, planned, most_pairs)


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", default=" ".join(_SERVICES), help="names in examples/")
    parser.add_argument("--times", type=int, default=_TIMES, help="comparisons of each kind")
    parser.add_argument("--minutes", type=int, default=_MINUTES, help="limit of each comparison")
    parser.add_argument("--resume", action="store_true", help="keep what was measured before")
    options = parser.parse_args()
    options.services = options.services.split()
    options.folder = get_settings().data / "guard-recording"
    if options.folder.exists() and not options.resume:
        parser.error(f"{options.folder} has a recording; pass --resume, or delete the folder")
    return options


if __name__ == "__main__":
    sys.exit(main())
