"""The load generators that `make bench-loadgen` compares under the same load."""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.core.config import ROOT
from backend.core.measurement.measurements.histogram import Histogram
from worker.loadgen.command import QUIET, load_command, load_environment
from worker.loadgen.cross_check import (
    PLAIN_SCRIPT,
    CrossCheckGenerator,
    CrossCheckLoad,
    make_oha,
    make_wrk,
    plain_k6_command,
    plain_k6_environment,
)
from worker.loadgen.parse import EndLine, SecondLine, parse_line

_SCENARIOS = ROOT / "services/scenarios"
_LIBRARY = _SCENARIOS / "lib"
_STOCK_K6 = ROOT / "tools/benchmarks/stock_k6"
# The scenarios whose requests JavaScript draws, with the folder of their own rules.
_DRAWN_SCENARIOS = {"chain": "chain", "universities": "universities-in-memory"}
# The length of the text of a message.
_TEXT_CHARACTERS = 1000
# A load that is not ended lasts this much longer than requested; see lib/profiles.js.
_RESERVE_SECONDS = 3
_TIMEOUT_MS = 5000
_MEMORY_BYTES = 2 << 30
_PLAIN_VUS = 500
LOOP = "Go loop"

_BY_GO = """
import { defineLoad } from './lib/load.js';
export const { options, run } = defineLoad({
  requests: [{ path: '/?nonce={nonce}', expect: { status: 200, text: 'Hello World!' } }],
});
export default run;
"""


@dataclass(frozen=True)
class GeneratorLoad:
    """A load: at `rate_rps`, or on `connections` that never pause if that is 0."""

    url: str
    seconds: int
    connections: int
    rate_rps: int = 0


@dataclass(frozen=True)
class Reading:
    """The figures that a generator reports; None if it does not report them."""

    p99_ms: float | None = None
    dropped: int | None = None


@dataclass(frozen=True)
class GeneratorRow:
    """A row of the table: the command for a load, and the parser of its output."""

    name: str
    command: Callable[[GeneratorLoad], Sequence[str]]
    read: Callable[[str, GeneratorLoad], Reading]
    environment: Callable[[GeneratorLoad], Mapping[str, str]] = lambda _load: {}
    has_rate: bool = True


def list_generators(k6: Path, wrk: str, oha: str, folder: Path) -> list[GeneratorRow]:
    """Return all generators, ready to send loads.

    Args:
        k6: our binary, which is plain k6 without our output and scripts.
        wrk: path of wrk.
        oha: path of oha.
        folder: for the scripts and the files of `--out json`.
    """
    shutil.copytree(_LIBRARY, folder / "lib")
    by_go = folder / "by_go.js"
    by_go.write_text(_BY_GO)
    plain = plain_k6_command(str(k6), str(PLAIN_SCRIPT))
    to_json = [*plain, "--out", f"json={folder / 'samples.json'}"]
    return [
        _k6_row("k6", plain, _read_summary, _plain_environment),
        _k6_row("k6 --out json", to_json, _read_summary, _plain_environment),
        _k6_row(LOOP, load_command(str(k6), str(by_go)), _read_lines, _our_environment),
        _cross_check_row("wrk", make_wrk(wrk), _read_nothing, has_rate=False),
        _cross_check_row("oha", make_oha(oha), _read_oha, has_rate=True),
    ]


def list_scenario_pairs(
    k6: Path, folder: Path, environment: Mapping[str, str]
) -> dict[str, tuple[GeneratorRow, GeneratorRow]]:
    """Return our load generator and stock k6 for the scenarios whose requests JavaScript draws.

    Args:
        k6: our binary.
        folder: for the scripts.
        environment: what the scripts know about the server.
    """
    return {
        name: _make_scenario_pair(k6, name, scenario, folder / name, environment)
        for name, scenario in _DRAWN_SCENARIOS.items()
    }


def _make_scenario_pair(
    k6: Path, name: str, scenario: str, folder: Path, environment: Mapping[str, str]
) -> tuple[GeneratorRow, GeneratorRow]:
    shutil.copytree(_LIBRARY, folder / "lib")
    for source in (_STOCK_K6, _SCENARIOS / name, _SCENARIOS / scenario):
        for script in source.glob("*.js"):
            # stock_k6 has a script for each scenario.
            shutil.copy(
                script, folder / (f"stock_{script.name}" if script.stem == name else script.name)
            )

    def get_environment(load: GeneratorLoad) -> Mapping[str, str]:
        return {**_our_environment(load), **environment}

    stock = [str(k6), *QUIET, "--no-thresholds", str(folder / f"stock_{name}.js")]
    ours = load_command(str(k6), str(folder / "load.js"))
    return (
        GeneratorRow(
            f"{name}, Go loop", lambda _: ours, _read_lines, get_environment, has_rate=False
        ),
        GeneratorRow(
            f"{name}, k6", lambda _: stock, _read_nothing, get_environment, has_rate=False
        ),
    )


def get_versions(k6: Path, wrk: str, oha: str) -> dict[str, str]:
    """Return the first line of each program's description of itself."""
    return {
        "k6": _first_line([str(k6), "version"]),
        "wrk": _first_line([wrk, "-v"]),
        "oha": _first_line([oha, "--version"]),
    }


def _first_line(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # wrk's code is 1
    return done.stdout.partition("\n")[0].strip()


def _k6_row(
    name: str,
    command: Sequence[str],
    read: Callable[[str, GeneratorLoad], Reading],
    environment: Callable[[GeneratorLoad], Mapping[str, str]],
) -> GeneratorRow:
    return GeneratorRow(name, lambda _: command, read, environment)


def _plain_environment(load: GeneratorLoad) -> Mapping[str, str]:
    return plain_k6_environment(
        url=load.url,
        warm_up_seconds=0,
        seconds=load.seconds,
        connections=load.connections,
        rate=load.rate_rps,
        vus=_PLAIN_VUS,
    )


def _our_environment(load: GeneratorLoad) -> Mapping[str, str]:
    kind = (
        {"kind": "rate", "rate_rps": load.rate_rps}
        if load.rate_rps
        else {"kind": "saturate", "connections": load.connections}
    )
    seconds = load.seconds - _RESERVE_SECONDS
    span = {"warm_up_seconds": 0, "duration_seconds": seconds, "timeout_ms": _TIMEOUT_MS}
    return {
        **load_environment(1, _MEMORY_BYTES),
        "TACHO_TARGET": load.url,
        "TACHO_PARAMETERS": json.dumps(kind | span | {"text_characters": _TEXT_CHARACTERS}),
    }


def _cross_check_row(
    name: str,
    generator: CrossCheckGenerator,
    read: Callable[[str, GeneratorLoad], Reading],
    *,
    has_rate: bool,
) -> GeneratorRow:
    def command(load: GeneratorLoad) -> Sequence[str]:
        span = {"warm_up_seconds": 0, "duration_seconds": load.seconds}
        (only,) = generator.list_commands(
            CrossCheckLoad(load.url, connections=load.connections, rate_rps=load.rate_rps, **span)
        )
        return only

    return GeneratorRow(name, command, read, has_rate=has_rate)


def _read_nothing(_output: str, _load: GeneratorLoad) -> Reading:
    return Reading()


def _read_summary(output: str, _load: GeneratorLoad) -> Reading:
    said = json.loads(output)
    return Reading(p99_ms=said["p99_ms"], dropped=said["dropped"])


def _read_oha(output: str, _load: GeneratorLoad) -> Reading:
    return Reading(p99_ms=json.loads(output)["latencyPercentiles"]["p99"] * 1000)


def _read_lines(output: str, _load: GeneratorLoad) -> Reading:
    lines = [parse_line(line) for line in output.splitlines()]
    seconds = [line for line in lines if isinstance(line, SecondLine)]
    (end,) = (line for line in lines if isinstance(line, EndLine))
    if end.checks.wrong or end.checks.controls_wrong:
        raise RuntimeError(f"The server answered wrong: {end.checks}")
    latency = Histogram.merge_all(Histogram.from_varints(second.latency) for second in seconds)
    return Reading(
        p99_ms=latency.points([0.99])[0] / 1e6,
        dropped=end.dropped,
    )
