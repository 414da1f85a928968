"""Control groups of version 1, which have a tree for each controller.

Debian 12's engine of Docker on a host that boots with version 1 needs it. Without such hosts, this
file can be removed with the branches that call it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from worker.resources.cgroup import Group, find_folder, parse_flat, read_files, read_number
from worker.resources.counters import Counters, SourceGone

_FILES = {
    "cpuacct": ("cpuacct.usage",),
    "cpu": ("cpu.stat",),
    "memory": (
        "memory.usage_in_bytes",
        "memory.max_usage_in_bytes",
        "memory.stat",
        "memory.kmem.tcp.usage_in_bytes",
    ),
    "pids": ("pids.current",),
}
_NEEDED = ("cpuacct", "memory", "pids")


@dataclass(frozen=True)
class CgroupV1:
    """Implements `worker.resources.counters.CounterSource` for a control group of version 1."""

    folders: Mapping[str, Path]
    name: str = "cgroup_v1"

    def read(self) -> Counters:
        """Return the present counters; raises `SourceGone` if the group was removed.

        A file that the kernel does not offer counts as zero.
        """
        files = read_files(
            folder / file for name, folder in self.folders.items() for file in _FILES[name]
        )
        if "cpuacct.usage" not in files:
            raise SourceGone(str(self.folders.get("cpuacct")))
        memory = parse_flat(files.get("memory.stat", ""))
        throttled_ns = parse_flat(files.get("cpu.stat", "")).get("throttled_time", 0)
        return Counters(
            cpu_seconds=read_number(files, "cpuacct.usage") / 1e9,
            throttled_seconds=throttled_ns / 1e9,
            memory_bytes=read_number(files, "memory.usage_in_bytes"),
            memory_peak_bytes=read_number(files, "memory.max_usage_in_bytes"),
            memory_anon_bytes=memory.get("total_rss", 0),
            memory_file_bytes=memory.get("total_cache", 0),
            memory_sock_bytes=read_number(files, "memory.kmem.tcp.usage_in_bytes"),
            page_faults=memory.get("total_pgfault", 0),
            threads=read_number(files, "pids.current"),
        )


def is_v1(root: Path) -> bool:
    """Return whether control groups of version 1 are mounted at `root`."""
    return (root / "cpuacct").is_dir()


def find_container_v1(root: Path, container_id: str) -> CgroupV1 | None:
    """Return the group of a running container, or None if this process cannot see it."""
    accounting = find_folder(root / "cpuacct", container_id)
    if accounting is None:
        return None
    relative = accounting.relative_to(root / "cpuacct")
    folders = {name: root / name / relative for name in _FILES}
    return CgroupV1({name: folder for name, folder in folders.items() if folder.is_dir()})


@dataclass(frozen=True)
class TreesV1:
    """The parent folders of new groups, by controller: the counterpart of `UnifiedTree`."""

    tops: Mapping[str, Path]

    @property
    def top(self) -> Path:
        """Return the parent folder of the memory controller."""
        return self.tops["memory"]

    def enable(self) -> None:
        """Do nothing: each controller has a tree of its own."""

    def create(self, name: str) -> Group:
        """Create a group without limits; raises `OSError`."""
        folders = {controller: top / name for controller, top in self.tops.items()}
        for folder in folders.values():
            folder.mkdir(parents=True, exist_ok=True)
        return Group(
            folders=tuple(folders.values()),
            cgroup=CgroupV1(folders),
            memory_limit=folders["memory"] / "memory.limit_in_bytes",
            memory_events=folders["memory"] / "memory.oom_control",
            process_limit=folders["pids"] / "pids.max",
        )


def list_trees_v1(root: Path, own: Mapping[str, str]) -> list[TreesV1]:
    """Return the place of new groups, if the controllers that they need are mounted.

    Args:
        own: paths of the worker's groups by controller.
    """
    tops = {}
    for controller in _FILES:
        base = root / controller
        inside = base / own.get(controller, "/").lstrip("/")
        if base.is_dir():
            # In a container, the path is the host's, but the mount begins at the container.
            tops[controller] = (inside if inside.is_dir() else base) / "tacho"
    return [TreesV1(tops)] if all(name in tops for name in _NEEDED) else []
