"""Reads the kernel's resource counters of a control group, version 1 and version 2."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from worker.resources.counters import Counters, SourceGone

DEFAULT_ROOT = Path("/sys/fs/cgroup")
V1_CONTROLLERS = ("cpuacct", "cpu", "memory", "pids")
_SEARCH_DEPTH = 7


def parse_flat(text: str) -> dict[str, int]:
    """Parse `memory.stat` or `cpu.stat`, which have one `key value` per line."""
    pairs = (line.split() for line in text.splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2}


def counters_v1(files: Mapping[str, str]) -> Counters:
    """Return counters from the texts of version 1's files; a missing file counts as zero."""
    memory = parse_flat(files.get("memory.stat", ""))
    throttled_ns = parse_flat(files.get("cpu.stat", "")).get("throttled_time", 0)
    return Counters(
        cpu_seconds=_number(files, "cpuacct.usage") / 1e9,
        throttled_seconds=throttled_ns / 1e9,
        memory_bytes=_number(files, "memory.usage_in_bytes"),
        memory_peak_bytes=_number(files, "memory.max_usage_in_bytes"),
        memory_anon_bytes=memory.get("total_rss", 0),
        memory_file_bytes=memory.get("total_cache", 0),
        memory_sock_bytes=_number(files, "memory.kmem.tcp.usage_in_bytes"),
        page_faults=memory.get("total_pgfault", 0),
        threads=_number(files, "pids.current"),
    )


def counters_v2(files: Mapping[str, str]) -> Counters:
    """Return counters from the texts of version 2's files; Linux before 5.19 reports no peak."""
    cpu = parse_flat(files.get("cpu.stat", ""))
    memory = parse_flat(files.get("memory.stat", ""))
    current = _number(files, "memory.current")
    return Counters(
        cpu_seconds=cpu.get("usage_usec", 0) / 1e6,
        throttled_seconds=cpu.get("throttled_usec", 0) / 1e6,
        memory_bytes=current,
        memory_peak_bytes=_number(files, "memory.peak") or current,
        memory_anon_bytes=memory.get("anon", 0),
        memory_file_bytes=memory.get("file", 0),
        memory_sock_bytes=memory.get("sock", 0),
        page_faults=memory.get("pgfault", 0),
        threads=_number(files, "pids.current"),
    )


def _number(files: Mapping[str, str], name: str) -> int:
    text = files.get(name, "").strip()
    return int(text) if text.isdigit() else 0


_V1_FILES = {
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
_V2_FILES = ("cpu.stat", "memory.current", "memory.peak", "memory.stat", "pids.current")


@dataclass(frozen=True)
class CgroupV1:
    """A control group of version 1, which has a folder per controller."""

    folders: Mapping[str, Path]
    name: str = "cgroup_v1"

    def read(self) -> Counters:
        """Return the present counters; raises `SourceGone` if the group was removed."""
        paths = [
            folder / file
            for controller, folder in self.folders.items()
            for file in _V1_FILES[controller]
        ]
        files = _read_files(paths)
        if "cpuacct.usage" not in files:
            raise SourceGone(str(self.folders.get("cpuacct")))
        return counters_v1(files)


@dataclass(frozen=True)
class CgroupV2:
    """A control group of version 2, which has a single folder."""

    folder: Path
    name: str = "cgroup_v2"

    def read(self) -> Counters:
        """Return the present counters; raises `SourceGone` if the group was removed."""
        files = _read_files([self.folder / file for file in _V2_FILES])
        if "cpu.stat" not in files:
            raise SourceGone(str(self.folder))
        return counters_v2(files)


Cgroup = CgroupV1 | CgroupV2


def _read_files(paths: list[Path]) -> dict[str, str]:
    """Return the texts of files that this kernel offers, by file name."""
    texts = {}
    for path in paths:
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            texts[path.name] = os.read(descriptor, 65536).decode()
        except OSError:  # the group was removed between open and read
            continue
        finally:
            os.close(descriptor)
    return texts


def is_v2(root: Path = DEFAULT_ROOT) -> bool:
    """Return whether the tree at `root` is the unified (version 2) hierarchy."""
    return (root / "cgroup.controllers").exists()


def is_visible(root: Path) -> bool:
    """Return whether control groups of version 1 or 2 are mounted at `root`."""
    return is_v2(root) or (root / "cpuacct").is_dir()


def find_container_cgroup(root: Path, container_id: str) -> Cgroup | None:
    """Return the group of a running container, or None if this process cannot see it."""
    if is_v2(root):
        folder = _find_folder(root, container_id)
        return CgroupV2(folder) if folder else None
    accounting = _find_folder(root / "cpuacct", container_id)
    if accounting is None:
        return None
    relative = accounting.relative_to(root / "cpuacct")
    folders = {name: root / name / relative for name in V1_CONTROLLERS}
    return CgroupV1({name: folder for name, folder in folders.items() if folder.is_dir()})


def _find_folder(top: Path, container_id: str) -> Path | None:
    """Return the folder of the group `<id>`, or of `docker-<id>.scope` under systemd."""
    for usual in (f"docker/{container_id}", f"system.slice/docker-{container_id}.scope"):
        if (top / usual).is_dir():
            return top / usual
    for path, folders, _ in os.walk(top):
        hit = next((name for name in folders if container_id in name), None)
        if hit:
            return Path(path, hit)
        if len(Path(path).relative_to(top).parts) >= _SEARCH_DEPTH:
            folders.clear()
    return None
