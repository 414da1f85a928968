"""Joins a second's load with its resources for the live view."""

import threading
from collections.abc import Mapping

from backend.core.units import Phase
from worker.sampling.sampler import ResourceSecond
from worker.stages.context import TrialProgress


class LiveView:
    """Publishes each second once, as soon as both its load and its resources are known.

    Load comes from k6's output, resources from the sampler's thread. Lines that arrive after their
    second was published appear only in the stored series.
    """

    def __init__(self, progress: TrialProgress) -> None:
        self._progress = progress
        self._halves: dict[int, dict[str, object]] = {}
        self._published: set[int] = set()
        self._lock = threading.Lock()

    def take_load(self, second: int, place: tuple[Phase, int], load: Mapping[str, object]) -> None:
        """Take k6's counts of a second; `place` is its phase and its number in the phase."""
        phase, number = place
        self._take(second, {"phase": phase, "second": number, **load})

    def take_resources(self, row: ResourceSecond) -> None:
        """Take the resources of a second of the load."""
        used = {
            "cpu_service_seconds": row.resources.cpu_service_seconds,
            "cpu_load_seconds": row.resources.cpu_load_seconds,
            "memory_bytes": row.resources.memory_bytes,
        }
        self._take(row.second, used)

    def _take(self, second: int, half: Mapping[str, object]) -> None:
        with self._lock:
            if second in self._published:
                return
            whole = {**self._halves.pop(second, {}), **half}
            if not {"requests", "memory_bytes"} <= whole.keys():
                self._halves[second] = whole
                return
            self._published.add(second)
        self._progress.sample(whole)
