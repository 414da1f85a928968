"""Creates control groups for the process runtime, if this worker may do so.

They report exact CPU time and kinds of memory, as in Docker, and enforce the memory limit of a
service.
"""

import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from worker.resources.cgroup import V1_CONTROLLERS, Cgroup, CgroupV1, CgroupV2, is_v2
from worker.runtime.base import MAX_PROCESSES

_NEEDED_V1 = ("cpuacct", "memory", "pids")
_NEEDED_V2 = ("memory", "pids")
_REMOVE_S = 1.0
_UNIFIED = "unified"


@dataclass(frozen=True)
class Group:
    """A control group, for placing processes and reading their resources."""

    folders: tuple[Path, ...]
    cgroup: Cgroup

    def place(self, pid: int) -> None:
        """Move a process into the group; raises `OSError`."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def has_run_out_of_memory(self) -> bool:
        """Return whether the kernel killed a process of the group because of its memory limit."""
        for folder in self.folders:
            for name in ("memory.events", "memory.oom_control"):
                with suppress(OSError):
                    text = (folder / name).read_text(encoding="ascii")
                    counts = dict(line.split() for line in text.splitlines())
                    if int(counts.get("oom_kill", 0)):
                        return True
        return False


@dataclass(frozen=True)
class GroupTree:
    """The parent folders of new groups, by controller, or a single folder named `unified`."""

    tops: Mapping[str, Path]

    def create(self, name: str, memory_mb: int | None) -> Group:
        """Create a group with this memory limit and a limit on processes; raises `OSError`.

        With None, it has neither.
        """
        folders = {controller: top / name for controller, top in self.tops.items()}
        for folder in folders.values():
            folder.mkdir(parents=True, exist_ok=True)
        unified = folders.get(_UNIFIED)
        if memory_mb is not None:
            limit = (
                unified / "memory.max" if unified else folders["memory"] / "memory.limit_in_bytes"
            )
            limit.write_text(str(memory_mb * 1024 * 1024), encoding="ascii")
            processes = (unified or folders["pids"]) / "pids.max"
            processes.write_text(str(MAX_PROCESSES), encoding="ascii")
        if unified:
            return Group((unified,), CgroupV2(unified))
        return Group(tuple(folders.values()), CgroupV1(folders))


def find_group_tree(root: Path) -> tuple[GroupTree | None, str]:
    """Return the folders in which this process may create groups, or None and why there are none.

    The reason completes a sentence that ends with "because".
    """
    own = parse_own_groups(Path("/proc/self/cgroup").read_text(encoding="utf-8"))
    candidates = _candidates_v2(root, own) if is_v2(root) else _candidates_v1(root, own)
    faults = []
    for tree in candidates:
        fault = _find_fault(tree)
        if not fault:
            return tree, ""
        faults.append(fault)
    # The first candidate is nearest to the worker's own group.
    return None, next(iter(faults), f"{root} has no control groups for memory and processes")


def parse_own_groups(text: str) -> dict[str, str]:
    """Parse `/proc/self/cgroup` to paths by controller; "" stands for the unified hierarchy."""
    rows = (line.split(":", 2) for line in text.splitlines())
    return {controller: path for _, names, path in rows for controller in names.split(",")}


def _candidates_v1(root: Path, own: Mapping[str, str]) -> list[GroupTree]:
    tops = {}
    for controller in V1_CONTROLLERS:
        base = root / controller
        inside = base / own.get(controller, "/").lstrip("/")
        if base.is_dir():
            # In a container, the path is the host's, but the mount begins at the container.
            tops[controller] = (inside if inside.is_dir() else base) / "tacho"
    return [GroupTree(tops)] if all(name in tops for name in _NEEDED_V1) else []


def _candidates_v2(root: Path, own: Mapping[str, str]) -> list[GroupTree]:
    """Use only ancestors: a group with processes, such as our own, cannot have child groups."""
    inside = root / own.get("", "/").lstrip("/")
    above = [folder for folder in (*inside.parents, root) if folder.is_relative_to(root)]
    return [GroupTree({_UNIFIED: folder / "tacho"}) for folder in dict.fromkeys(above)]


def _find_fault(tree: GroupTree) -> str:
    """Return why no child process can be placed; empty if it can.

    Permissions alone do not show that.
    """
    try:
        _enable_controllers(tree)
        group = tree.create(f"probe-{time.time_ns()}", memory_mb=64)
    except OSError as error:
        return _explain(tree, error)
    child = subprocess.Popen(["/bin/sh", "-c", "read -r _"], stdin=subprocess.PIPE)
    try:
        group.place(child.pid)
    except OSError as error:
        return _explain(tree, error)
    finally:
        child.communicate()
        remove_groups(group.folders)
    return ""


def _explain(tree: GroupTree, error: OSError) -> str:
    top = tree.tops.get(_UNIFIED) or tree.tops["memory"]
    reason = error.strerror or str(error)
    return f"the worker may not make control groups in {top.parent} ({reason})"


def _enable_controllers(tree: GroupTree) -> None:
    top = tree.tops.get(_UNIFIED)
    if top is None:
        return
    top.mkdir(exist_ok=True)
    for folder in (top.parent, top):
        for controller in ("cpu", *_NEEDED_V2):
            with suppress(OSError):  # it may be enabled already, or we may not enable it
                (folder / "cgroup.subtree_control").write_text(f"+{controller}", encoding="ascii")
    enabled = (top / "cgroup.subtree_control").read_text(encoding="ascii").split()
    if not set(_NEEDED_V2) <= set(enabled):
        top.rmdir()
        raise PermissionError("they have no controllers for memory and processes")


def remove_groups(folders: tuple[Path, ...] | list[Path]) -> None:
    """Remove groups after their processes were killed; the kernel releases them a little later."""
    deadline = time.monotonic() + _REMOVE_S
    for folder in folders:
        while folder.is_dir() and time.monotonic() < deadline:
            try:
                folder.rmdir()
            except OSError:
                time.sleep(0.002)
