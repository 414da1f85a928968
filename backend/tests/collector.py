"""A real collector of OpenTelemetry for tests of traces, built from its Go module."""

import json
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import httpx

from backend.core.config import ROOT
from backend.platform.network import find_free_port
from backend.tests.go_programs import build_program, find_program

SOURCE = ROOT / "backend/tests/collector_server"
_START_SECONDS = 60
_SPAN = re.compile(r"^Span #\d+\n((?:(?!^(?:Span|ResourceSpans|ScopeSpans) #).*\n)*)", re.MULTILINE)
# The end of the fields of a span: the collector may be writing the last span.
_LAST_FIELD = "DroppedLinksCount"
_FIELD = re.compile(r"^ {4}(?P<name>\w[\w ]*?) *: (?P<value>.*)$", re.MULTILINE)
_ATTRIBUTE = re.compile(r"^ {5}-> (?P<name>[\w.]+): (?:\w+)\((?P<value>.*)\)$", re.MULTILINE)


@dataclass(frozen=True)
class ReceivedSpan:
    """A span as the collector prints it.

    Attributes:
        service: name of the part that sent it.
        parent_id: empty for the first span of a trace.
        status: `Unset`, `Ok` or `Error`.
    """

    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    begin: datetime
    end: datetime
    status: str
    attributes: Mapping[str, str]


@dataclass(frozen=True)
class Collector:
    """A collector that runs.

    Attributes:
        endpoint: the value of OTEL_EXPORTER_OTLP_ENDPOINT.
        output: file with the spans that it received.
    """

    endpoint: str
    output: Path

    def list_spans(self) -> list[ReceivedSpan]:
        """Return all spans received so far."""
        return parse_spans(self.output.read_text())


def parse_spans(output: str) -> list[ReceivedSpan]:
    """Return the spans in the output of the collector's exporter `debug`."""
    spans = []
    for resource in re.split(r"^ResourceSpans #\d+\n", output, flags=re.MULTILINE)[1:]:
        service = dict(_ATTRIBUTE.findall(resource)).get("service.name", "")
        complete = [text for text in _SPAN.findall(resource) if _LAST_FIELD in text]
        spans += [_parse_span(service, text) for text in complete]
    return spans


def find_collector() -> Path | None:
    """Return the path of the collector's program; None if it is not built."""
    program = find_program(SOURCE)
    return program if program.exists() else None


@contextmanager
def run_collector(folder: Path) -> Iterator[Collector]:
    """Run a collector that receives traces by OTLP over HTTP.

    Args:
        folder: for its settings and its output.
    """
    address = f"127.0.0.1:{find_free_port()}"
    settings = folder / "collector.yaml"
    pipeline = {"receivers": ["otlp"], "exporters": ["debug"]}
    # JSON is YAML.
    settings.write_text(
        json.dumps(
            {
                "receivers": {"otlp": {"protocols": {"http": {"endpoint": address}}}},
                "exporters": {"debug": {"verbosity": "detailed", "use_internal_logger": False}},
                "service": {"pipelines": {"traces": pipeline}},
            }
        )
    )
    output, log = folder / "spans.txt", folder / "collector.log"
    command = [str(build_program(SOURCE)), f"--config=file:{settings}"]
    with (
        output.open("wb") as spans,
        log.open("wb") as messages,
        subprocess.Popen(command, stdout=spans, stderr=messages) as process,
    ):
        try:
            _wait_for(address, process, log)
            yield Collector(f"http://{address}", output)
        finally:
            process.terminate()


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            # The collector answers GET with 405.
            httpx.get(f"http://{address}/v1/traces", trust_env=False)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"The collector did not start:\n{log.read_text()}")


def _parse_span(service: str, text: str) -> ReceivedSpan:
    fields = {name.strip(): value.strip() for name, value in _FIELD.findall(text)}
    return ReceivedSpan(
        service,
        fields["Name"],
        fields["Trace ID"],
        fields["ID"],
        fields["Parent ID"],
        _parse_time(fields["Start time"]),
        _parse_time(fields["End time"]),
        fields["Status code"],
        dict(_ATTRIBUTE.findall(text)),
    )


def _parse_time(text: str) -> datetime:
    """Return a time such as `2026-11-25 09:55:00.123456789 +0000 UTC`."""
    day, clock, *_ = text.split()
    whole, _, fraction = clock.partition(".")
    return datetime.fromisoformat(f"{day}T{whole}.{fraction[:6]:0<6}+00:00")


if __name__ == "__main__":
    print(build_program(SOURCE))
