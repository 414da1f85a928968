"""Compare load generators with one CPU each: `make bench-loadgen`.

Each sends the same load from one CPU to a server that does nothing on another CPU, in turns, for
several rounds. Ratios are computed within a round, and the table shows their medians. The cost of
our output is measured in additional pairs, with an interval. The last line is one JSON object.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx

from backend.core.config import ROOT
from backend.core.measurement.statistics.estimate import Estimate, estimate
from backend.core.units import Aggregation
from tools.benchmarks.generators import (
    HEARD,
    LOOP,
    SILENT,
    GeneratorLoad,
    GeneratorRow,
    Reading,
    get_versions,
    list_generators,
)
from tools.benchmarks.measuring import is_within, print_result
from tools.benchmarks.needs import require_oha, require_wrk
from tools.benchmarks.programs import build_program, find_k6, get_go

_ROUNDS = 5
# The differences within these pairs are small compared with the spread of single loads.
_OUTPUT_PAIRS = 48
_PAIR_SECONDS = 2
_SECONDS = 3
_RATE_SECONDS = 10  # the first second contains the start of k6, which is not part of the loop
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
_MINIMA = {"loop_to_wrk"}


@dataclass(frozen=True)
class LoadMeasurement:
    """The result of a load: requests as the server counted them, and CPU time of the generator's
    process."""

    requests: int
    cpu_seconds: float
    reading: Reading

    @property
    def rps(self) -> float:
        return self.requests / _SECONDS

    @property
    def cpu_us(self) -> float:
        """CPU time per request (µs), including the start of the generator."""
        return self.cpu_seconds * 1e6 / self.requests


@dataclass
class LoadgenRow:
    """The loads of a generator, one per round."""

    saturate: list[LoadMeasurement] = field(default_factory=list)
    at_rate: list[LoadMeasurement] = field(default_factory=list)

    @property
    def p99_ms(self) -> float | None:
        known = [item.reading.p99_ms for item in self.at_rate if item.reading.p99_ms is not None]
        return statistics.median(known) if known else None

    @property
    def dropped(self) -> int | None:
        """The loads at the rate, of all rounds."""
        known = [item.reading.dropped for item in self.at_rate if item.reading.dropped is not None]
        return sum(known) if known else None

    def figures(self) -> dict[str, float | None]:
        """The medians, for the table and the JSON line."""
        at_rate = [item.cpu_us for item in self.at_rate]
        return {
            "rps": round(statistics.median(item.rps for item in self.saturate)),
            "cpu_us": round(statistics.median(item.cpu_us for item in self.saturate), 2),
            "rate_p99_ms": None if self.p99_ms is None else round(self.p99_ms, 3),
            "rate_dropped": self.dropped,
            "rate_cpu_us": round(statistics.median(at_rate), 1) if at_rate else None,
        }


def main() -> int:
    """Print the table and the JSON line. The exit code is 1 if a goal is missed or not judged."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("This needs two CPUs: one for the generator, one for the server.", file=sys.stderr)
        return 1
    wrk, oha = require_wrk(), require_oha()
    go, k6 = get_go(), find_k6()
    with tempfile.TemporaryDirectory(prefix="tacho-bench-") as folder:
        generators = list_generators(k6, wrk, oha, Path(folder))
        with open_null_server(go, Path(folder), cpus[0]) as url:
            rows, busy = _measure(generators, url, cpus[1])
            pairs = _measure_pairs(generators, url, cpus[1])
    versions = get_versions(k6, wrk, oha)
    ratios = _ratios(rows, pairs)
    _show(rows, ratios, pairs, versions, busy)
    figures = {
        **ratios,
        **{f"{name}_interval": (found.low, found.high) for name, found in pairs.items()},
        "load_average": [min(busy), max(busy)],
        "rounds": _ROUNDS,
        "versions": versions,
        "generators": {name: row.figures() for name, row in rows.items()},
    }
    met = is_within(ratios, _GOALS, _MINIMA)
    print_result("loadgen", figures, _GOALS, met=met)
    return 0 if met else 1


@contextmanager
def open_null_server(go: str, folder: Path, cpu: int) -> Iterator[str]:
    """Yield the URL of a server that does nothing, on one CPU."""
    binary = build_program(go, _SERVER_SOURCE, folder / "nullserver")
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
    """Return the loads of all generators in all rounds, and the load average before each."""
    rows = {generator.name: LoadgenRow() for generator in generators}
    saturate = GeneratorLoad(url, _SECONDS, _SATURATE_CONNECTIONS)
    at_rate = GeneratorLoad(url, _RATE_SECONDS, _RATE_CONNECTIONS, _RATE_RPS)
    busy = []
    for _ in range(_ROUNDS):
        for generator in generators:
            busy.append(round(os.getloadavg()[0], 1))
            rows[generator.name].saturate.append(send_load(generator, saturate, cpu))
            if generator.has_rate:
                rows[generator.name].at_rate.append(send_load(generator, at_rate, cpu))
    return rows, busy


def _measure_pairs(generators: Sequence[GeneratorRow], url: str, cpu: int) -> dict[str, Estimate]:
    """Return the comparisons that need pairs, by name.

    `output_cost` is the share of CPU time per request that our output adds to k6.
    """
    known = {generator.name: generator for generator in generators}
    load = GeneratorLoad(url, _PAIR_SECONDS, _SATURATE_CONNECTIONS)
    heard = _send_pairs((known[HEARD], known[SILENT]), load, cpu, _OUTPUT_PAIRS)
    cost = estimate([own.cpu_us / its.cpu_us for own, its in heard], Aggregation.GEOMETRIC)
    return {"output_cost": _subtract_one(cost)}


def _send_pairs(
    pair: tuple[GeneratorRow, GeneratorRow], load: GeneratorLoad, cpu: int, count: int
) -> list[tuple[LoadMeasurement, LoadMeasurement]]:
    """Return the loads of two generators. The order alternates, so that drift affects both."""
    sent = []
    for number in range(count):
        order = pair if number % 2 else tuple(reversed(pair))
        by_name = {generator.name: send_load(generator, load, cpu) for generator in order}
        sent.append((by_name[pair[0].name], by_name[pair[1].name]))
    return sent


def _subtract_one(ratio: Estimate) -> Estimate:
    """Return by how much a ratio exceeds 1, with the same interval."""
    assert ratio.low is not None
    assert ratio.high is not None
    return replace(ratio, estimate=ratio.estimate - 1, low=ratio.low - 1, high=ratio.high - 1)


def send_load(generator: GeneratorRow, load: GeneratorLoad, cpu: int) -> LoadMeasurement:
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
    return LoadMeasurement(requests, usage.ru_utime + usage.ru_stime, generator.read(output, load))


def _count(url: str) -> int:
    return int(httpx.get(f"{url}count", trust_env=False).raise_for_status().text)


def _ratios(
    rows: Mapping[str, LoadgenRow], pairs: Mapping[str, Estimate]
) -> dict[str, float | None]:
    loop, wrk, oha = rows[LOOP], rows["wrk"], rows["oha"]
    assert loop.p99_ms is not None
    return {
        "output_cost": pairs["output_cost"].estimate,
        "loop_to_wrk": _ratio(loop, wrk),
        "loop_to_oha": _ratio(loop, oha),
        "loop_to_k6": _ratio(loop, rows["k6"]),
        "loop_p99_ms": loop.p99_ms,
        "loop_p99_to_oha": _p99_ratio(loop, oha),
        "loop_dropped": loop.dropped,
    }


def _ratio(row: LoadgenRow, other: LoadgenRow) -> float:
    """Return the median over the rounds of the ratio of their requests per second."""
    pairs = zip(row.saturate, other.saturate, strict=True)
    return statistics.median(pair.rps / its.rps for pair, its in pairs)


def _p99_ratio(row: LoadgenRow, other: LoadgenRow) -> float:
    """Return the same for their own p99 at the rate."""
    pairs = zip(row.at_rate, other.at_rate, strict=True)
    return statistics.median(
        pair.reading.p99_ms / its.reading.p99_ms
        for pair, its in pairs
        if pair.reading.p99_ms and its.reading.p99_ms
    )


def _show(
    rows: Mapping[str, LoadgenRow],
    ratios: Mapping[str, float | None],
    pairs: Mapping[str, Estimate],
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
    for name, found in pairs.items():
        print(f"{name}: {found.n} pairs, 95 % interval {found.low:.3f} to {found.high:.3f}")
    print(", ".join(versions.values()), end="\n\n")


if __name__ == "__main__":
    raise SystemExit(main())
