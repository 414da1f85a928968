"""Counters from a container engine's stats, for control groups that are not visible."""

from collections.abc import Mapping
from typing import Any

from worker.resources.counters import Counters


def parse_engine_stats(stats: Mapping[str, Any]) -> Counters:
    """Parse an answer of `GET /containers/{id}/stats`; a stopped container has empty tables."""
    cpu = stats.get("cpu_stats") or {}
    memory = stats.get("memory_stats") or {}
    detail = memory.get("stats") or {}
    used = int(memory.get("usage", 0))
    return Counters(
        cpu_seconds=int((cpu.get("cpu_usage") or {}).get("total_usage", 0)) / 1e9,
        throttled_seconds=int((cpu.get("throttling_data") or {}).get("throttled_time", 0)) / 1e9,
        memory_bytes=used,
        memory_peak_bytes=int(memory.get("max_usage", 0)) or used,
        memory_anon_bytes=int(detail.get("total_rss", detail.get("anon", 0))),
        memory_file_bytes=int(detail.get("total_cache", detail.get("file", 0))),
        memory_sock_bytes=int(detail.get("sock", 0)),
        threads=int((stats.get("pids_stats") or {}).get("current", 0)),
    )
