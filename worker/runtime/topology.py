"""The cores of this machine, as the kernel describes them in /sys."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.core.cpus import parse_cpu_list

SYSTEM = Path("/sys/devices/system")
# Newer kernels have the first file, older ones the second.
_SIBLINGS = ("topology/core_cpus_list", "topology/thread_siblings_list")
# The capacity comes first, because it also counts how much a core does in each cycle. It is missing
# on most x86 machines, and the frequency on most virtual machines.
_SPEEDS = ("cpu_capacity", "cpufreq/cpuinfo_max_freq")
# Cores of one kind may differ in their turbo frequency by some percent. In the recorded topologies
# of the tests, slow cores are at least 12 % slower than fast ones.
_SAME_SPEED = 0.9

_Cpus = tuple[int, ...]


@dataclass(frozen=True)
class Core:
    """A physical core.

    Attributes:
        cpus: its logical CPUs (SMT threads) that this worker may use, ascending.
        siblings: all its logical CPUs.
        node: the number of its NUMA node.
        kind: 0 for the fastest cores of the machine, 1 for the next slower ones, and so on.
    """

    cpus: _Cpus
    siblings: _Cpus
    node: int = 0
    kind: int = 0


def read_cores(available: Collection[int], system: Path = SYSTEM) -> list[Core]:
    """Return the cores with these CPUs, ordered by their first CPU.

    A CPU that the kernel does not describe is a core of its own, on NUMA node 0.

    Args:
        available: the CPUs that this worker may use: its affinity, which the kernel keeps within
            the control group.
        system: the kernel's folder with `cpu` and `node`.
    """
    nodes = _read_nodes(system / "node")
    members: dict[_Cpus, list[int]] = {}
    for cpu in sorted(available):
        members.setdefault(_read_siblings(system / f"cpu/cpu{cpu}", cpu), []).append(cpu)
    kinds = _rank_speeds(
        {
            siblings: (*_read_speed(system / f"cpu/cpu{cpus[0]}"), len(siblings))
            for siblings, cpus in members.items()
        }
    )
    return [
        Core(tuple(cpus), siblings, nodes.get(cpus[0], 0), kinds[siblings])
        for siblings, cpus in members.items()
    ]


def _read_siblings(folder: Path, cpu: int) -> _Cpus:
    """Return the CPUs of a CPU's core."""
    for name in _SIBLINGS:
        if text := _read(folder / name):
            return tuple(sorted({*parse_cpu_list(text), cpu}))
    return (cpu,)


def _read_nodes(folder: Path) -> dict[int, int]:
    """Return the NUMA node of each CPU that has one. Nodes may have memory only."""
    found = {}
    for path in folder.glob("node[0-9]*/cpulist"):
        if text := _read(path):
            number = int(path.parent.name.removeprefix("node"))
            found.update(dict.fromkeys(parse_cpu_list(text), number))
    return found


def _read_speed(folder: Path) -> tuple[int, ...]:
    """Return capacity and highest frequency (kHz) of a CPU; 0 where the kernel has no value."""
    texts = (_read(folder / name) for name in _SPEEDS)
    return tuple(int(text) if text.isdecimal() else 0 for text in texts)


def _rank_speeds(speeds: Mapping[_Cpus, Sequence[int]]) -> dict[_Cpus, int]:
    """Return the kind of each core: 0 for the fastest.

    The first measure that differs decides: the capacity, the frequency, then the number of threads,
    because slow cores of hybrid processors have one.
    """
    for measure in range(len(_SPEEDS) + 1):
        values = {core: speed[measure] for core, speed in speeds.items()}
        kinds = _split_kinds(sorted(set(values.values()), reverse=True))
        if len(set(kinds.values())) > 1 and 0 not in kinds:
            return {core: kinds[value] for core, value in values.items()}
    return dict.fromkeys(speeds, 0)


def _split_kinds(values: Sequence[int]) -> dict[int, int]:
    """Return the kind of each value, given the values in descending order."""
    kinds: dict[int, int] = {}
    fastest, kind = 0, -1
    for value in values:
        if kind < 0 or value < _SAME_SPEED * fastest:
            fastest, kind = value, kind + 1
        kinds[value] = kind
    return kinds


def _read(path: Path) -> str:
    """Return a file's text; empty if this kernel or architecture has no such file."""
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
