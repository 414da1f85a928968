"""Joins a second's load with its resources for the live view."""

import threading
from typing import Any

from backend.core.units import Phase
from worker.pipeline.reporter import Reporter
from worker.sampling.sampler import ResourceSecond


class LiveView:
    """Publishes each second once, as soon as both halves are there.

    Load comes from k6's output, resources from the sampler's thread. Lines that arrive after their
    second was published appear only in the stored series.
    """

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._halves: dict[int, dict[str, Any]] = {}
        self._published: set[int] = set()
        self._lock = threading.Lock()

    def take_load(self, second: int, place: tuple[Phase, int], load: dict[str, Any]) -> None:
        """Take k6's counts of a second; `place` is its phase and its number in the phase."""
        phase, number = place
        self._take(second, {"phase": phase, "second": number, **load})

    def take_resources(self, row: ResourceSecond) -> None:
        """Take the resources of a second of the load."""
        used = {
            "cpu_service_seconds": row.cpu_seconds_service,
            "cpu_load_seconds": row.cpu_seconds_load,
            "memory_bytes": row.memory_bytes,
        }
        self._take(row.second, used)

    def _take(self, second: int, half: dict[str, Any]) -> None:
        with self._lock:
            if second in self._published:
                return
            whole = self._halves.pop(second, {}) | half
            if not {"requests", "memory_bytes"} <= whole.keys():
                self._halves[second] = whole
                return
            self._published.add(second)
        self._reporter.sample(whole)
