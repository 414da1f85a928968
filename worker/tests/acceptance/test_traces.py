"""A complete Tacho sends traces to a real collector of OpenTelemetry."""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from backend.core.units import RuntimeKind
from backend.tests.collector import Collector, ReceivedSpan, find_collector, run_collector
from tools.benchmarks.api import describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import is_true_within

_STAGES = ["building", "starting", "verifying", "warming_up", "measuring", "collecting"]
_LIMIT_SECONDS = 120


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collector]:
    if find_collector() is None:
        pytest.skip("the collector is not built; run `make test-traces`")
    with run_collector(tmp_path_factory.mktemp("collector")) as running:
        yield running


@pytest.fixture(scope="module")
def traced(
    services: Path, collector: Collector, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """A Tacho that sends traces."""
    environment = {
        "TACHO_SERVICES_DIR": str(services),
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint,
        # Do not wait five seconds for further spans.
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }
    data = tmp_path_factory.mktemp("traced")
    with Stack(data, RuntimeKind.PROCESS, f"traces-{os.getpid()}", environment) as running:
        yield running


def find_trace(spans: Sequence[ReceivedSpan], run_id: str) -> list[ReceivedSpan]:
    """Return all spans of the trace of a run, in the order of their begin."""
    ids = {span.trace_id for span in spans if span.attributes.get("tacho.run_id") == run_id}
    found = [span for span in spans if span.trace_id in ids]
    assert len(ids) <= 1, found
    return sorted(found, key=lambda span: span.begin)


def test_a_trace_leads_from_the_request_through_the_queue_to_the_stages(
    traced: Stack, collector: Collector
) -> None:
    run = traced.create_run([cell("node")], trials=2)
    ended = traced.api.await_run(run, _LIMIT_SECONDS)
    assert ended["status"] == "succeeded", describe(ended)

    def find() -> list[ReceivedSpan]:
        return find_trace(collector.list_spans(), run["id"])

    assert is_true_within(_LIMIT_SECONDS, lambda: "finalize" in {span.name for span in find()})
    trace = find()

    (request,) = [span for span in trace if span.parent_id == ""]
    assert (request.service, request.name) == ("tacho-api", "POST /api/v1/runs")
    children = [span for span in trace if span.parent_id == request.span_id]
    assert sorted((span.service, span.name) for span in children) == [
        ("tacho-dispatcher", "finalize"),
        *[("tacho-worker", "queue")] * 2,
        *[("tacho-worker", "trial")] * 2,
    ]
    trials = [span for span in children if span.name == "trial"]
    assert {span.attributes["tacho.trial_id"] for span in trials} == {
        trial["id"] for trial in ended["trials"]
    }
    for trial in trials:
        check_trial(trace, trial)
    assert {span.status for span in trace} == {"Unset"}


def check_trial(trace: Sequence[ReceivedSpan], trial: ReceivedSpan) -> None:
    """The wait ends when the trial begins, and its stages follow each other without a gap."""
    trial_id = trial.attributes["tacho.trial_id"]
    (wait,) = [
        span
        for span in trace
        if span.name == "queue" and span.attributes["tacho.trial_id"] == trial_id
    ]
    assert wait.begin <= wait.end == trial.begin
    stages = [span for span in trace if span.parent_id == trial.span_id]
    assert [span.name for span in stages] == _STAGES
    assert (stages[0].begin, stages[-1].end) == (trial.begin, trial.end)
    assert all(earlier.end == later.begin for earlier, later in pairwise(stages))
    assert trial.attributes["tacho.framework"] == "node"
    assert trial.attributes["tacho.result"] == "succeeded"


def test_a_request_joins_the_trace_of_its_caller(traced: Stack, collector: Collector) -> None:
    caller = "0af7651916cd43dd8448eb211c80319c"
    traceparent = f"00-{caller}-b7ad6b7169203331-01"
    url = f"{traced.url}/api/v1/frameworks"
    httpx.get(url, headers={"traceparent": traceparent}, trust_env=False).raise_for_status()

    def find() -> list[ReceivedSpan]:
        return [span for span in collector.list_spans() if span.trace_id == caller]

    assert is_true_within(_LIMIT_SECONDS, lambda: bool(find()))
    (span,) = find()
    assert (span.name, span.parent_id) == ("GET /api/v1/frameworks", "b7ad6b7169203331")


def test_monitoring_fills_no_traces(traced: Stack, collector: Collector) -> None:
    traced.api.get("/health")
    traced.api.get("/queue")

    def names() -> set[str]:
        return {span.name for span in collector.list_spans()}

    assert is_true_within(_LIMIT_SECONDS, lambda: "GET /api/v1/queue" in names())
    assert "GET /api/v1/health" not in names()
