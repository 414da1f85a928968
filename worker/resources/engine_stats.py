"""Parses a container engine's stats, for hosts whose control groups are not visible."""

from collections.abc import Mapping
from typing import TypedDict

from worker.resources.counters import Counters


class CpuStats(TypedDict, total=False):
    """CPU times of a container in nanoseconds."""

    cpu_usage: Mapping[str, int] | None
    throttling_data: Mapping[str, int] | None


class MemoryStats(TypedDict, total=False):
    """Memory of a container in bytes. Names in `stats` depend on the version of control groups."""

    usage: int
    max_usage: int
    stats: Mapping[str, int] | None


class EngineStats(TypedDict, total=False):
    """The fields that Tacho reads from an answer of `GET /containers/{id}/stats`."""

    cpu_stats: CpuStats | None
    memory_stats: MemoryStats | None
    pids_stats: Mapping[str, int] | None


def parse_engine_stats(stats: EngineStats) -> Counters:
    """Return counters from the engine's stats; a stopped container has empty tables."""
    cpu = stats.get("cpu_stats") or CpuStats()
    memory = stats.get("memory_stats") or MemoryStats()
    detail = memory.get("stats") or {}
    used = memory.get("usage", 0)
    return Counters(
        cpu_seconds=(cpu.get("cpu_usage") or {}).get("total_usage", 0) / 1e9,
        throttled_seconds=(cpu.get("throttling_data") or {}).get("throttled_time", 0) / 1e9,
        memory_bytes=used,
        memory_peak_bytes=memory.get("max_usage", 0) or used,
        memory_anon_bytes=detail.get("total_rss", detail.get("anon", 0)),
        memory_file_bytes=detail.get("total_cache", detail.get("file", 0)),
        memory_sock_bytes=detail.get("sock", 0),
        page_faults=detail.get("total_pgfault", detail.get("pgfault", 0)),
        threads=(stats.get("pids_stats") or {}).get("current", 0),
    )
