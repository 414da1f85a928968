"""Runs trials on a container engine, local or remote."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from backend.core.units import RuntimeKind
from worker.resources.cgroup import DEFAULT_ROOT
from worker.runtime.base import Artifact, BuildRequest, Isolation, PodSpec, RuntimeInfo
from worker.runtime.docker.build import BaseImages, DockerBuild
from worker.runtime.docker.engine import (
    LABEL_TRIAL,
    EngineClient,
    check_linux,
    connect,
    engine_errors,
)
from worker.runtime.docker.holder import ensure_holder_image, find_ulimits
from worker.runtime.docker.pod import DockerPod, PodSetup, read_attempt, remove_containers


class DockerRuntime:
    """Implements `worker.runtime.base.Runtime`.

    The control groups of the engine's host are mounted at `cgroup_root`, if this host sees them.
    """

    kind = RuntimeKind.DOCKER

    def __init__(
        self, k6: Path, bases: BaseImages, data_dir: Path, cgroup_root: Path = DEFAULT_ROOT
    ) -> None:
        self._k6 = k6
        self._bases = bases
        self._notes = data_dir / "build" / "docker"
        self._cgroup_root = cgroup_root
        self._engine: EngineClient | None = None
        self._setup: PodSetup | None = None
        self._owner = os.getpid()
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raise `RuntimeUnavailable` unless an engine that runs Linux containers answers."""
        check_linux(self._get_engine())

    def describe(self) -> RuntimeInfo:
        """The engine's version."""
        with engine_errors("Asking the engine for its version"):
            return RuntimeInfo(
                RuntimeKind.DOCKER,
                "docker",
                str(self._get_engine().version()["Version"]),
                Isolation.CONTAINER,
            )

    def build(
        self,
        request: BuildRequest,
        on_log: Callable[[str], None],
        is_cancelled: Callable[[], bool],
    ) -> Artifact:
        """Return the service's image, which is built once per digest and engine."""
        return DockerBuild(request, self._bases, self._notes).run(on_log, is_cancelled)

    def open_pod(self, spec: PodSpec) -> DockerPod:
        """Return a pod whose holder runs; raises `RuntimeFailure`."""
        setup = self._get_setup()
        for trial_id, attempt in self.list_attempts():
            if trial_id == spec.trial_id:
                self.remove_attempt(trial_id, attempt)
        return DockerPod(setup, spec)

    def list_attempts(self) -> set[tuple[str, int]]:
        """Return id and attempt of the trials that have a container on this engine."""
        with engine_errors("Listing containers"):
            found = self._get_engine().containers(all=True, filters={"label": LABEL_TRIAL})
        return {(container["Labels"][LABEL_TRIAL], read_attempt(container)) for container in found}

    def remove_attempt(self, trial_id: str, attempt: int) -> None:
        """Remove every container with the labels of the trial and the attempt."""
        remove_containers(self._get_engine(), trial_id, attempt)

    def _get_engine(self) -> EngineClient:
        """Return this process's connection: a fork must not share the connection of its parent."""
        with self._lock:
            if self._engine is None or self._owner != os.getpid():
                self._engine, self._setup, self._owner = connect(), None, os.getpid()
            return self._engine

    def _get_setup(self) -> PodSetup:
        engine = self._get_engine()
        with self._lock:
            if self._setup is None:
                image = ensure_holder_image(engine, self._k6)
                ulimits = find_ulimits(engine, image)
                self._setup = PodSetup(engine, image, ulimits, self._cgroup_root)
            return self._setup
