"""Compare load generators with one CPU each: `make bench-loadgen`.

Each sends the same load from one CPU to a server that does nothing on another CPU, in turns, for
several rounds. Ratios are computed within a round, and the table shows their medians. The last line
is one JSON object.

The requests of `chain` and `universities` are drawn and compared in JavaScript. Their peer is a
script of stock k6 that sends the same requests and makes the same checks, and the ratio is that of
requests per second of CPU time, the start included.
"""

import os
import secrets
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from backend.core.config import ROOT
from tools.benchmarks.generators import (
    LOOP,
    GeneratorLoad,
    GeneratorRow,
    Reading,
    get_versions,
    list_generators,
    list_scenario_pairs,
)
from tools.benchmarks.measuring import is_within, print_result
from tools.benchmarks.needs import require_oha, require_wrk
from tools.benchmarks.programs import build_program, find_k6, get_go

_ROUNDS = 5
_SECONDS = 3
_SCENARIO_SECONDS = 8  # the start of a script that reads a data file is a small part of it
_SCENARIO_CONNECTIONS = 50
_RATE_SECONDS = 10  # the first second contains the start of k6, which is not part of the loop
_SATURATE_CONNECTIONS = 100
_RATE_RPS = 5000
_RATE_CONNECTIONS = 50
_SERVER_SOURCE = ROOT / "services/reference/null-server"
_ANSWER_SERVER_SOURCE = ROOT / "tools/benchmarks/answer_server"
_DATA = ROOT / "services/scenarios/universities/data"
_PARTS = ("", "SECOND_", "THIRD_", "FOURTH_", "FIFTH_", "SIXTH_")
_GOALS = {
    "loop_to_wrk": 0.8,
    "loop_p99_ms": 1.0,
    "loop_p99_to_oha": 2.0,
    "loop_dropped": 0,
    "chain_to_k6": 4,
    "universities_to_k6": 4,
}
_MINIMA = {"loop_to_wrk", "chain_to_k6", "universities_to_k6"}


@dataclass(frozen=True)
class LoadMeasurement:
    """The result of a load: requests as the server counted them, and CPU time of the generator's
    process."""

    requests: int
    seconds: int
    cpu_seconds: float
    reading: Reading

    @property
    def rps(self) -> float:
        return self.requests / self.seconds

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
        with _open_answer_server(go, Path(folder), cpus[0]) as (url, environment):
            pairs = list_scenario_pairs(k6, Path(folder), environment)
            scenarios = _measure_scenarios(pairs, url, cpus[1])
    versions = get_versions(k6, wrk, oha)
    ratios = _ratios(rows) | _scenario_ratios(scenarios)
    rows |= {name: row for own in scenarios.values() for name, row in own.items()}
    _show(rows, ratios, versions, busy)
    figures = {
        **ratios,
        "load_average": [min(busy), max(busy)],
        "rounds": _ROUNDS,
        "versions": versions,
        "generators": {name: row.figures() for name, row in rows.items()},
    }
    met = is_within(ratios, _GOALS, _MINIMA)
    print_result("loadgen", figures, _GOALS, met=met)
    return 0 if met else 1


def open_null_server(go: str, folder: Path, cpu: int) -> AbstractContextManager[str]:
    """Yield the URL of a server that does nothing, on one CPU."""
    binary = build_program(go, _SERVER_SOURCE, folder / "nullserver")
    return _open_server(binary, cpu, {"HOST": "127.0.0.1", "PORT": "0"})


@contextmanager
def _open_answer_server(go: str, folder: Path, cpu: int) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the URL of a server that answers the scenarios, and what scripts know about it."""
    binary = build_program(go, _ANSWER_SERVER_SOURCE, folder / "answerserver")
    keys = [secrets.token_hex(32) for _ in _PARTS]
    own = {"JWT_SECRET": secrets.token_hex(32), "SIGNING_KEY": secrets.token_hex(32)}
    scripts = {
        **{f"TACHO_{part}STEP_KEY": key for part, key in zip(_PARTS, keys, strict=True)},
        **{f"TACHO_{name}": value for name, value in own.items()},
        "TACHO_DATA": str(_DATA),
    }
    place = {"STEP_KEYS": ",".join(keys), "UNIVERSITIES": str(_DATA / "universities.json")}
    with _open_server(binary, cpu, own | place) as url:
        yield url, scripts


@contextmanager
def _open_server(binary: Path, cpu: int, environment: Mapping[str, str]) -> Iterator[str]:
    command = ["taskset", "-c", str(cpu), str(binary)]
    with subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True
    ) as server:
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


def _measure_scenarios(
    pairs: Mapping[str, tuple[GeneratorRow, GeneratorRow]], url: str, cpu: int
) -> dict[str, dict[str, LoadgenRow]]:
    """Return the loads of our load generator and its peer in all rounds, by scenario and name."""
    load = GeneratorLoad(url, _SCENARIO_SECONDS, _SCENARIO_CONNECTIONS)
    rows = {name: {row.name: LoadgenRow() for row in pair} for name, pair in pairs.items()}
    for _ in range(_ROUNDS):
        for name, pair in pairs.items():
            for generator in pair:
                rows[name][generator.name].saturate.append(send_load(generator, load, cpu))
    return rows


def _scenario_ratios(rows: Mapping[str, Mapping[str, LoadgenRow]]) -> dict[str, float | None]:
    """Return the medians over the rounds of the ratios of requests per second of CPU time."""
    ratios: dict[str, float | None] = {}
    for scenario, (ours, stock) in ((name, tuple(own.values())) for name, own in rows.items()):
        pairs = zip(ours.saturate, stock.saturate, strict=True)
        ratios[f"{scenario}_to_k6"] = statistics.median(
            its.cpu_us / own.cpu_us for own, its in pairs
        )
    return ratios


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
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return LoadMeasurement(requests, load.seconds, cpu_seconds, generator.read(output, load))


def _count(url: str) -> int:
    return int(httpx.get(f"{url}count", trust_env=False).raise_for_status().text)


def _ratios(rows: Mapping[str, LoadgenRow]) -> dict[str, float | None]:
    loop, wrk, oha = rows[LOOP], rows["wrk"], rows["oha"]
    assert loop.p99_ms is not None
    return {
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
    versions: Mapping[str, str],
    busy: Sequence[float],
) -> None:
    print(f"Load average before the loads: {min(busy)} to {max(busy)}. Medians of {_ROUNDS}.")
    print(
        f"Saturate: {_SATURATE_CONNECTIONS} connections, {_SECONDS} s;"
        f" scenarios: {_SCENARIO_CONNECTIONS}, {_SCENARIO_SECONDS} s;"
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
    print(", ".join(versions.values()), end="\n\n")


if __name__ == "__main__":
    raise SystemExit(main())
