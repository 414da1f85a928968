"""Builds a service in a folder of its own, once per content digest."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from backend.core.config import get_settings
from backend.platform.disk import mentions_full_disk
from backend.platform.untrusted_folders import (
    MOST_LEVELS,
    FolderTooDeep,
    has_owner,
    measure_bytes,
)
from worker.runtime.base import Artifact, BuildRequest
from worker.runtime.build_limits import BuildLimits, describe_excess
from worker.runtime.build_rules import (
    find_build_proxy,
    list_build_rules,
    list_named_servers,
    list_proxy_variables,
)
from worker.runtime.building import BoundedLog, read_lines, run_build
from worker.runtime.errors import BuildFailed, BuildGone, RuntimeFailure
from worker.runtime.process.disk_watch import DiskWatch
from worker.runtime.process.go_cache import seed_go_cache
from worker.runtime.process.groups import GroupTree, create_group, remove_groups
from worker.runtime.process.ledger import MARK, Ledger
from worker.runtime.process.network import explain_no_build_network, open_build_network
from worker.runtime.process.sandbox import Network, NetworkNamespace, Sandbox, View
from worker.runtime.process.spawn import Confinement, spawn
from worker.runtime.process.stored import (
    RECORDS,
    BuildNote,
    forget_build,
    remove_if_present,
    touch_note,
)
from worker.runtime.process.toolchains import (
    choose_tools,
    list_tool_folders,
    rust_environment,
    substitute,
    tool_environment,
)
from worker.runtime.process.variables import list_named_files, select_variables
from worker.runtime.stored import name_build


@dataclass(frozen=True)
class BuildSetup:
    """The parts that all builds of a process runtime share.

    Attributes:
        top: folder of the builds.
        caches: folder with a cache for each service.
        seed: folder of the Go cache that builds begin with.
        tools: paths by the names that manifests use.
        groups: where control groups can be made; None if they cannot.
        sandbox: None if this host has no namespaces.
    """

    top: Path
    caches: Path
    seed: Path
    tools: Mapping[str, str]
    groups: GroupTree | None
    sandbox: Sandbox | None


class ProcessBuild:
    """A build of a service."""

    def __init__(self, setup: BuildSetup, request: BuildRequest) -> None:
        top = setup.top
        self._setup = setup
        self._limits = BuildLimits.read(get_settings())
        self._request = request
        self._tools = setup.tools
        name = name_build(request.slug, request.digest)
        self._folder = top / name
        # One for each service, so that a build cannot change what another build finds there.
        self._caches = setup.caches / request.slug
        # The place is part of it: another installation may build the same content at the same time.
        self._mark = f"build-{self._folder}"
        self._records = top / f"{name}{RECORDS}"
        self._ledger = Ledger(self._records, self._mark)
        self._log = BoundedLog()
        self._has_excess = False
        self._network: NetworkNamespace | None = None

    def run(self, on_log: Callable[[str], None], is_cancelled: Callable[[], bool]) -> Artifact:
        """Build unless the build exists; raises `BuildFailed`, `BuildGone`, `CancelledByUser`."""
        note = self._find_finished()
        if note is not None:
            touch_note(self._folder)
            return self._artifact(note, cached=True)
        if self._request.is_kept:
            raise BuildGone(self._request.slug, self._request.digest)
        self._tools = choose_tools(self._request, self._tools)
        # trusted path: only Tacho writes the folder of the processes of a build
        self._records.mkdir(parents=True, exist_ok=True)
        self._ledger.kill()  # left over from a build whose worker was killed
        started = time.monotonic()
        self._prepare_folders()
        try:
            run_build(
                self._request.slug,
                self._build,
                self._log,
                on_log,
                is_cancelled,
                self._ledger.kill,
                limit_s=get_settings().build_seconds,
            )
        except RuntimeFailure as error:
            if not self._has_excess:
                raise
            reason = describe_excess(self._request.slug, self._limits.disk_bytes)
            raise BuildFailed(reason, self._log.text) from error
        except FolderTooDeep as error:
            raise self._explain_depth() from error
        finally:
            self._ledger.kill()
            remove_groups(self._ledger.groups())
            remove_if_present(self._records)
        if mentions_full_disk(self._log.text):
            # On a full disk, npm truncates files and still ends with exit code 0.
            raise BuildFailed(f"The build of {self._request.slug} met a full disk.", self._log.text)
        note = BuildNote(time.monotonic() - started, self._measure_bytes())
        note.write(self._folder)
        return self._artifact(note, cached=False)

    def _find_finished(self) -> BuildNote | None:
        """Return the note about the build; None if it did not finish, or belongs to another user.

        The worker does not change the owner of files that a build has written.
        """
        sandbox = self._setup.sandbox
        if sandbox is None or has_owner(self._folder, sandbox.uid):
            return BuildNote.find(self._folder)
        return None

    def _measure_bytes(self) -> int:
        try:
            measure_bytes(self._caches)
            return measure_bytes(self._folder)
        except FolderTooDeep as error:
            raise self._explain_depth() from error

    def _explain_depth(self) -> BuildFailed:
        """Remove the caches, which may be what nests too many levels, and return the failure."""
        remove_if_present(self._caches)
        return BuildFailed(
            f"The build of {self._request.slug} nests folders in more than {MOST_LEVELS} levels.",
            self._log.text,
        )

    def _build(self, on_line: Callable[[str], None]) -> None:
        assert self._request.process is not None
        with ExitStack() as network:
            if self._request.process.build:
                self._network = self._open_network(network)
            for command in self._request.process.build:
                self._run_step(substitute(command, self._tools), on_line)

    def _open_network(self, stack: ExitStack) -> NetworkNamespace | None:
        """Return the network of this build; None if builds use that of the host."""
        sandbox = self._setup.sandbox
        if self._limits.network == "host" or sandbox is None or explain_no_build_network():
            return None
        servers = list_named_servers(select_variables(os.environ))
        rules = list_build_rules(get_settings(), servers)
        log = self._records / "network.log"
        place = self._ledger.add_process
        return stack.enter_context(open_build_network(sandbox, rules, place, log))

    def _run_step(self, command: Sequence[str], on_line: Callable[[str], None]) -> None:
        on_line("$ " + " ".join(command))
        with ExitStack() as step:
            spawned = spawn(
                command,
                folder=self._folder,
                environment=self._environment(),
                cpus=self._limits.cpus,
                record=self._ledger.add_process,
                place=self._limit_memory,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                confinement=self._confine(),
            )
            process = step.enter_context(spawned.process)
            step.enter_context(
                DiskWatch([self._folder, self._caches], self._limits.disk_bytes, self._exceed)
            )
            assert process.stdout is not None
            try:
                for line in read_lines(process.stdout):
                    on_line(line)
            except BaseException:
                process.kill()  # its context waits for its end
                raise
        if process.returncode != 0:
            raise BuildFailed(
                f"{self._request.slug}: `{' '.join(command)}` ended with exit code "
                f"{process.returncode}; its log shows why.",
                self._log.text,
            )

    # trusted paths: only Tacho can write their parent, and the folder is new
    def _prepare_folders(self) -> None:
        """Make the folder of the build, and the caches of its service if there are none.

        Once a build can write a folder, the worker writes nothing there.
        """
        forget_build(self._folder)
        remove_if_present(self._folder)
        self._folder.mkdir()
        self._request.source.copy_to(self._folder)
        sandbox = self._setup.sandbox
        if sandbox is not None:
            sandbox.own(self._folder)
        if not has_owner(self._caches, os.geteuid() if sandbox is None else sandbox.uid):
            self._make_caches()
        os.utime(self._caches, follow_symlinks=False)

    # trusted paths: only Tacho can write their parent
    def _make_caches(self) -> None:
        """Make the caches under another name, so that no build finds a part of them."""
        assert self._request.process is not None
        remove_if_present(self._caches)
        fresh = self._caches.with_name(f"{self._caches.name}.new")
        remove_if_present(fresh)
        fresh.mkdir(parents=True)
        if any(needed.startswith("go") for needed in self._request.process.requires):
            seed_go_cache(self._setup.seed, self._tools["go"], fresh)
        if self._setup.sandbox is not None:
            self._setup.sandbox.own(fresh)
        fresh.rename(self._caches)

    def _confine(self) -> Confinement | None:
        sandbox = self._setup.sandbox
        if sandbox is None or self._request.process is None:
            return None
        folders = list_tool_folders(self._request.process.requires, self._tools)
        view = View(
            folder=self._folder,
            temporary_bytes=self._limits.memory_bytes // 2,
            read_only=(*folders, *list_named_files(os.environ)),
            writable=(self._folder, self._caches),
            resolver=sandbox.resolver if self._network else Path("/etc/resolv.conf"),
        )
        return Confinement(sandbox, view, self._network or Network.HOST)

    def _limit_memory(self, pid: int) -> None:
        if self._setup.groups is not None:
            name = f"build-{os.getpid()}-{self._folder.name}"
            group = create_group(self._setup.groups, name, get_settings().build_memory_mb)
            for folder in group.folders:
                self._ledger.add_group(folder)
            group.place(pid)

    def _exceed(self) -> None:
        self._has_excess = True
        self._ledger.kill()

    def _environment(self) -> dict[str, str]:
        """Return the variables of the worker that a build may know, and a home of its own."""
        proxy = find_build_proxy(get_settings())
        base = {
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "HOME": str(self._caches),
            **rust_environment(),
            **select_variables(os.environ),
            **list_proxy_variables(proxy.url if proxy else ""),
        }
        return {**tool_environment(self._tools, base), MARK: self._mark}

    def _artifact(self, note: BuildNote, *, cached: bool) -> Artifact:
        digest = self._request.digest
        return Artifact(str(self._folder), digest, note.build_seconds, note.size_bytes, cached)
