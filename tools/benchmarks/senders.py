"""Compare Tacho's own HTTP sender with HTTP libraries for Go: `make bench-senders`.

Each sender sends the same GET from one CPU to a server on another CPU that does nothing. The
senders take turns for several rounds, and ratios are medians of the ratios within each round. At
the rate, the latencies of each sender's first second are discarded, because that of k6 contains its
start. The last line is one JSON object.
"""

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from backend.core.config import get_settings
from backend.platform.tools import get_tool, module_go
from tools.benchmarks.generators import (
    LOOP,
    GeneratorLoad,
    GeneratorRow,
    Reading,
    get_versions,
    list_generators,
)
from tools.benchmarks.loadgen import LoadgenRow, open_null_server, send_load
from tools.benchmarks.measuring import print_result
from tools.benchmarks.needs import require_oha, require_wrk
from tools.benchmarks.programs import build_program
from worker.loadgen.build import SOURCE, ensure_k6
from worker.loadgen.command import load_environment

LIBRARIES = ("net/http", "fasthttp")
_COMPARED = (LOOP, *LIBRARIES, "k6", "wrk")
_MODULE = Path(__file__).parent / "senders_module"
_ROUNDS = 3
_SATURATE_CONNECTIONS = 100
_SATURATE_SECONDS = 3
_RATE_CONNECTIONS = 50
_RATE_RPS = 5000
_RATE_SECONDS = 5
_SKIPPED_SECONDS = 1
_MEMORY_BYTES = 2 << 30
# Throughput at least, and p99 at the rate at most, of a peer.
_GOALS = {"throughput_to_net/http": 1.5, "p99_to_net/http": 1.0, "p99_to_fasthttp": 1.0}


def main() -> int:
    """Print the table and the JSON line. Return exit code 1 if a goal is missed."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("This needs two CPUs: one for the sender, one for the server.", file=sys.stderr)
        return 1
    wrk, oha = require_wrk(), require_oha()
    go = get_tool(module_go(SOURCE)).path
    k6 = ensure_k6(get_settings().data, go)
    with tempfile.TemporaryDirectory(prefix="tacho-bench-") as folder:
        known = {row.name: row for row in list_generators(k6, wrk, oha, Path(folder))}
        program = build_program(go, _MODULE, Path(folder) / "senders")
        known |= {name: make_library_row(program, name) for name in LIBRARIES}
        with open_null_server(go, Path(folder), cpus[0]) as url:
            rows, busy = measure([known[name] for name in _COMPARED], url, cpus[1])
    ratios = list_ratios(rows)
    show(rows, ratios, busy)
    figures = {
        **ratios,
        "load_average": [min(busy), max(busy)],
        "rounds": _ROUNDS,
        "versions": get_versions(k6, wrk, oha),
        "senders": {name: row.figures() for name, row in rows.items()},
    }
    met = all(
        ratios[name] >= goal if name.startswith("throughput") else ratios[name] <= goal
        for name, goal in _GOALS.items()
    )
    print_result("senders", figures, _GOALS, met=met)
    return 0 if met else 1


def make_library_row(program: Path, library: str) -> GeneratorRow:
    """Return the row of a library, with the Go settings that Tacho's own sender has."""
    return GeneratorRow(
        library,
        partial(_list_command, program, library.replace("/", "")),
        lambda output, _load: Reading(**json.loads(output)),
        lambda _load: load_environment(1, _MEMORY_BYTES),
    )


def _list_command(program: Path, client: str, load: GeneratorLoad) -> list[str]:
    return [
        str(program),
        f"-client={client}",
        f"-url={load.url}",
        f"-connections={load.connections}",
        f"-seconds={load.seconds}",
        f"-rate={load.rate_rps}",
        f"-skipped={load.skipped_seconds}",
    ]


def measure(
    senders: Sequence[GeneratorRow], url: str, cpu: int
) -> tuple[dict[str, LoadgenRow], list[float]]:
    """Return the loads of each sender, and the load average before each load."""
    rows = {sender.name: LoadgenRow() for sender in senders}
    saturate = GeneratorLoad(url, _SATURATE_SECONDS, _SATURATE_CONNECTIONS)
    at_rate = GeneratorLoad(
        url, _RATE_SECONDS, _RATE_CONNECTIONS, _RATE_RPS, skipped_seconds=_SKIPPED_SECONDS
    )
    busy = []
    for _ in range(_ROUNDS):
        for sender in senders:
            busy.append(round(os.getloadavg()[0], 1))
            rows[sender.name].saturate.append(send_load(sender, saturate, cpu))
            if sender.has_rate:
                rows[sender.name].at_rate.append(send_load(sender, at_rate, cpu))
    return rows, busy


def list_ratios(rows: Mapping[str, LoadgenRow]) -> dict[str, float]:
    """Return Tacho's own sender compared with each peer: medians of the ratios within a round.

    Ratios are of throughput, and of the p99 that each sender measures at the rate.
    """
    own = rows[LOOP]
    ratios = {}
    for name in _COMPARED[1:]:
        peer = rows[name]
        loads = zip(own.saturate, peer.saturate, strict=True)
        throughput = [ours.requests / theirs.requests for ours, theirs in loads]
        ratios[f"throughput_to_{name}"] = round(statistics.median(throughput), 3)
        p99 = [
            ours.reading.p99_ms / theirs.reading.p99_ms
            for ours, theirs in zip(own.at_rate, peer.at_rate, strict=bool(peer.at_rate))
            if ours.reading.p99_ms and theirs.reading.p99_ms
        ]
        if p99:
            ratios[f"p99_to_{name}"] = round(statistics.median(p99), 3)
    return ratios


def show(
    rows: Mapping[str, LoadgenRow], ratios: Mapping[str, float], busy: Sequence[float]
) -> None:
    """Print the table of medians and the ratios."""
    print(f"Load average before the loads: {min(busy)} to {max(busy)}. Medians of {_ROUNDS}.")
    print(
        f"Saturate: {_SATURATE_CONNECTIONS} connections, {_SATURATE_SECONDS} s. "
        f"Rate: {_RATE_RPS:,} req/s, {_RATE_SECONDS} s, latencies without the first "
        f"{_SKIPPED_SECONDS} s. CPU: the whole process with its start.\n"
    )
    heads = ["req/s", "CPU µs", "p99 ms at rate", "dropped", "CPU µs at rate"]
    print(f"{'':16}" + "".join(f"{head:>16}" for head in heads))
    for name, row in rows.items():
        cells = ("–" if value is None else f"{value:,}" for value in row.figures().values())
        print(f"{name:16}" + "".join(f"{cell:>16}" for cell in cells))
    print()
    for name, value in ratios.items():
        goal = f"  (goal {_GOALS[name]})" if name in _GOALS else ""
        print(f"{name:28}{value:12.3f}{goal}")
    print()


if __name__ == "__main__":
    raise SystemExit(main())
