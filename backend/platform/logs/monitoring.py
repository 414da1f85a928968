"""Metrics of this process in the format of Prometheus, and a server for parts without the API."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from wsgiref.simple_server import WSGIServer

from prometheus_client import (
    CollectorRegistry,
    Info,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from backend.core.config import parse_endpoint
from backend.core.operations.monitoring.disks import WatchedDisk
from backend.version import VERSION

_log = logging.getLogger(__name__)

# They double the number of counters, and no dashboard uses them.
disable_created_metrics()  # type: ignore[no-untyped-call]

# The metrics of this process. The library's own registry would add metrics of Python.
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
Info("tacho_build", "Version of Tacho that this process runs.", registry=REGISTRY).info(
    {"version": VERSION}
)


class DiskCollector(Collector):
    """Size and free space of disks, read for each scrape."""

    def __init__(self, disks: Sequence[WatchedDisk]) -> None:
        self._disks = disks

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        size = GaugeMetricFamily(
            "tacho_disk_size_bytes", "Size of the disk of a folder.", labels=["folder"]
        )
        free = GaugeMetricFamily(
            "tacho_disk_free_bytes", "Free space on the disk of a folder.", labels=["folder"]
        )
        needed = GaugeMetricFamily(
            "tacho_disk_needed_bytes",
            "Free space below which Tacho starts nothing new; 0 for no limit.",
            labels=["folder"],
        )
        for disk in self._disks:
            reading = disk.read()
            size.add_metric([disk.name], reading.size_bytes)
            free.add_metric([disk.name], reading.free_bytes)
            needed.add_metric([disk.name], reading.needed_bytes)
        yield from (size, free, needed)


def render_metrics(accept: str, collectors: Iterable[Collector]) -> tuple[bytes, str]:
    """Return the metrics of this process and of further collectors, and their media type.

    Args:
        accept: the Accept header of the request; empty for Prometheus' text format.
    """
    together = CollectorRegistry()
    for collector in (REGISTRY, *collectors):
        together.register(collector)
    encode, media_type = choose_encoder(accept)
    return encode(together), media_type


def serve_metrics(endpoint: str, setting: str) -> WSGIServer | None:
    """Serve the metrics of this process over HTTP, in a thread of its own.

    An endpoint that cannot be used is logged: a worker measures without monitoring too. Returns
    the server; None without one.

    Args:
        endpoint: address and port, such as `127.0.0.1:9464`; empty to serve none.
        setting: name of the variable that holds the endpoint.
    """
    if not endpoint:
        return None
    address, port = parse_endpoint(endpoint)
    try:
        server, _ = start_http_server(port, address, REGISTRY)
    except OSError as error:
        _log.error(
            "No metrics are served at %s: %s. Set %s to a free port of this machine.",
            endpoint,
            error.strerror or error,
            setting,
        )
        return None
    _log.info("Metrics are served at http://%s/metrics.", endpoint)
    return server
