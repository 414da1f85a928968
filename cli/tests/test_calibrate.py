"""`tacho doctor --calibrate` against a real server: its requests, its output and its exit codes."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic, sleep
from uuid import UUID

import pytest
from typer.testing import CliRunner, Result

from backend.core.db import unit_of_work
from backend.core.models import Cell
from backend.core.results.calibration.plan import RATES_RPS
from backend.core.results.calibration.truth import Distribution
from backend.core.units import Metric
from backend.tests.factories import HOST, fail_next, succeed_next
from backend.tests.rows import count_rows
from backend.tests.waiting import LIMIT_S
from cli import app

TRUTH = Distribution(median_ms=5.0, sigma=0.4)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def calibrate(live_url: str, *arguments: str) -> Result:
    command = ["doctor", "--calibrate", "--url", live_url, "--host", HOST, *arguments]
    return CliRunner().invoke(app, command, env={"COLUMNS": "160"})


def await_trials() -> int:
    deadline = monotonic() + LIMIT_S
    while not count_rows()[2]:
        assert monotonic() < deadline, "no run was queued"
        sleep(0.02)
    return count_rows()[2]


def measure(host_id: UUID, factor: float) -> None:
    """Complete all trials; each latency is `factor` times that of the reference service."""
    latencies = [factor * TRUTH.quantile_ms((index + 0.5) / 1000) for index in range(1000)]
    for _ in range(await_trials()):
        with unit_of_work() as session:
            trial = succeed_next(session, host_id, latencies)
            if session.get_one(Cell, trial.cell_id).parameters.get("second_generator"):
                trial.second_reading = {
                    "generator": "wrk 4.1.0",
                    "is_first": False,
                    "metrics": {Metric.LATENCY_P50_MS: 5.0},
                }


def test_correct_values_and_the_overhead_are_printed(
    live_url: str, host_id: UUID, pool: ThreadPoolExecutor
) -> None:
    done: Future[None] = pool.submit(measure, host_id, 1.0)
    ended = calibrate(live_url)

    done.result()
    assert ended.exit_code == 0, ended.output
    assert f"Calibrating {HOST}: {live_url}/r/" in ended.stdout
    for rate in RATES_RPS:
        assert f"{rate:,}" in ended.stdout
    assert "latency_p99_ms" in ended.stdout
    assert ended.stdout.count("✓") == 3
    assert ended.stdout.count("wrk 4.1.0") == 2
    assert f"Shown at {live_url}/hosts/{HOST}" in ended.stdout


def test_a_wrong_report_exits_1(live_url: str, host_id: UUID, pool: ThreadPoolExecutor) -> None:
    done = pool.submit(measure, host_id, 1.2)
    ended = calibrate(live_url)

    done.result()
    assert ended.exit_code == 1
    assert ended.stdout.count("✗") == 3
    assert "Reported values differ from the true values" in ended.stderr
    # Nothing else ran on this host.
    assert "Other programs" not in ended.stderr


def test_a_failed_calibration_prints_the_reason(
    live_url: str, host_id: UUID, pool: ThreadPoolExecutor
) -> None:
    def fail() -> None:
        for _ in range(await_trials()):
            with unit_of_work() as session:
                fail_next(session, host_id)

    done = pool.submit(fail)
    ended = calibrate(live_url)

    done.result()
    assert ended.exit_code == 1
    assert "The calibration failed: npm [/ci] said no" in ended.stderr


def test_an_unknown_host_is_refused(live_url: str, host_id: UUID) -> None:
    ended = CliRunner().invoke(
        app, ["doctor", "--calibrate", "--url", live_url, "--host", "bench-99"]
    )

    assert ended.exit_code == 2
    assert "There is no host 'bench-99'" in ended.stderr
    assert count_rows() == (0, 0, 0)
