"""What load generators reach with one CPU: `make bench-loadgen`, on this machine.

Each sends the same load, from one CPU, to a server on another that does nothing; in turn, several
rounds. Ratios are medians over the rounds, each within one round; what our output costs is found
in more pairs, with its interval. The last line is one JSON object.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from backend.core.config import ROOT, get_settings
from backend.core.statistics.estimate import Estimate, estimate
from backend.core.units import Aggregation
from backend.platform.tools import get_tool, module_go
from worker.benchmarks.generators import (
    HEARD,
    SILENT,
    GeneratorLoad,
    GeneratorRow,
    Reading,
    get_versions,
    list_generators,
)
from worker.benchmarks.measuring import print_result
from worker.benchmarks.needs import require_oha, require_wrk
from worker.loadgen.build import SOURCE, ensure_k6

_ROUNDS = 5
_OUTPUT_PAIRS = 48  # what our output costs is small beside the spread of single loads
_OUTPUT_SECONDS = 2
_SECONDS = 3
_RATE_SECONDS = 10  # the first of which is k6's own start: its tail, not the loop's
_SATURATE_CONNECTIONS = 100
_RATE_RPS = 5000
_RATE_CONNECTIONS = 50
_SERVER_SOURCE = ROOT / "services/reference/null-server"
_GOALS = {
    "output_cost": 0.05,
    "loop_to_wrk": 0.8,
    "loop_p99_ms": 1.0,
    "loop_p99_to_oha": 2.0,
    "loop_dropped": 0,
}


@dataclass(frozen=True)
class LoadMeasurement:
    """One load: requests as the server counted them, CPU time of the generator's process."""

    requests: int
    cpu_seconds: float
    reading: Reading

    @property
    def rps(self) -> float:
        return self.requests / _SECONDS

    @property
    def cpu_us(self) -> float:
        """CPU time a request (µs), the generator's own start included."""
        return self.cpu_seconds * 1e6 / self.requests


@dataclass
class LoadgenRow:
    """A generator's loads, one a round."""

    saturate: list[LoadMeasurement] = field(default_factory=list)
    at_rate: list[LoadMeasurement] = field(default_factory=list)

    @property
    def p99_ms(self) -> float | None:
        known = [one.reading.p99_ms for one in self.at_rate if one.reading.p99_ms is not None]
        return statistics.median(known) if known else None

    @property
    def dropped(self) -> int | None:
        """At the rate, of all rounds."""
        known = [one.reading.dropped for one in self.at_rate if one.reading.dropped is not None]
        return sum(known) if known else None

    def figures(self) -> dict[str, float | None]:
        """Medians, for people and the JSON line."""
        at_rate = [one.cpu_us for one in self.at_rate]
        return {
            "rps": round(statistics.median(one.rps for one in self.saturate)),
            "cpu_us": round(statistics.median(one.cpu_us for one in self.saturate), 2),
            "rate_p99_ms": None if self.p99_ms is None else round(self.p99_ms, 3),
            "rate_dropped": self.dropped,
            "rate_cpu_us": round(statistics.median(at_rate), 1) if at_rate else None,
        }


def main() -> int:
    """Print the table and the JSON line; exit code 1 when a goal is missed or not judged."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("This needs two CPUs: one for the generator, one for the server.", file=sys.stderr)
        return 1
    wrk, oha = require_wrk(), require_oha()
    go = get_tool(module_go(SOURCE)).path
    k6 = ensure_k6(get_settings().data, go)
    with tempfile.TemporaryDirectory(prefix="tacho-bench-") as folder:
        generators = list_generators(k6, wrk, oha, Path(folder))
        with _null_server(go, Path(folder), cpus[0]) as url:
            rows, busy = _measure(generators, url, cpus[1])
            output_cost = _measure_output(generators, url, cpus[1])
    versions = get_versions(k6, wrk, oha)
    ratios = _ratios(rows, output_cost)
    _show(rows, ratios, output_cost, versions, busy)
    figures = {
        **ratios,
        "output_cost_interval": _cost_interval(output_cost),
        "load_average": [min(busy), max(busy)],
        "rounds": _ROUNDS,
        "versions": versions,
        "generators": {name: row.figures() for name, row in rows.items()},
    }
    met = _is_met(ratios)
    print_result("loadgen", figures, _GOALS, met=met)
    return 0 if met else 1


@contextmanager
def _null_server(go: str, folder: Path, cpu: int) -> Iterator[str]:
    """The URL of a server that does nothing, on one CPU."""
    binary = folder / "nullserver"
    subprocess.run(
        [go, "build", "-trimpath", "-o", str(binary), "."],
        cwd=_SERVER_SOURCE,
        env=os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"},
        check=True,
    )
    command = ["taskset", "-c", str(cpu), str(binary)]
    place = os.environ | {"HOST": "127.0.0.1", "PORT": "0"}
    with subprocess.Popen(command, env=place, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
        finally:
            server.kill()


def _measure(
    generators: Sequence[GeneratorRow], url: str, cpu: int
) -> tuple[dict[str, LoadgenRow], list[float]]:
    """Every generator in every round, and how busy the machine was before each load."""
    rows = {generator.name: LoadgenRow() for generator in generators}
    saturate = GeneratorLoad(url, _SECONDS, _SATURATE_CONNECTIONS)
    at_rate = GeneratorLoad(url, _RATE_SECONDS, _RATE_CONNECTIONS, _RATE_RPS)
    busy = []
    for _ in range(_ROUNDS):
        for generator in generators:
            busy.append(round(os.getloadavg()[0], 1))
            rows[generator.name].saturate.append(_send(generator, saturate, cpu))
            if generator.has_rate:
                rows[generator.name].at_rate.append(_send(generator, at_rate, cpu))
    return rows, busy


def _measure_output(generators: Sequence[GeneratorRow], url: str, cpu: int) -> Estimate:
    """CPU time a request of k6 with our output over that without, with its 95 % interval.

    In pairs, the one that goes first alternating: what drifts meanwhile falls on both alike.
    """
    silent, heard = (
        next(one for one in generators if one.name == name) for name in (SILENT, HEARD)
    )
    load = GeneratorLoad(url, _OUTPUT_SECONDS, _SATURATE_CONNECTIONS)
    ratios = []
    for number in range(_OUTPUT_PAIRS):
        order = (silent, heard) if number % 2 else (heard, silent)
        cpu_us = {one.name: _send(one, load, cpu).cpu_us for one in order}
        ratios.append(cpu_us[HEARD] / cpu_us[SILENT])
    return estimate(ratios, Aggregation.GEOMETRIC)


def _cost_interval(cost: Estimate) -> tuple[float, float]:
    assert cost.low is not None
    assert cost.high is not None
    return cost.low - 1, cost.high - 1


def _send(generator: GeneratorRow, load: GeneratorLoad, cpu: int) -> LoadMeasurement:
    before = _count(load.url)
    with subprocess.Popen(
        ["taskset", "-c", str(cpu), *generator.command(load)],
        env=os.environ | generator.environment(load),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{generator.name} ended with exit code {process.returncode}: {output}")
    requests = _count(load.url) - before
    return LoadMeasurement(requests, usage.ru_utime + usage.ru_stime, generator.read(output))


def _count(url: str) -> int:
    return int(httpx.get(f"{url}count", trust_env=False).raise_for_status().text)


def _ratios(rows: Mapping[str, LoadgenRow], output_cost: Estimate) -> dict[str, float | None]:
    loop, wrk, oha = rows["Go loop"], rows["wrk"], rows["oha"]
    assert loop.p99_ms is not None
    return {
        "output_cost": output_cost.estimate - 1,
        "loop_to_wrk": _ratio(loop, wrk),
        "loop_to_oha": _ratio(loop, oha),
        "loop_to_k6": _ratio(loop, rows["k6"]),
        "loop_p99_ms": loop.p99_ms,
        "loop_p99_to_oha": _p99_ratio(loop, oha),
        "loop_dropped": loop.dropped,
    }


def _ratio(row: LoadgenRow, other: LoadgenRow) -> float:
    """Median over the rounds of the ratio of their requests a second."""
    pairs = zip(row.saturate, other.saturate, strict=True)
    return statistics.median(one.rps / its.rps for one, its in pairs)


def _p99_ratio(row: LoadgenRow, other: LoadgenRow) -> float:
    """The same of their p99 at the rate, by what each says itself."""
    pairs = zip(row.at_rate, other.at_rate, strict=True)
    return statistics.median(
        one.reading.p99_ms / its.reading.p99_ms
        for one, its in pairs
        if one.reading.p99_ms and its.reading.p99_ms
    )


def _is_met(ratios: Mapping[str, float | None]) -> bool:
    """Whether every goal was judged and met: one is a least value, the others are most."""
    for name, goal in _GOALS.items():
        value = ratios[name]
        if value is None or (value < goal if name == "loop_to_wrk" else value > goal):
            return False
    return True


def _show(
    rows: Mapping[str, LoadgenRow],
    ratios: Mapping[str, float | None],
    output_cost: Estimate,
    versions: Mapping[str, str],
    busy: Sequence[float],
) -> None:
    print(f"Load average before the loads: {min(busy)} to {max(busy)}. Medians of {_ROUNDS}.")
    print(
        f"Saturate: {_SATURATE_CONNECTIONS} connections, {_SECONDS} s;"
        f" rate: {_RATE_RPS:,} req/s, {_RATE_SECONDS} s."
        " CPU: the whole process, its start included.\n"
    )
    heads = ["req/s", "CPU µs", "p99 ms at rate", "dropped", "CPU µs at rate"]
    print(f"{'':24}" + "".join(f"{head:>16}" for head in heads))
    for name, row in rows.items():
        cells = ("–" if value is None else f"{value:,}" for value in row.figures().values())
        print(f"{name:24}" + "".join(f"{cell:>16}" for cell in cells))
    print()
    for name, value in ratios.items():
        goal = f"  (goal {_GOALS[name]})" if name in _GOALS else ""
        print(f"{name:24}{'–' if value is None else f'{value:.3f}':>16}{goal}")
    low, high = _cost_interval(output_cost)
    print(f"output_cost: {_OUTPUT_PAIRS} pairs, 95 % interval {low:.3f} to {high:.3f}")
    print(", ".join(versions.values()), end="\n\n")


if __name__ == "__main__":
    raise SystemExit(main())
