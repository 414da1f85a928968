"""Joins a second's load with its resources for the live view."""

import threading

from backend.core.runs.live.events import LoadSecond, UsageSecond
from backend.core.units import Phase
from worker.sampling.sampler import ResourceSecond
from worker.stages.context import TrialProgress


class LiveView:
    """Publishes each second once, as soon as both its load and its resources are known.

    Load comes from k6's output, resources from the sampler's thread. Lines that arrive after their
    second was published appear only in the stored series.
    """

    def __init__(
        self, progress: TrialProgress, trial_cpus: int, *, is_load_here: bool = True
    ) -> None:
        """Publish to `progress`; without `is_load_here`, the CPU time of the load is unknown.

        Args:
            trial_cpus: number of CPUs of all roles, each once.
        """
        self._progress = progress
        self._trial_cpus = trial_cpus
        self._is_load_here = is_load_here
        self._loads: dict[int, tuple[Phase, int, LoadSecond]] = {}
        self._usages: dict[int, UsageSecond] = {}
        self._published: set[int] = set()
        self._lock = threading.Lock()

    def take_load(self, second: int, place: tuple[Phase, int], load: LoadSecond) -> None:
        """Take k6's counts of a second; `place` is its phase and its number in the phase."""
        with self._lock:
            if second in self._published:
                return
            self._loads[second] = (*place, load)
        self._publish(second)

    def take_resources(self, row: ResourceSecond) -> None:
        """Take the resources of a second of the load."""
        use = row.resources
        taken = (use.cpu_other_seconds or 0.0) + (use.cpu_steal_seconds or 0.0)
        usage = UsageSecond(
            cpu_service_seconds=use.cpu_service_seconds,
            cpu_load_seconds=use.cpu_load_seconds if self._is_load_here else None,
            memory_bytes=use.memory_bytes,
            taken_share=None if use.cpu_other_seconds is None else taken / self._trial_cpus,
        )
        with self._lock:
            self._usages[row.second] = usage
        self._publish(row.second)

    def _publish(self, second: int) -> None:
        with self._lock:
            if second not in self._loads or second not in self._usages:
                return
            phase, number, load = self._loads.pop(second)
            usage = self._usages.pop(second)
            self._published.add(second)
        self._progress.sample(phase, number, load, usage)
