"""Assigns cores to the roles of a trial, so that load and service disturb each other little."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backend.core.config import Settings
from backend.core.cpus import explain_sharing, format_cpu_list
from backend.core.numbers import agree, count_of, join_choices
from worker.runtime.base import CpuSets, PodRole
from worker.runtime.errors import RuntimeUnavailable
from worker.runtime.topology import Core, read_cores

# With at least this many cores of one kind, backing services have a core of their own.
_ENOUGH_FOR_BACKING = 5
# A second NUMA node has the load if it has at least this share of the first node's cores.
_MIN_NODE_SHARE = 0.5
_NOTHING_REQUESTED: Mapping[PodRole, tuple[int, ...] | None] = {}
_NAMES = {PodRole.SERVICE: "service", PodRole.LOAD: "load", PodRole.BACKING: "backing services"}

_Cores = Sequence[Core]


@dataclass(frozen=True)
class CpuPlan:
    """The CPUs of each role.

    Attributes:
        layout: the cores of each role in words: `2 cores with 2 threads each, NUMA node 0`.
        notes: sentences about CPU sets that affect the numbers; empty if none applies.
        service_cores: number of cores of the service.
    """

    sets: CpuSets
    layout: Mapping[PodRole, str]
    notes: Sequence[str]
    service_cores: int

    def describe(self) -> str:
        """Return the CPUs and cores of each role in one line."""
        return ", ".join(
            f"{role.value} {format_cpu_list(self.sets.of(role))} ({self.layout[role]})"
            for role in PodRole
        )


def plan_own_cpus(
    requested: Mapping[PodRole, tuple[int, ...] | None] = _NOTHING_REQUESTED,
) -> CpuPlan:
    """Return the plan for this machine, with the CPUs that this process may use; see `plan_cpus`.

    Raises:
        RuntimeUnavailable: a requested CPU is not available.
    """
    return plan_cpus(read_cores(os.sched_getaffinity(0)), requested)


def plan_cpus(
    cores: _Cores, requested: Mapping[PodRole, tuple[int, ...] | None] = _NOTHING_REQUESTED
) -> CpuPlan:
    """Assign whole cores to the roles.

    Service and load get cores of the fastest kind of which there are at least two: each a NUMA node
    of its own if a second node is large enough, else each half of the largest node. Backing
    services get a third node, else slower cores, else one of at least five cores, else the cores of
    the load. A single core is divided between its threads.

    Args:
        cores: the cores that this worker may use.
        requested: CPUs of the roles for which they are set; they may overlap. The other roles get
            cores of which no CPU is requested, or else CPUs that are not requested, or else all.

    Raises:
        ValueError: there is no core.
        RuntimeUnavailable: a requested CPU is not available.
    """
    if not cores:
        raise ValueError("A trial needs at least one CPU.")
    fixed = {role: numbers for role, numbers in requested.items() if numbers is not None}
    available = _list_cpus(cores)
    for role, numbers in fixed.items():
        _check_available(role, numbers, available)
    taken = {number for numbers in fixed.values() for number in numbers}
    parts = _divide(_find_free(cores, taken), frozenset(fixed))
    sets = CpuSets(
        **{
            role.value: fixed[role] if role in fixed else _list_cpus(parts[role])
            for role in PodRole
        }
    )
    if PodRole.BACKING not in fixed and not parts[PodRole.BACKING]:
        sets = CpuSets(sets.service, sets.load, sets.load)
    layout = {role: _describe(cores, sets.of(role)) for role in PodRole}
    return CpuPlan(sets, layout, _explain(cores, sets), len(_of_cpus(cores, sets.service)))


def limit_service(sets: CpuSets, count: int, cores: _Cores) -> CpuSets:
    """Return the CPU sets with only the first cores of the service.

    Args:
        count: the cores that the service may use.
        cores: the cores that this worker may use.

    Raises:
        RuntimeUnavailable: the service has fewer cores.
    """
    own = _of_cpus(cores, sets.service)
    if count > len(own):
        raise RuntimeUnavailable(
            f"The result needs {count} cores for the service, and this host has {len(own)}.",
            "Choose fewer cores, or a larger host.",
        )
    allowed = set(_list_cpus(own[:count]))
    return replace(sets, service=tuple(cpu for cpu in sets.service if cpu in allowed))


def read_requested_cpus(settings: Settings) -> dict[PodRole, tuple[int, ...] | None]:
    """Return the CPUs that TACHO_SERVICE_CPUS and similar settings request."""
    return {
        PodRole.SERVICE: settings.service_cpus,
        PodRole.LOAD: settings.load_cpus,
        PodRole.BACKING: settings.backing_cpus,
    }


def _check_available(role: PodRole, numbers: tuple[int, ...], cpus: tuple[int, ...]) -> None:
    unknown = sorted(set(numbers) - set(cpus))
    if unknown:
        variable = f"TACHO_{role.upper()}_CPUS"
        raise RuntimeUnavailable(
            f"{variable} names CPU {format_cpu_list(unknown)}, which this worker may not use.",
            f"It may use {format_cpu_list(cpus)}: set {variable} to some of those, or leave it "
            "out for the default.",
        )


def _list_cpus(cores: _Cores) -> tuple[int, ...]:
    return tuple(sorted(cpu for core in cores for cpu in core.cpus))


def _find_free(cores: _Cores, taken: set[int]) -> _Cores:
    """Return cores without a requested CPU, else the other CPUs of the cores, else all cores."""
    untouched = [core for core in cores if not taken & set(core.siblings)]
    left = [_without(core, taken) for core in cores if set(core.cpus) - taken]
    return untouched or left or cores


def _without(core: Core, taken: set[int]) -> Core:
    cpus = tuple(cpu for cpu in core.cpus if cpu not in taken)
    return Core(cpus, core.siblings, core.node, core.kind)


def _divide(cores: _Cores, fixed: frozenset[PodRole]) -> dict[PodRole, _Cores]:
    """Return the cores of each role. Backing services without cores share those of the load."""
    first, *others = _list_groups(cores)
    has_one = bool(fixed & {PodRole.SERVICE, PodRole.LOAD})
    is_apart = not has_one and bool(others) and _is_enough_for_load(others[0], first)
    load = others.pop(0) if is_apart else first
    backing: _Cores = []
    if PodRole.BACKING not in fixed and others:
        backing = others[0]
    elif PodRole.BACKING not in fixed and len(load) >= _ENOUGH_FOR_BACKING - has_one:
        load, backing = load[:-1], load[-1:]
    if has_one:
        return {PodRole.SERVICE: load, PodRole.LOAD: load, PodRole.BACKING: backing}
    service, load = (first, load) if is_apart else _halve(load, len(first) // 2)
    return {PodRole.SERVICE: service, PodRole.LOAD: load, PodRole.BACKING: backing}


def _list_groups(cores: _Cores) -> list[_Cores]:
    """Return cores of one kind on one NUMA node, those for service and load first.

    These are of the fastest kind of which there are at least two, then of the next slower kind.
    """
    main = _find_main(cores)
    slower = [core for core in cores if core.kind > main[0].kind]
    return [*_list_nodes(main), *(_list_nodes(_find_main(slower)) if slower else [])]


def _find_main(cores: _Cores) -> _Cores:
    """Return the cores of the fastest kind of which there are two, else of the fastest kind.

    Cores with a thread that this worker may not use come last.
    """
    kinds = sorted({core.kind for core in cores})
    of_kind = {kind: [core for core in cores if core.kind == kind] for kind in kinds}
    kind = next((kind for kind in kinds if len(of_kind[kind]) > 1), kinds[0])
    return sorted(of_kind[kind], key=lambda core: (core.cpus != core.siblings, core.cpus))


def _list_nodes(cores: _Cores) -> list[_Cores]:
    """Return the cores by NUMA node, the largest node first."""
    nodes: dict[int, list[Core]] = {}
    for core in cores:
        nodes.setdefault(core.node, []).append(core)
    return sorted(nodes.values(), key=lambda members: (-len(members), members[0].node))


def _is_enough_for_load(group: _Cores, first: _Cores) -> bool:
    """Return whether the load gets this group, so that the service has the whole first group."""
    is_same_kind = group[0].kind == first[0].kind
    return len(first) == 1 or (is_same_kind and len(group) >= _MIN_NODE_SHARE * len(first))


def _halve(cores: _Cores, split: int) -> tuple[_Cores, _Cores]:
    """Return the first cores and the others; for a single core, its threads."""
    if split:
        return cores[:split], cores[split:]
    (core,) = cores
    half = len(core.cpus) // 2
    if not half:
        return cores, cores
    return [_without(core, {*core.cpus[half:]})], [_without(core, {*core.cpus[:half]})]


def _of_cpus(cores: _Cores, cpus: Sequence[int]) -> _Cores:
    return [core for core in cores if set(core.cpus) & set(cpus)]


def _describe(cores: _Cores, cpus: Sequence[int]) -> str:
    """Return the cores of a role in words."""
    own = _of_cpus(cores, cpus)
    words = count_of(len(own), f"{_name_kind(cores, own)}core") + _name_threads(own, cpus)
    if len({core.node for core in cores}) > 1:
        nodes = sorted({core.node for core in own})
        words += f", {agree(len(nodes), 'NUMA node')} {format_cpu_list(nodes)}"
    return words


def _name_kind(cores: _Cores, own: _Cores) -> str:
    """Return the kind of a role's cores, if the cores are of several kinds."""
    if len({core.kind for core in cores}) == 1:
        return ""
    kinds = {core.kind for core in own}
    return "fast " if kinds == {0} else "fast and slow " if 0 in kinds else "slower "


def _name_threads(own: _Cores, cpus: Sequence[int]) -> str:
    """Return how many threads of each core a role uses, if the cores have several."""
    most = max(len(core.siblings) for core in own)
    if most == 1:
        return ""
    used = sorted({len(set(core.cpus) & set(cpus)) for core in own})
    if used == [1]:
        return f", 1 of {most} threads"
    return f" with {join_choices([*map(str, used)])} threads{agree(len(own), '', ' each')}"


def _explain(cores: _Cores, sets: CpuSets) -> list[str]:
    """Return what the CPU sets do to the numbers."""
    notes = explain_sharing(sets.by_name(), [core.siblings for core in cores])
    if len(_of_cpus(cores, sets.service)) == 1:
        notes.append(
            "The service has one core: several event loops or worker processes cannot make it "
            "faster here."
        )
    for role in PodRole:
        own = _of_cpus(cores, sets.of(role))
        if len({core.kind for core in own}) > 1:
            notes.append(
                f"The {_NAMES[role]} {_have(role)} fast and slow cores: numbers depend on where "
                "threads run."
            )
        if len({core.node for core in own}) > 1:
            notes.append(
                f"The {_NAMES[role]} {_have(role)} cores of several NUMA nodes: some memory is "
                "slower to reach."
            )
    unused = {cpu for core in _of_cpus(cores, [*sets.all]) for cpu in core.siblings} - sets.all
    if unused:
        named = f"{agree(len(unused), 'CPU')} {format_cpu_list([*unused])}"
        notes.append(
            f"No role uses {named}, but roles use the same cores: other programs that run there "
            "slow them down."
        )
    return notes


def _have(role: PodRole) -> str:
    return "have" if role is PodRole.BACKING else "has"
