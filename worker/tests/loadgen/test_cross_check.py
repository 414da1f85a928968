"""The load generators of cross-checks: which one measures, and how their output is read."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.core.errors import LoadFailed
from backend.core.units import Metric, ProfileKind, RuntimeKind
from worker.loadgen.cross_check import (
    CrossCheckLoad,
    Metrics,
    choose_generator,
    make_oha,
    make_wrk,
    read_oha,
    read_plain_k6,
    read_wrk,
)

LOAD = CrossCheckLoad("http://127.0.0.1:1/", warm_up_seconds=1, duration_seconds=3, connections=8)
OHA = {
    "summary": {"total": 2.0},
    "latencyPercentiles": {"p50": 0.005, "p99": 0.0125},
    "statusCodeDistribution": {"200": 174},
    "errorDistribution": {"aborted due to deadline": 4},
}
WRK = """Running 2s test @ http://127.0.0.1:18999/
  1 threads and 4 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    43.80ms    6.54ms  50.70ms   97.22%
    Req/Sec    89.70     13.00   118.00     80.00%
  Latency Distribution
     50%  MEDIAN
     75%   44.69ms
     90%   47.97ms
     99%   49.97ms
  180 requests in 2.01s, 20.30KB read
Requests/sec:     89.57
Transfer/sec:     10.10KB
"""
K6 = {"seconds": 3, "requests": 600, "failed": 0, "p50_ms": 5.0, "p99_ms": 9.0, "dropped": 0}


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    for name in names:
        program = folder / name
        program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("HOME", str(folder))


def name_choice(kind: ProfileKind, runtime: RuntimeKind = RuntimeKind.PROCESS) -> str:
    return Path(choose_generator(kind, runtime, "/plain.js").version_command[0]).name


@pytest.mark.parametrize(
    ("installed", "at_rate", "saturated"),
    [(["oha", "wrk"], "oha", "oha"), (["wrk"], "k6", "wrk"), ([], "k6", "k6")],
)
def test_the_best_program_that_can_send_the_load_is_chosen(
    installed: list[str],
    at_rate: str,
    saturated: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(tmp_path, monkeypatch, *installed)

    assert name_choice(ProfileKind.RATE) == at_rate
    assert name_choice(ProfileKind.SATURATE) == saturated
    # Its pods contain no other program.
    assert name_choice(ProfileKind.SATURATE, RuntimeKind.DOCKER) == "k6"


def test_wrk_and_oha_warm_up_in_a_run_of_their_own() -> None:
    assert ["-d1s" in command for command in make_wrk("wrk").list_commands(LOAD)] == [True, False]
    oha = make_oha("oha").list_commands(LOAD)
    assert [command[command.index("-z") + 1] for command in oha] == ["1s", "3s"]


def test_oha_is_read_without_the_requests_under_way_at_its_end() -> None:
    assert read_oha(json.dumps(OHA)) == {
        Metric.THROUGHPUT_RPS: 87,
        Metric.LATENCY_P50_MS: 5,
        Metric.LATENCY_P99_MS: 12.5,
    }


@pytest.mark.parametrize(
    ("median", "expected_ms"), [("44.00ms", 44), ("812.00us", 0.812), ("1.20s", 1200)]
)
def test_the_median_of_wrk_is_read_in_each_unit_but_not_its_tail(
    median: str, expected_ms: float
) -> None:
    assert read_wrk(WRK.replace("MEDIAN", median)) == {
        Metric.THROUGHPUT_RPS: 89.57,
        Metric.LATENCY_P50_MS: pytest.approx(expected_ms),
    }


def test_the_output_of_plain_k6_is_read() -> None:
    assert read_plain_k6(json.dumps(K6)) == {
        Metric.THROUGHPUT_RPS: 200,
        Metric.LATENCY_P50_MS: 5,
        Metric.LATENCY_P99_MS: 9,
    }


@pytest.mark.parametrize(
    ("read", "output"),
    [
        (read_oha, ""),
        (read_oha, json.dumps(OHA | {"statusCodeDistribution": {"200": 9, "500": 1}})),
        (read_oha, json.dumps(OHA | {"errorDistribution": {"connection refused": 1}})),
        (read_oha, json.dumps(OHA | {"latencyPercentiles": {"p50": None, "p99": None}})),
        (read_wrk, ""),
        (read_wrk, WRK.replace("MEDIAN", "1.00ms") + "  Non-2xx or 3xx responses: 3\n"),
        (read_wrk, WRK.replace("MEDIAN", "1.00ms") + "  Socket errors: connect 4, read 0\n"),
        (read_plain_k6, "level=error"),
        (read_plain_k6, json.dumps(K6 | {"failed": 1})),
    ],
)
def test_failed_requests_and_unknown_output_are_refused(
    read: Callable[[str], Metrics], output: str
) -> None:
    with pytest.raises(LoadFailed, match="did not measure"):
        read(output)
