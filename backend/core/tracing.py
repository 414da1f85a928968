"""Traces by OpenTelemetry: a request, the wait of its trials, and the stages of each trial.

Functions import the library themselves: without an endpoint, no part pays for it. Spans of a trial
are recorded after its end, so that nothing is sent while it measures.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from backend.core.config import get_settings

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

_NAME = "tacho"
# A collector that is down must not hold up the next trial.
_EXPORT_SECONDS = 2.0

_provider: TracerProvider | None = None


@dataclass(frozen=True)
class FinishedSpan:
    """A span that has ended, with its children.

    Attributes:
        begin_ns, end_ns: since 1970.
        error: why its work failed; None if it did not.
    """

    name: str
    begin_ns: int
    end_ns: int
    attributes: Mapping[str, str | int] = field(default_factory=dict)
    error: str | None = None
    children: Sequence[FinishedSpan] = ()


def set_up_tracing(part: str, version: str) -> None:
    """Send the spans of this process by OTLP over HTTP, if OTEL_EXPORTER_OTLP_ENDPOINT is set.

    Further variables of OpenTelemetry, such as OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER,
    come from the environment. Calling it again does nothing.

    Args:
        part: `api`, `worker` or `dispatcher`.
        version: of Tacho.
    """
    global _provider  # noqa: PLW0603  a process has one provider
    endpoint = get_settings().otlp_endpoint
    if _provider is not None or not endpoint:
        return
    from opentelemetry import trace  # noqa: PLC0415
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
        OTLPSpanExporter,
    )
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    name = os.environ.get("OTEL_SERVICE_NAME") or f"{_NAME}-{part}"
    resource = Resource.create({"service.name": name, "service.version": version})
    provider = TracerProvider(resource=resource)
    exporter = OTLPSpanExporter(f"{endpoint}/v1/traces", timeout=_EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    _provider = provider


def find_traceparent() -> str | None:
    """Return the W3C trace context of the present span; None without tracing or without a span."""
    if _provider is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415
        TraceContextTextMapPropagator,
    )

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent")


@contextmanager
def trace_span(
    name: str, parent: str | None = None, attributes: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Make the work within the context a span; nothing without tracing.

    Args:
        name: of the span.
        parent: W3C trace context of the parent; None for the present span.
        attributes: of the span.
    """
    if _provider is None:
        yield
        return
    with _get_tracer(_provider).start_as_current_span(
        name, context=_read_parent(parent), attributes=dict(attributes or {})
    ):
        yield


def record_spans(finished: Sequence[FinishedSpan], parent: str | None = None) -> None:
    """Send spans that have ended, with their children, and wait for at most two seconds.

    Args:
        finished: the spans.
        parent: W3C trace context of the parent; None begins a trace with each of the spans.
    """
    if _provider is None:
        return
    tracer, context = _get_tracer(_provider), _read_parent(parent)
    for span in finished:
        _record(tracer, context, span)
    _provider.force_flush(round(_EXPORT_SECONDS * 1000))


def _record(tracer: Tracer, context: Context | None, finished: FinishedSpan) -> None:
    from opentelemetry.trace import StatusCode, set_span_in_context  # noqa: PLC0415

    span = tracer.start_span(
        finished.name,
        context=context,
        start_time=finished.begin_ns,
        attributes=dict(finished.attributes),
    )
    for child in finished.children:
        _record(tracer, set_span_in_context(span, context), child)
    if finished.error is not None:
        span.set_status(StatusCode.ERROR, finished.error)
    span.end(finished.end_ns)


def _get_tracer(provider: TracerProvider) -> Tracer:
    return provider.get_tracer(_NAME)


def _read_parent(parent: str | None) -> Context | None:
    if parent is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415
        TraceContextTextMapPropagator,
    )

    return TraceContextTextMapPropagator().extract({"traceparent": parent})
