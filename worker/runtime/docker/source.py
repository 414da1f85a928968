"""Reads the counters of a container: from its control group if visible, else from the engine."""

from pathlib import Path

import docker.errors

from worker.resources.cgroup import find_container, is_v2
from worker.resources.cgroup_v1 import find_container_v1
from worker.resources.counters import Counters, CounterSource, SourceGone
from worker.resources.engine_stats import parse_engine_stats
from worker.runtime.docker.engine import EngineClient, engine_errors


class ContainerSource:
    """Implements `worker.resources.counters.CounterSource` for a running container."""

    def __init__(self, engine: EngineClient, container_id: str, cgroup_root: Path) -> None:
        self._engine = engine
        self._container_id = container_id
        self._cgroup_root = cgroup_root
        self._cgroup: CounterSource | None = None
        self._searched = False

    @property
    def name(self) -> str:
        """Return `cgroup_v1`, `cgroup_v2` or `engine_stats`."""
        cgroup = self._find_cgroup()
        return cgroup.name if cgroup else "engine_stats"

    def read(self) -> Counters:
        """Return the present counters; raises `SourceGone` if the container has stopped."""
        cgroup = self._find_cgroup()
        return cgroup.read() if cgroup else self._read_stats()

    def _find_cgroup(self) -> CounterSource | None:
        if not self._searched:
            find = find_container if is_v2(self._cgroup_root) else find_container_v1
            self._cgroup = find(self._cgroup_root, self._container_id)
            self._searched = True
        return self._cgroup

    def _read_stats(self) -> Counters:
        with engine_errors("Reading a container's stats"):
            try:
                stats = self._engine.stats(self._container_id, stream=False, one_shot=True)
            except docker.errors.NotFound as error:
                raise SourceGone(self._container_id) from error
        counters = parse_engine_stats(stats)
        if counters.threads == 0:
            raise SourceGone(self._container_id)
        return counters
