"""The metrics of a trial, computed from its seconds."""

from collections.abc import Mapping
from typing import Any

import pytest

from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.summary import TrialFacts, summarise, summarise_cold
from backend.core.units import METRICS, Metric
from backend.tests.measuring import histogram_of, second

LATENCIES = [float(latency) for latency in range(1, 101)]  # 1 to 100 ms
FACTS: Mapping[str, Any] = {
    "latency": histogram_of(LATENCIES),
    "latency_sum_ns": int(sum(LATENCIES) * 1e6),
    "latency_max_ns": int(max(LATENCIES) * 1e6),
    "first_byte": histogram_of([item / 2 for item in LATENCIES]),
    "boot_ms": 120.0,
    "first_response_ms": 4.5,
    "idle_memory_bytes": 40_000_000,
    "memory_peak_bytes": 110_000_000,
    "build_seconds": 2.5,
    "image_bytes": 150_000_000,
}


def facts(**changes: Any) -> TrialFacts:
    return TrialFacts(**{**FACTS, **changes})


def test_a_complete_trial_has_every_metric() -> None:
    seconds = [second(0, LATENCIES[:50]), second(1, LATENCIES[50:], threads=13)]

    metrics = {**summarise(seconds, facts()), **summarise_cold(5 * seconds)}

    of_other_loads = {Metric.SUSTAINED_RPS, Metric.KNEE_RPS, Metric.WINDOW_DRIFT_RATIO}
    assert set(metrics) == set(Metric) - of_other_loads
    assert set(METRICS) == set(Metric)
    assert metrics[Metric.THROUGHPUT_RPS] == 50
    assert metrics[Metric.SUCCESS_RATIO] == 1
    assert metrics[Metric.LATENCY_P50_MS] == pytest.approx(50.5, rel=0.01)
    assert metrics[Metric.LATENCY_P99_MS] == pytest.approx(99.01, rel=0.01)
    assert metrics[Metric.LATENCY_MAX_MS] == 100
    assert metrics[Metric.LATENCY_MEAN_MS] == pytest.approx(50.5)
    assert metrics[Metric.FIRST_BYTE_P50_MS] == pytest.approx(25.25, rel=0.01)
    assert metrics[Metric.RESPONSE_BYTES] == pytest.approx(
        sum(item.bytes_received for item in seconds) / 100
    )
    assert metrics[Metric.CPU_SECONDS] == 1
    assert metrics[Metric.CPU_CORES] == 0.5
    assert metrics[Metric.PAGE_FAULTS_PER_REQUEST] == 0.4
    assert metrics[Metric.CONNECTIONS_PER_REQUEST] == 0.02
    assert metrics[Metric.CPU_US_PER_REQUEST] == pytest.approx(10_000)
    assert metrics[Metric.MEMORY_PEAK_BYTES] == 110_000_000
    assert metrics[Metric.THREADS_PEAK] == 13
    assert metrics[Metric.BOOT_MS] == 120


def test_the_first_ten_seconds_of_a_load_are_its_cold_values() -> None:
    cold = [second(n, [20.0] * 50, failed=5, cpu_service_seconds=0.5) for n in range(10)]
    warm = [second(n, [2.0] * 500, cpu_service_seconds=0.5) for n in range(10)]

    assert summarise_cold([*cold, *warm]) == {
        Metric.COLD_THROUGHPUT_RPS: 45,
        Metric.COLD_LATENCY_P50_MS: pytest.approx(20, rel=0.01),
        Metric.COLD_CPU_US_PER_REQUEST: pytest.approx(10_000),
    }
    assert summarise_cold(cold[:9]) == {}
    unread = [second(n, [20.0] * 50, cpu_service_seconds=None) for n in range(10)]
    assert Metric.COLD_CPU_US_PER_REQUEST not in summarise_cold(unread)


def test_throughput_counts_successes_and_cpu_is_shared_by_all_requests() -> None:
    seconds = [second(0, LATENCIES, requests=200, failed=100, errors={"timeout": 100})]

    metrics = summarise(seconds, facts())

    assert metrics[Metric.THROUGHPUT_RPS] == 100
    assert metrics[Metric.SUCCESS_RATIO] == 0.5
    assert metrics[Metric.CPU_US_PER_REQUEST] == pytest.approx(0.5 / 200 * 1e6)


def test_without_a_success_there_is_no_latency() -> None:
    seconds = [second(0, requests=10, failed=10)]

    metrics = summarise(seconds, facts(latency=Histogram.empty()))

    assert metrics[Metric.THROUGHPUT_RPS] == 0
    assert metrics[Metric.SUCCESS_RATIO] == 0
    assert not [metric for metric in metrics if metric.startswith("latency")]


def test_without_a_request_there_is_no_share_and_no_cost() -> None:
    metrics = summarise([second(0)], facts(latency=Histogram.empty()))

    assert metrics[Metric.THROUGHPUT_RPS] == 0
    assert Metric.SUCCESS_RATIO not in metrics
    assert Metric.CPU_US_PER_REQUEST not in metrics


def test_cpu_time_with_a_gap_is_left_out() -> None:
    seconds = [second(0, LATENCIES), second(1, LATENCIES, cpu_service_seconds=None)]

    metrics = summarise(seconds, facts())

    assert Metric.CPU_SECONDS not in metrics
    assert Metric.CPU_US_PER_REQUEST not in metrics


def test_without_the_kernels_peak_the_peak_of_the_seconds_is_used() -> None:
    seconds = [second(0, memory_bytes=7), second(1, memory_bytes=9), second(2, memory_bytes=None)]

    metrics = summarise(seconds, facts(memory_peak_bytes=None))

    assert metrics[Metric.MEMORY_PEAK_BYTES] == 9


def test_unreadable_counters_are_left_out() -> None:
    unread = dict.fromkeys(
        ["memory_bytes", "memory_anon_bytes", "memory_file_bytes", "memory_sock_bytes", "threads"]
    )
    missing = facts(memory_peak_bytes=None, idle_memory_bytes=None, build_seconds=None)

    metrics = summarise([second(0, LATENCIES, **unread)], missing)

    assert not [metric for metric in metrics if "memory" in metric]
    assert Metric.THREADS_PEAK not in metrics
    assert Metric.BUILD_SECONDS not in metrics
