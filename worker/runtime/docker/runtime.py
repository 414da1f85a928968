"""Runs trials on a container engine, local or remote."""

import logging
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from uuid import uuid4

from backend.core.config import get_settings
from backend.core.units import BuildNetwork, HostFolder, Isolation, RuntimeKind
from backend.platform.diagnosis.engine import find_filter_fault
from worker.resources.cgroup import DEFAULT_ROOT
from worker.runtime.base import Artifact, BuildRequest, CpuSets, PodSpec, RuntimeInfo
from worker.runtime.docker.bases import Bases
from worker.runtime.docker.build import DockerBuild
from worker.runtime.docker.build_network import find_reach
from worker.runtime.docker.engine import (
    LABEL_TRIAL,
    EngineClient,
    check_container_runtime,
    check_linux,
    connect,
    engine_errors,
    find_memory_fault,
)
from worker.runtime.docker.holder import ensure_holder_image, find_ulimits, holder_reference
from worker.runtime.docker.notes import ImageNotes
from worker.runtime.docker.pod import DockerPod, PodSetup
from worker.runtime.docker.removal import read_attempt, remove_containers
from worker.runtime.docker.stored import list_images
from worker.runtime.errors import RuntimeFailure
from worker.runtime.service_link import find_link_fault, name_link, remove_link
from worker.runtime.stored import StoredItem

_log = logging.getLogger(__name__)


class DockerRuntime:
    """Implements `worker.runtime.base.Runtime`.

    The control groups of the engine's host are mounted at `cgroup_root`, if this host sees them.
    """

    kind = RuntimeKind.DOCKER

    def __init__(
        self, k6: Path, bases: Bases, data_dir: Path, cgroup_root: Path = DEFAULT_ROOT
    ) -> None:
        self._k6 = k6
        self._bases = bases
        self._notes = ImageNotes(data_dir / "build" / "docker")
        self._cgroup_root = cgroup_root
        self._engine: EngineClient | None = None
        self._setup: PodSetup | None = None
        self._owner = os.getpid()
        self._lock = threading.Lock()

    @property
    def build_network(self) -> BuildNetwork:
        """Return what builds reach on this engine."""
        return find_reach(self._get_engine())

    def check(self) -> None:
        """Raise `RuntimeUnavailable` unless an engine that runs Linux containers answers."""
        check_linux(self._get_engine())
        if wanted := get_settings().container_runtime:
            check_container_runtime(self._get_engine(), wanted)
        with engine_errors("Asking the engine for its security options"):
            fault = find_filter_fault(self._get_engine().info().get("SecurityOptions"))
        if fault:
            _log.warning(fault)

    def find_remote_fault(self, address: str) -> str:
        """Return why load hosts cannot reach services here; empty if they can. A pod tries it."""
        if fault := find_link_fault(address):
            return fault
        spec = PodSpec("link", str(uuid4()), CpuSets((), (), ()), service_address=address)
        try:
            with self.open_pod(spec):
                return ""
        except RuntimeFailure as error:
            return error.detail

    def list_folders(self) -> Mapping[HostFolder, Path]:
        """Return the folder of the engine's images, if the engine is on this machine."""
        with engine_errors("Asking the engine for its folder"):
            folder = Path(str(self._get_engine().info().get("DockerRootDir") or ""))
        return {HostFolder.ENGINE: folder} if folder.is_absolute() and folder.is_dir() else {}

    def list_stored(self) -> list[StoredItem]:
        """Return the images that this installation has built on this engine."""
        return list_images(self._get_engine(), self._notes, holder_reference(self._k6))

    def describe(self) -> RuntimeInfo:
        """The engine's version."""
        with engine_errors("Asking the engine for its version"):
            return RuntimeInfo(
                RuntimeKind.DOCKER,
                "docker",
                str(self._get_engine().version()["Version"]),
                self._find_isolation(),
                find_memory_fault(self._get_engine().info()),
            )

    def _find_isolation(self) -> Isolation:
        if get_settings().container_runtime == "runsc":
            return Isolation.CONTAINER_GVISOR
        options = self._get_engine().info().get("SecurityOptions") or []
        has_user_namespace = any(
            str(option).startswith(("name=userns", "name=rootless")) for option in options
        )
        return Isolation.CONTAINER_USERNS if has_user_namespace else Isolation.CONTAINER

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
        """Remove every container with the labels of the trial and the attempt, and its link."""
        remove_containers(self._get_engine(), trial_id, attempt)
        remove_link(name_link(trial_id, attempt))

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
                image = ensure_holder_image(engine, self._k6, self._notes)
                ulimits = find_ulimits(engine, image)
                self._setup = PodSetup(engine, image, ulimits, self._cgroup_root)
            return self._setup
