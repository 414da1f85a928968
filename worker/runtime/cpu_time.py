"""Reads the CPU time of a single service of a pod."""

from worker.resources.counters import CounterSource, SourceGone
from worker.runtime.errors import RuntimeFailure


def read_cpu_seconds(name: str, source: CounterSource) -> float:
    """Return the CPU time of a service since its start; raises `RuntimeFailure` if it has ended."""
    try:
        return source.read().cpu_seconds
    except SourceGone as error:
        raise RuntimeFailure(f"The service {name} has ended.") from error
