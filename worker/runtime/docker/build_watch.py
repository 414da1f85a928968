"""Limits the steps of a build where the engine's builder has no limit of its own."""

import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

import docker.errors
import requests

from worker.runtime.docker.engine import EngineClient, connect

_PAUSE_S = 1.0


class BuildWatch:
    """Limits processes and disk space of the step that runs. It has its own connection.

    Args:
        processes: maximum number of processes of a step.
        disk_bytes: maximum size of the files that a step writes.
        stop: called once if a step exceeds `disk_bytes`.
    """

    def __init__(self, processes: int, disk_bytes: int, stop: Callable[[], None]) -> None:
        self._processes = processes
        self._disk_bytes = disk_bytes
        self._stop = stop
        self._engine: EngineClient = connect()
        self._container = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="build-watch", daemon=True)
        self.has_excess = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._engine.close()

    def begin_step(self, container: str) -> None:
        """Limit the processes of the container of a step, and watch its size."""
        self._container = container
        # The step may have ended already.
        with suppress(docker.errors.APIError, requests.RequestException):
            self._engine.limit_processes(container, self._processes)

    def _watch(self) -> None:
        while not self._ended.wait(_PAUSE_S):
            if self._container and self._read_size_bytes() > self._disk_bytes:
                self.has_excess = True
                self._stop()
                return

    def _read_size_bytes(self) -> int:
        try:
            found = self._engine.containers(all=True, size=True, filters={"id": self._container})
        except (docker.errors.APIError, requests.RequestException):
            return 0
        return max((container.get("SizeRw", 0) for container in found), default=0)
