"""Control groups of the kernel: reads their resource counters, and makes them.

It is about version 2, with a single tree. `cgroup_v1` has all that hosts with version 1 need.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from worker.resources.counters import Counters, CounterSource, SourceGone

DEFAULT_ROOT = Path("/sys/fs/cgroup")
_CONTROLLERS = ("memory", "pids")
_SEARCH_DEPTH = 7
_FILES = ("cpu.stat", "memory.current", "memory.peak", "memory.stat", "pids.current")


@dataclass(frozen=True)
class Cgroup:
    """Implements `worker.resources.counters.CounterSource` for a control group."""

    folder: Path
    name: str = "cgroup_v2"

    def read(self) -> Counters:
        """Return the present counters; raises `SourceGone` if the group was removed.

        Linux before 5.19 reports no peak.
        """
        files = read_files([self.folder / file for file in _FILES])
        if "cpu.stat" not in files:
            raise SourceGone(str(self.folder))
        cpu = parse_flat(files["cpu.stat"])
        memory = parse_flat(files.get("memory.stat", ""))
        current = read_number(files, "memory.current")
        return Counters(
            cpu_seconds=cpu.get("usage_usec", 0) / 1e6,
            throttled_seconds=cpu.get("throttled_usec", 0) / 1e6,
            memory_bytes=current,
            memory_peak_bytes=read_number(files, "memory.peak") or current,
            memory_anon_bytes=memory.get("anon", 0),
            memory_file_bytes=memory.get("file", 0),
            memory_sock_bytes=memory.get("sock", 0),
            page_faults=memory.get("pgfault", 0),
            threads=read_number(files, "pids.current"),
        )


def is_v2(root: Path = DEFAULT_ROOT) -> bool:
    """Return whether the tree at `root` is the unified (version 2) hierarchy."""
    return (root / "cgroup.controllers").exists()


def find_container(root: Path, container_id: str) -> Cgroup | None:
    """Return the group of a running container, or None if this process cannot see it."""
    folder = find_folder(root, container_id)
    return Cgroup(folder) if folder else None


def find_folder(top: Path, container_id: str) -> Path | None:
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


def read_files(paths: Iterable[Path]) -> dict[str, str]:
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


def parse_flat(text: str) -> dict[str, int]:
    """Parse `memory.stat` or `cpu.stat`, which have one `key value` per line."""
    pairs = (line.split() for line in text.splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2}


def read_number(files: Mapping[str, str], name: str) -> int:
    """Return the number in a file; 0 without the file, or if it has no number."""
    text = files.get(name, "").strip()
    return int(text) if text.isdigit() else 0


@dataclass(frozen=True)
class Group:
    """A control group of this worker, for placing processes and reading their resources.

    Attributes:
        folders: its folder; with version 1, one for each controller.
        memory_limit: file with the limit in bytes.
        memory_events: file with the number of processes that the kernel killed for their memory.
        process_limit: file with the limit on processes.
    """

    folders: tuple[Path, ...]
    cgroup: CounterSource
    memory_limit: Path
    memory_events: Path
    process_limit: Path

    def limit(self, memory_bytes: int, processes: int) -> None:
        """Limit the memory and the number of its processes; raises `OSError`."""
        self.memory_limit.write_text(str(memory_bytes), encoding="ascii")
        self.process_limit.write_text(str(processes), encoding="ascii")

    def place(self, pid: int) -> None:
        """Move a process into the group; raises `OSError`."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def has_run_out_of_memory(self) -> bool:
        """Return whether the kernel killed a process of the group because of its memory limit."""
        events = read_files([self.memory_events])
        return any(parse_flat(text).get("oom_kill", 0) for text in events.values())


@dataclass(frozen=True)
class UnifiedTree:
    """The parent folder of new groups."""

    top: Path

    def enable(self) -> None:
        """Make the parent folder, and enable the controllers there; raises `OSError`."""
        self.top.mkdir(exist_ok=True)
        for folder in (self.top.parent, self.top):
            for controller in ("cpu", *_CONTROLLERS):
                with suppress(OSError):  # it may be enabled already, or we may not enable it
                    control = folder / "cgroup.subtree_control"
                    control.write_text(f"+{controller}", encoding="ascii")
        enabled = (self.top / "cgroup.subtree_control").read_text(encoding="ascii").split()
        if not set(_CONTROLLERS) <= set(enabled):
            self.top.rmdir()
            raise PermissionError("they have no controllers for memory and processes")

    def create(self, name: str) -> Group:
        """Create a group without limits; raises `OSError`."""
        folder = self.top / name
        folder.mkdir(parents=True, exist_ok=True)
        return Group(
            folders=(folder,),
            cgroup=Cgroup(folder),
            memory_limit=folder / "memory.max",
            memory_events=folder / "memory.events",
            process_limit=folder / "pids.max",
        )


def list_trees(root: Path, own: Mapping[str, str]) -> list[UnifiedTree]:
    """Return the places of new groups, the nearest to the worker's own group first.

    They are ancestors: a group with processes, such as our own, cannot have child groups.

    Args:
        own: paths of the worker's groups by controller; "" stands for the unified hierarchy.
    """
    inside = root / own.get("", "/").lstrip("/")
    above = [folder for folder in (*inside.parents, root) if folder.is_relative_to(root)]
    return [UnifiedTree(folder / "tacho") for folder in dict.fromkeys(above)]
