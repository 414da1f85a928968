"""Spans of requests and trials, with the library's own exporter for tests."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from backend.core import tracing
from backend.core.tracing import FinishedSpan, find_traceparent, record_spans, trace_span

NOON_NS = int(datetime(2026, 11, 25, 12, tzinfo=UTC).timestamp()) * 1_000_000_000


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """The spans of this process."""
    provider, memory = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    monkeypatch.setattr(tracing, "_provider", provider)
    yield memory
    provider.shutdown()


def test_without_a_collector_there_is_no_trace() -> None:
    with trace_span("work"):
        assert find_traceparent() is None
    record_spans([FinishedSpan("trial", NOON_NS, NOON_NS + 1)])


def test_a_span_in_another_part_continues_the_trace(exporter: InMemorySpanExporter) -> None:
    with trace_span("request"):
        sent = find_traceparent()
    assert sent is not None
    with trace_span("finalize", sent, {"tacho.run_id": "1"}):
        pass

    request, finalize = exporter.get_finished_spans()
    assert finalize.parent is not None
    assert finalize.parent.span_id == request.context.span_id
    assert finalize.context.trace_id == request.context.trace_id
    assert dict(finalize.attributes or {}) == {"tacho.run_id": "1"}


def test_finished_spans_keep_their_times_and_their_order(exporter: InMemorySpanExporter) -> None:
    stage = FinishedSpan("measuring", NOON_NS + 1, NOON_NS + 5)
    trial = FinishedSpan("trial", NOON_NS, NOON_NS + 9, {"tacho.attempt": 2}, "died", [stage])
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    record_spans([trial], parent)

    by_name = {span.name: span for span in exporter.get_finished_spans()}
    outer, inner = by_name["trial"], by_name["measuring"]
    assert (outer.start_time, outer.end_time) == (NOON_NS, NOON_NS + 9)
    assert (inner.start_time, inner.end_time) == (NOON_NS + 1, NOON_NS + 5)
    assert inner.parent is not None
    assert inner.parent.span_id == outer.context.span_id
    assert outer.parent is not None
    assert outer.parent.span_id == 0xB7AD6B7169203331
    assert (outer.status.status_code, outer.status.description) == (StatusCode.ERROR, "died")
    assert inner.status.status_code is StatusCode.UNSET


def test_a_request_that_is_not_sampled_has_no_spans_in_other_parts(
    exporter: InMemorySpanExporter,
) -> None:
    record_spans(
        [FinishedSpan("trial", NOON_NS, NOON_NS + 1)],
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
    )

    assert exporter.get_finished_spans() == ()
