"""The result of a normal run is complete and consistent, and agrees with k6."""

from collections.abc import Sequence
from itertools import accumulate
from math import ceil, floor
from typing import Any, cast

import pytest

from backend.core.runs.goal import interleave
from backend.core.units import BEFORE_LOAD, OF_START, Metric
from tools.benchmarks.api import ApiClient, Document, StreamEvent, describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import DURATION_SECONDS, WARM_UP_SECONDS, cell
from worker.tests.acceptance.cheats import honest
from worker.tests.acceptance.remains import list_remains

_STAGES = ["building", "starting", "verifying", "warming_up", "measuring", "collecting"]
# One framework for each of four languages. `make verify-services` checks all frameworks.
_FRAMEWORKS = ("fastapi", "go-nethttp", "node", "spring-mvc")
_LOADS: dict[str, tuple[str, dict[str, int]]] = {
    "hello": ("rate-quick", {"rate_rps": 50}),
    "slow-upstream": ("rate-quick", {"rate_rps": 50}),
    "cars-stream": ("users-small-quick", {}),
    "articles": ("rate-quick", {"rate_rps": 50}),
}


_FIRST_BYTE = (Metric.FIRST_BYTE_P50_MS, Metric.FIRST_BYTE_P99_MS)
# The loads of these tests are shorter than the ten seconds of these metrics.
_COLD = OF_START - BEFORE_LOAD


def test_two_frameworks_compared(stack: Stack) -> None:
    asked = stack.create_run([cell("node"), cell("go-nethttp")], trials=2)
    events = list(stack.api.follow(asked))
    run = stack.api.get_run(asked)

    assert run["status"] == "succeeded", describe(run)
    assert [trial["attempt"] for trial in run["trials"]] == [1] * 4
    for trial in run["trials"]:
        check_series(stack.api, trial)
        check_latency(stack.api, trial)
        check_completeness(stack, trial)
        check_events(events, trial)
    check_order(run)
    assert (events[0].name, events[-1]) == ("run", StreamEvent("end", {"status": "succeeded"}))
    assert list_remains(stack, run) == []


def test_a_stream_reports_the_time_of_its_first_byte(stack: Stack) -> None:
    """Ten cars take 100 ms, and the first car takes 10 ms."""
    asked = stack.create_run([cell("node", "cars-stream", "users-large-quick")])
    (trial,) = stack.api.await_run(asked, 60)["trials"]

    p50_ms, p99_ms = (trial["metrics"][name] for name in _FIRST_BYTE)
    assert 10 <= p50_ms <= p99_ms
    assert p50_ms < trial["metrics"]["latency_p50_ms"] / 2


@pytest.mark.parametrize("profile", ["users-quick", "saturate-quick"])
def test_closed_loads(stack: Stack, profile: str) -> None:
    asked = stack.create_run([cell("go-nethttp", profile=profile)])
    run = stack.api.await_run(asked, 60)

    assert run["status"] == "succeeded", describe(run)
    (trial,) = run["trials"]
    check_series(stack.api, trial)
    check_latency(stack.api, trial)
    samples = stack.api.get(f"/trials/{trial['id']}/series")["samples"]
    samples += stack.api.get(f"/trials/{trial['id']}/series", phase="warm_up")["samples"]
    opened = sum(sample["connections_opened"] for sample in samples)
    assert opened == max(sample["vus"] for sample in samples)
    assert sum(sample["page_faults"] for sample in samples) > 0


def test_the_services_of_a_topology_each_keep_a_log(stack: Stack) -> None:
    asked = stack.create_run([cell(honest("hello-gateway"), "hello-gateway", "low-quick")])
    run = stack.api.await_run(asked, 60)

    assert run["status"] == "succeeded", describe(run)
    (trial,) = run["trials"]
    check_series(stack.api, trial)
    check_completeness(stack, trial, services=("service", "hello"))


def read_steps(stack: Stack, run: Document) -> Document:
    """Return the steps of a run with one trial."""
    (cell_charts,) = stack.api.get(f"/runs/{run['id']}/charts")["cells"]
    (steps,) = cell_charts["trial_steps"]
    return cast("Document", steps)


def test_steps_that_all_pass(stack: Stack) -> None:
    asked = stack.create_run([cell("go-nethttp", profile="steps-quick", success_percent=50)])
    run = stack.api.await_run(asked, 60)

    assert run["status"] == "succeeded", describe(run)
    (trial,) = run["trials"]
    check_series(stack.api, trial, duration_seconds=6)
    told = read_steps(stack, asked)
    assert [step["target_rps"] for step in told["steps"]] == [100, 150, 200]
    offered = [step["offered"] for step in told["steps"]]
    # On a busy machine, some requests are sent late, in the next step.
    assert offered == [pytest.approx(2 * rate, rel=0.1) for rate in (100, 150, 200)]
    assert trial["metrics"]["sustained_rps"] == told["sustained_rps"] == 200


def test_steps_end_with_the_first_failed_step(stack: Stack) -> None:
    """The third party takes longer than the timeout of a request."""
    slow = {"delay_ms": 5000, "timeout_ms": 1000}
    asked = stack.create_run([cell("node", "slow-upstream", "till-failure-quick", **slow)])
    run = stack.api.await_run(asked, 60)

    assert run["status"] == "succeeded", describe(run)
    (trial,) = run["trials"]
    told = read_steps(stack, asked)
    samples = stack.api.get(f"/trials/{trial['id']}/series")["samples"]
    assert [(step["passed"], step["failed"] > 0) for step in told["steps"]] == [(False, True)]
    assert (told["sustained_rps"], len(samples)) == (None, 2)
    assert "sustained_rps" not in trial["metrics"]


def test_a_warm_up_ends_when_the_load_is_steady_or_at_its_cap(stack: Stack) -> None:
    asked = stack.create_run([cell("go-nethttp", warm_up_seconds=8)])
    (trial,) = stack.api.await_run(asked, 60)["trials"]

    detail = stack.api.get(f"/trials/{trial['id']}")
    warm_up = detail["warm_up"]
    rows = stack.api.get(f"/trials/{trial['id']}/series", phase="warm_up")["samples"]
    measured = stack.api.get(f"/trials/{trial['id']}/series")["samples"]
    warnings = {verdict["verdict"] for verdict in trial["verdicts"]}
    assert 5 <= warm_up["seconds"] == len(rows) <= warm_up["cap_seconds"] == 8
    assert [sample["second"] for sample in measured] == list(range(DURATION_SECONDS))
    assert warm_up["is_steady"] or warm_up["seconds"] == 8
    assert warm_up["is_steady"] or "never_steady" in warnings
    assert detail["generator"]["late_max_ms"] >= detail["generator"]["late_p99_ms"] > 0


def test_each_of_four_languages_in_a_scenario(stack: Stack) -> None:
    host = stack.api.get(f"/hosts/{stack.settings.bench_host}")
    here = [name for name in _FRAMEWORKS if name not in host["unavailable"]]
    cells = [
        cell(framework, scenario, profile, duration_seconds=2, **parameters)
        for framework, scenario in zip(here, _LOADS, strict=False)
        for profile, parameters in (_LOADS[scenario],)
    ]

    run = stack.api.await_run(stack.create_run(cells), 900)

    assert run["status"] == "succeeded", describe(run)
    assert len(run["trials"]) == len(cells)
    for trial in run["trials"]:
        check_series(stack.api, trial, duration_seconds=2)
    if len(here) < len(_FRAMEWORKS):
        pytest.skip(f"the rest is fine, but this host lacks tools: {host['unavailable']}")


def check_series(
    api: ApiClient, trial: Document, *, duration_seconds: int = DURATION_SECONDS
) -> None:
    """Assert one row per second, and equal numbers of requests in rows, total and k6's own
    count."""
    samples = api.get(f"/trials/{trial['id']}/series")["samples"]
    warm_up = api.get(f"/trials/{trial['id']}/series", phase="warm_up")["samples"]
    detail = api.get(f"/trials/{trial['id']}")
    assert [sample["second"] for sample in samples] == list(range(duration_seconds))
    assert [sample["second"] for sample in warm_up] == list(range(WARM_UP_SECONDS))
    total = sum(sample["requests"] for sample in samples)
    # k6 counts the whole load, including the warm-up and requests sent after the window.
    warm_up_total = sum(sample["requests"] for sample in warm_up)
    whole = detail["k6_summary"]["requests"]
    assert total == detail["requests_total"] > 0
    assert total + warm_up_total <= whole
    assert whole - total - warm_up_total <= 4 * max(sample["requests"] for sample in samples)
    assert sum(sample["failed"] for sample in samples) == 0
    untold = {"cpu_mhz", "thermal_throttles"}  # by a hypervisor, to its guests
    missing = [
        key
        for sample in samples
        for key, value in sample.items()
        if value is None and key not in untold
    ]
    assert missing == []


def check_latency(api: ApiClient, trial: Document) -> None:
    """Assert that the histogram counts exactly the measured requests without control requests, and
    that each percentile lies in its bucket."""
    latency = api.get(f"/trials/{trial['id']}/latency")
    detail = api.get(f"/trials/{trial['id']}")
    samples = api.get(f"/trials/{trial['id']}/series")["samples"]
    # Control requests of the whole load, including those outside the window.
    controls = detail["checks"]["controls"]
    assert detail["requests_total"] - controls <= latency["count"] <= detail["requests_total"]
    service = {point["quantile"]: point["latency_ms"] for point in latency["service_percentiles"]}
    assert latency["counted_from"] == ("due time" if detail["generator"] else "send")
    assert detail["environment"]["latency_from"] == latency["counted_from"]
    # k6's durations count from the send. A bucket is up to 0.8 % wide.
    slowest_ms = max(service.values()) if detail["generator"] else latency["max_ms"]
    assert slowest_ms <= detail["k6_summary"]["max_ms"] * 1.008
    assert latency["max_ms"] == pytest.approx(
        max(sample["latency_max_ms"] for sample in samples), rel=0.005
    )
    points = {point["quantile"]: point["latency_ms"] for point in latency["percentiles"]}
    for quantile in (0.5, 0.9, 0.95, 0.99):
        place = quantile * (latency["count"] - 1)
        low = _request_at(latency, floor(place))["low_ms"]
        high = _request_at(latency, ceil(place))["high_ms"]
        assert low <= points[quantile] <= high
        assert service.get(quantile, 0) <= points[quantile] * 1.008


def _request_at(latency: Document, rank: int) -> dict[str, Any]:
    """Return the bucket with the request of this rank by latency, from 0."""
    counts = accumulate(bucket["count"] for bucket in latency["buckets"])
    found: dict[str, Any] = next(
        bucket for bucket, count in zip(latency["buckets"], counts, strict=True) if rank < count
    )
    return found


def check_completeness(
    stack: Stack, trial: Document, *, services: Sequence[str] = ("service",)
) -> None:
    """Assert that all metrics, the environment, the evidence and the logs exist."""
    detail = stack.api.get(f"/trials/{trial['id']}")
    # Only the first trial of a service builds it, and only a long window has a drift.
    untold = {Metric.BUILD_SECONDS, Metric.SUSTAINED_RPS, Metric.KNEE_RPS, *_FIRST_BYTE, *_COLD}
    untold.add(Metric.WINDOW_DRIFT_RATIO)
    assert set(Metric) - set(detail["metrics"]) <= untold
    assert 50 < detail["metrics"]["request_bytes"] < detail["metrics"]["response_bytes"] + 100
    assert min(detail["metrics"][name] for name in ("cpu_seconds", "memory_peak_bytes")) > 0
    environment = detail["environment"]
    assert environment["runtime"] == detail["runtime"] == stack.runtime
    assert environment["host"]["cpu_model"]
    assert environment["harness"]["k6_sha256"]
    assert environment["resource_source"] != "none"
    assert set(environment["cpus"]) == {"service", "load", "backing"}
    assert all(environment[name] for name in ("host_digest", "framework_digest", "scenario_digest"))
    assert detail["conformance"]
    assert all(check["passed"] for check in detail["conformance"])
    assert set(detail["stage_seconds"]) == set(_STAGES)
    logs = {log["name"] for log in stack.api.get(f"/trials/{trial['id']}/logs")["items"]}
    assert {*services, "load"} <= logs


def check_order(run: Document) -> None:
    """Assert that trials ran one after another, in the order of the stored seed."""
    positions = {cell["id"]: index for index, cell in enumerate(run["cells"])}
    trials = sorted(run["trials"], key=lambda trial: int(trial["position"]))
    order = [(positions[trial["cell_id"]], trial["repetition"]) for trial in trials]
    assert order == interleave(len(run["cells"]), run["trials_per_cell"], run["seed"])
    times = [time for trial in trials for time in (trial["started_at"], trial["finished_at"])]
    assert times == sorted(times)


def check_events(events: list[StreamEvent], trial: Document) -> None:
    """Assert that the stream sent every stage in order and every measured second once."""
    own = [event for event in events if event.data.get("trial_id") == trial["id"]]
    stages = [event.data["status"] for event in own if event.name == "trial"]
    assert stages == [*_STAGES, "succeeded"]
    samples = [event.data for event in own if event.name == "sample"]
    measured = [sample["second"] for sample in samples if sample["phase"] == "measure"]
    assert measured == list(range(DURATION_SECONDS))
