"""Runs trials without a container engine: builds in folders, services as processes."""

import logging
import os
import platform
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from backend.core.config import get_settings
from backend.core.units import BuildNetwork, HostFolder, Isolation, RuntimeKind
from worker.resources.cgroup import DEFAULT_ROOT
from worker.runtime.base import Artifact, BuildRequest, PodSpec, RuntimeInfo
from worker.runtime.errors import RuntimeFailure, RuntimeUnavailable
from worker.runtime.process.build import BuildSetup, ProcessBuild
from worker.runtime.process.groups import GroupTree, find_group_tree, remove_groups
from worker.runtime.process.ledger import Ledger, read_attempt
from worker.runtime.process.network import explain_no_build_network
from worker.runtime.process.pod import ProcessPod, ProcessSetup
from worker.runtime.process.sandbox import Sandbox, find_sandbox
from worker.runtime.process.stored import list_builds, list_caches, remove_if_present
from worker.runtime.service_link import find_link_fault, name_link, remove_link
from worker.runtime.stored import StoredItem, list_folders

_log = logging.getLogger(__name__)

_MIN_KERNEL = (5, 3)


class ProcessRuntime:
    """Implements `worker.runtime.base.Runtime`.

    `tools` maps the names that manifests use (`node`, `python`, `go` …) to paths. Without
    `use_cgroups`, or if groups cannot be created, counters are read from the process tree. Without
    `use_sandbox`, or if the kernel refuses namespaces, programs run unconfined.
    """

    kind = RuntimeKind.PROCESS

    def __init__(
        self,
        k6: Path,
        data_dir: Path,
        tools: Mapping[str, str],
        cgroup_root: Path = DEFAULT_ROOT,
        *,
        use_cgroups: bool = True,
        use_sandbox: bool = True,
    ) -> None:
        self._k6 = k6.resolve()  # trusted path: only Tacho builds the load generator
        self._tools = dict(tools)
        data = data_dir.resolve()  # trusted path: only Tacho can write the data folder
        self._sandbox_files = data / "sandbox"
        self._builds = data / "build" / "process"
        self._caches = data / "build" / "caches"
        self._trials = data / "trials"
        self._cgroup_root = cgroup_root
        self._use_cgroups = use_cgroups
        self._use_sandbox = use_sandbox
        self._setup: ProcessSetup | None = None
        # Why memory is not limited; known with the setup.
        self._memory_fault = "" if use_cgroups else "Tacho was started without control groups"
        # Whether pods can keep their own network, by service address.
        self._can_link: dict[str, bool] = {}
        self._lock = threading.Lock()

    @property
    def build_network(self) -> BuildNetwork:
        """Return `HOST` also if this host cannot make networks for builds."""
        settings = get_settings()
        if self._get_setup().sandbox is None or explain_no_build_network():
            return BuildNetwork.HOST
        if settings.build_network == "host":
            return BuildNetwork.HOST
        return BuildNetwork.PROXY if settings.build_proxy else BuildNetwork.FILTERED

    def check(self) -> None:
        """Raise `RuntimeUnavailable` unless this host runs a Linux that is new enough."""
        if sys.platform != "linux":
            raise RuntimeUnavailable(
                "Without a container engine services run on Linux only.",
                "Install Docker, or use a Linux host.",
            )
        release = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
        if release < _MIN_KERNEL or not hasattr(os, "pidfd_open"):
            raise RuntimeUnavailable(
                f"Linux {platform.release()} is too old for the process runtime.",
                "Use Linux 5.3 or newer, or Docker.",
            )

    def find_remote_fault(self, address: str) -> str:
        """Return nothing: services share the network of this host where it cannot make links.

        It logs why.
        """
        self._has_links(address)
        return ""

    def list_folders(self) -> Mapping[HostFolder, Path]:
        """Return nothing: all builds are in the data folder."""
        return {}

    def list_stored(self) -> list[StoredItem]:
        """Return the folders of builds, and the caches of each service."""
        return [*list_builds(self._builds), *list_caches(self._caches)]

    def describe(self) -> RuntimeInfo:
        """Return the kernel's version: plain processes have no engine."""
        has_sandbox = self._get_setup().sandbox is not None
        isolation = Isolation.NAMESPACES_FILTER if has_sandbox else Isolation.NONE
        return RuntimeInfo(
            RuntimeKind.PROCESS, "linux", platform.release(), isolation, self._memory_fault
        )

    def build(
        self,
        request: BuildRequest,
        on_log: Callable[[str], None],
        is_cancelled: Callable[[], bool],
    ) -> Artifact:
        """Build in a copy of the service's folder, once per digest; return the artifact."""
        own = self._get_setup()
        # The load generator is in a folder of its own, which installations for tests share.
        seeds = self._k6.parent.parent
        setup = BuildSetup(self._builds, self._caches, seeds, self._tools, own.groups, own.sandbox)
        return ProcessBuild(setup, request).run(on_log, is_cancelled)

    def open_pod(self, spec: PodSpec) -> ProcessPod:
        """Remove the leftovers of earlier attempts of the same trial; return an empty pod."""
        folder = self._folder(spec.trial_id)
        if folder.exists():  # trusted path: only Tacho can write its parent
            self.remove_attempt(spec.trial_id, read_attempt(folder))
        if spec.service_address and not self._has_links(spec.service_address):
            spec = replace(spec, uses_host_network=True)
        return ProcessPod(self._get_setup(), spec, folder)

    def list_attempts(self) -> set[tuple[str, int]]:
        """Return id and attempt of the trials that have a folder here."""
        return {(folder.name, read_attempt(folder)) for folder in list_folders(self._trials)}

    def remove_attempt(self, trial_id: str, attempt: int) -> None:
        """Kill the attempt's processes by its ledger, then remove its groups and folder."""
        folder = self._folder(trial_id)
        ledger = Ledger(folder, trial_id, attempt)
        ledger.kill()
        remove_groups(ledger.groups())
        remove_link(name_link(trial_id, attempt))
        if read_attempt(folder) == attempt:
            remove_if_present(folder)

    def _folder(self, trial_id: str) -> Path:
        if not trial_id or "/" in trial_id or trial_id.startswith("."):
            raise RuntimeFailure(f"{trial_id!r} is not the id of a trial.")
        return self._trials / trial_id

    def _has_links(self, address: str) -> bool:
        """Return whether services that load hosts reach at this address keep their own network."""
        if self._get_setup().sandbox is None:
            return False
        with self._lock:
            if address not in self._can_link:
                fault = find_link_fault(address)
                self._can_link[address] = not fault
                if fault:
                    _log.warning(
                        "services share this host's network under load of load hosts: %s", fault
                    )
            return self._can_link[address]

    def _get_setup(self) -> ProcessSetup:
        with self._lock:
            if self._setup is None:
                groups = self._find_groups()
                self._setup = ProcessSetup(self._k6, self._tools, groups, self._find_sandbox())
            return self._setup

    def _find_groups(self) -> GroupTree | None:
        if not self._use_cgroups:
            return None
        groups, self._memory_fault = find_group_tree(self._cgroup_root)
        return groups

    def _find_sandbox(self) -> Sandbox | None:
        if not self._use_sandbox:
            return None
        sandbox, reason = find_sandbox(self._sandbox_files)
        if sandbox is None:
            _log.warning("services run without isolation: %s", reason)
        return sandbox
