"""Creates control groups for the process runtime, if this worker may do so.

They report exact CPU time and kinds of memory, as in Docker, and enforce the memory limit of a
service.
"""

import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from worker.resources.cgroup import Group, UnifiedTree, is_v2, list_trees
from worker.resources.cgroup_v1 import TreesV1, list_trees_v1
from worker.runtime.base import MAX_PROCESSES

_REMOVE_S = 1.0

GroupTree = UnifiedTree | TreesV1


def create_group(tree: GroupTree, name: str, memory_mb: int | None) -> Group:
    """Create a group with this memory limit and a limit on processes; raises `OSError`.

    With None, it has neither.
    """
    group = tree.create(name)
    if memory_mb is not None:
        group.limit(memory_mb * 1024 * 1024, MAX_PROCESSES)
    return group


def find_group_tree(root: Path) -> tuple[GroupTree | None, str]:
    """Return the folders in which this process may create groups, or None and why there are none.

    The reason completes a sentence that ends with "because".
    """
    own = parse_own_groups(Path("/proc/self/cgroup").read_text(encoding="utf-8"))
    trees: Sequence[GroupTree]
    trees = list_trees(root, own) if is_v2(root) else list_trees_v1(root, own)
    faults = []
    for tree in trees:
        fault = _find_fault(tree)
        if not fault:
            return tree, ""
        faults.append(fault)
    # The first place is nearest to the worker's own group.
    return None, next(iter(faults), f"{root} has no control groups for memory and processes")


def parse_own_groups(text: str) -> dict[str, str]:
    """Parse `/proc/self/cgroup` to paths by controller; "" stands for the unified hierarchy."""
    rows = (line.split(":", 2) for line in text.splitlines())
    return {controller: path for _, names, path in rows for controller in names.split(",")}


def _find_fault(tree: GroupTree) -> str:
    """Return why no child process can be placed; empty if it can.

    Permissions alone do not show that.
    """
    try:
        tree.enable()
        group = create_group(tree, f"probe-{time.time_ns()}", memory_mb=64)
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
    reason = error.strerror or str(error)
    return f"the worker may not make control groups in {tree.top.parent} ({reason})"


def remove_groups(folders: Iterable[Path]) -> None:
    """Remove groups after their processes were killed; the kernel releases them a little later."""
    deadline = time.monotonic() + _REMOVE_S
    for folder in folders:
        while folder.is_dir() and time.monotonic() < deadline:
            try:
                folder.rmdir()
            except OSError:
                time.sleep(0.002)
