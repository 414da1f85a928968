"""The assignment of cores to roles, on topologies recorded from real machines."""

from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from backend.core.config import Settings
from backend.core.cpus import format_cpu_list, parse_cpu_list
from worker.runtime.base import CpuSets, PodRole
from worker.runtime.cpus import (
    CpuPlan,
    limit_service,
    plan_cpus,
    read_requested_cpus,
)
from worker.runtime.errors import RuntimeUnavailable
from worker.runtime.topology import Core, read_cores

RECORDED = Path(__file__).parent / "topologies"
NAMES = sorted(path.stem for path in RECORDED.glob("*.txt"))
ONE_CORE = (
    "The service has one core: several event loops or worker processes cannot make it faster here."
)


def lay_out(folder: Path, name: str) -> list[int]:
    """Write a recorded topology as the kernel shows it in /sys; return its CPUs."""
    nodes: dict[str, list[int]] = {}
    for line in (RECORDED / f"{name}.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        head, _, cores = line.partition(":")
        node, max_mhz, capacity = head.split()
        for core in cores.split():
            for cpu in parse_cpu_list(core):
                nodes.setdefault(node, []).append(cpu)
                files = {"topology/core_cpus_list": core}
                files |= {} if capacity == "-" else {"cpu_capacity": capacity}
                files |= {} if max_mhz == "-" else {"cpufreq/cpuinfo_max_freq": f"{max_mhz}000"}
                write(folder / f"cpu/cpu{cpu}", files)
    for node, cpus in nodes.items():
        write(folder / f"node/node{node}", {"cpulist": format_cpu_list(cpus)})
    return sorted(cpu for cpus in nodes.values() for cpu in cpus)


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")


def plan_recorded(folder: Path, name: str, usable: Collection[int] | None = None) -> CpuPlan:
    cpus = lay_out(folder, name)
    return plan_cpus(read_cores(cpus if usable is None else usable, folder))


def make_cores(count: int) -> list[Core]:
    return [Core((cpu,), (cpu,)) for cpu in range(count)]


def show(sets: CpuSets) -> tuple[str, ...]:
    return tuple(format_cpu_list(sets.of(role)) for role in PodRole)


# CPUs of service, load and backing services.
PLANS = {
    "intel-i7-8700k": ("0-2,6-8", "3-4,9-10", "5,11"),
    "intel-i5-m560": ("0,2", "1,3", "1,3"),
    "amd-8-cores": ("0-7", "8-13", "14-15"),
    "intel-i7-1370p": ("0-5", "6-11", "12-19"),
    "intel-ultra-9-185h": ("0-5", "6-11", "12-21"),
    "arm-rk3399": ("4", "5", "0-3"),
    "arm-a510-a710-a715-x3": ("3-4", "5-6", "0-2"),
    "arm-kunpeng-920": ("0-31", "32-63", "64-95"),
    "amd-epyc-7451": ("0-5,48-53", "6-11,54-59", "12-17,60-65"),
    "intel-2-sockets": ("0-1,4-5", "2-3,6-7", "2-3,6-7"),
    "riscv-pioneer": ("0-7,16-23", "8-15,24-31", "32-39,48-55"),
    "virtualbox-2": ("0", "1", "1"),
    "cloud-hypervisor-2": ("0", "1", "1"),
}


@pytest.mark.parametrize("name", NAMES)
def test_each_role_has_whole_cores_of_one_kind_on_one_node(tmp_path: Path, name: str) -> None:
    sets = plan_recorded(tmp_path, name).sets
    service, load, backing = PLANS[name]
    assert show(sets) == (service, backing, load)


@pytest.mark.parametrize("name", NAMES)
def test_no_affinity_mask_lets_service_and_load_share_a_core(tmp_path: Path, name: str) -> None:
    cpus = lay_out(tmp_path, name)
    counts = [*range(1, min(len(cpus), 20)), *range(20, len(cpus), 7), len(cpus)]
    masks = [cpus[:count] for count in counts] + [cpus[1::2], cpus[::3]]
    for mask in masks:
        cores = read_cores(mask, tmp_path)
        plan = plan_cpus(cores)
        own = {
            role: [core for core in cores if set(core.cpus) & set(plan.sets.of(role))]
            for role in PodRole
        }
        assert plan.sets.all <= set(mask)
        assert all(plan.sets.of(role) for role in PodRole)
        for members in own.values():
            assert len({core.node for core in members}) == 1
            assert len({core.kind for core in members}) == 1
        if len(cores) > 1:
            shared = [core for core in own[PodRole.SERVICE] if core in own[PodRole.LOAD]]
            assert not shared, (mask, plan)
            assert set(plan.sets.service).isdisjoint(plan.sets.backing)


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("arm-a510-a710-a715-x3", "2 slower cores"),
        ("amd-epyc-7451", "6 cores with 2 threads each, NUMA node 0"),
        ("intel-i5-m560", "1 core with 2 threads"),
    ],
)
def test_the_cores_of_a_role_are_described(tmp_path: Path, name: str, layout: str) -> None:
    assert plan_recorded(tmp_path, name).layout[PodRole.SERVICE] == layout


def test_a_plan_is_described_in_one_line(tmp_path: Path) -> None:
    plan = plan_recorded(tmp_path, "intel-i7-1370p")
    assert plan.describe() == (
        "service 0-5 (3 fast cores with 2 threads each), backing 12-19 (8 slower cores), "
        "load 6-11 (3 fast cores with 2 threads each)"
    )
    assert plan.notes == []


def test_on_a_machine_with_two_cores_a_note_states_that_the_service_has_one(tmp_path: Path) -> None:
    assert plan_recorded(tmp_path, "virtualbox-2").notes == [
        "Load and backing services share CPU 1: backing services may delay the load generator.",
        ONE_CORE,
    ]


def test_the_threads_of_a_single_core_are_divided_and_the_sharing_is_noted(tmp_path: Path) -> None:
    plan = plan_recorded(tmp_path, "amd-8-cores", [0, 1])
    assert show(plan.sets) == ("0", "1", "1")
    assert plan.layout[PodRole.SERVICE] == "1 core, 1 of 2 threads"
    assert plan.notes[0] == (
        "Service and load share the core of CPUs 0-1: the load generator takes CPU time from the "
        "service it measures."
    )


def test_a_single_cpu_is_shared_by_all_roles() -> None:
    plan = plan_cpus(make_cores(1))
    assert show(plan.sets) == ("0", "0", "0")
    assert plan.notes[0].startswith("Service and load share CPU 0:")


def test_an_affinity_mask_that_cuts_cores_is_noted(tmp_path: Path) -> None:
    plan = plan_recorded(tmp_path, "intel-i7-8700k", range(6))
    assert show(plan.sets) == ("0-2", "5", "3-4")
    assert plan.layout[PodRole.SERVICE] == "3 cores, 1 of 2 threads"
    assert plan.notes == [
        "No role uses CPUs 6-11, but roles use the same cores: other programs that run there slow "
        "them down."
    ]


@pytest.mark.parametrize(
    ("name", "mask", "expected"),
    [
        # Whole cores go to the service first.
        ("intel-i7-8700k", [0, 1, 2, 3, 8, 9], ("2-3,8-9", "0-1", "0-1")),
        # A lone fast core is not shared with the load.
        ("intel-i7-1370p", [0, 1, 12], ("0-1", "12", "12")),
        # A small second node has no load.
        ("amd-epyc-7451", [*range(6), *range(48, 54), 6, 54], ("0-2,48-50", "6,54", "3-5,51-53")),
    ],
)
def test_some_cores_of_a_machine_are_divided(
    tmp_path: Path, name: str, mask: list[int], expected: tuple[str, ...]
) -> None:
    assert show(plan_recorded(tmp_path, name, mask).sets) == expected


def test_older_kernels_describe_less(tmp_path: Path) -> None:
    assert read_cores([0, 3], tmp_path) == [Core((0,), (0,)), Core((3,), (3,))]
    for cpu in (0, 4):
        write(tmp_path / f"cpu/cpu{cpu}", {"topology/thread_siblings_list": "0,4"})
    assert read_cores([0, 4], tmp_path) == [Core((0, 4), (0, 4))]


def test_turbo_frequencies_of_single_cores_are_no_other_kind(tmp_path: Path) -> None:
    for cpu, khz in enumerate((6_000_000, 6_000_000, 5_700_000, 4_400_000)):
        write(tmp_path / f"cpu/cpu{cpu}", {"cpufreq/cpuinfo_max_freq": str(khz)})
    assert [core.kind for core in read_cores(range(4), tmp_path)] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("count", "requested", "expected"),
    [
        (2, {PodRole.SERVICE: (1,)}, CpuSets((1,), (0,), (0,))),
        (2, {PodRole.SERVICE: (0, 1)}, CpuSets((0, 1), (0, 1), (0, 1))),
        (4, {PodRole.LOAD: (3,)}, CpuSets((0, 1, 2), (3,), (3,))),
        (4, {PodRole.BACKING: (0,)}, CpuSets((1,), (2, 3), (0,))),
        (4, {PodRole.SERVICE: (0,), PodRole.LOAD: (0,)}, CpuSets((0,), (0,), (0,))),
        (8, {PodRole.SERVICE: (0, 1)}, CpuSets((0, 1), (2, 3, 4, 5, 6), (7,))),
        (8, {PodRole.LOAD: (0, 1)}, CpuSets((2, 3, 4, 5, 6), (0, 1), (7,))),
        (
            8,
            {PodRole.SERVICE: (0,), PodRole.LOAD: (1,), PodRole.BACKING: (2,)},
            CpuSets((0,), (1,), (2,)),
        ),
    ],
)
def test_requested_cpus_are_assigned_and_the_rest_divided(
    count: int, requested: dict[PodRole, tuple[int, ...] | None], expected: CpuSets
) -> None:
    assert plan_cpus(make_cores(count), requested).sets == expected


def test_requested_cpus_leave_their_siblings_idle(tmp_path: Path) -> None:
    cores = read_cores(lay_out(tmp_path, "intel-i7-8700k"), tmp_path)
    plan = plan_cpus(cores, {PodRole.SERVICE: (0,)})
    assert show(plan.sets) == ("0", "5,11", "1-4,7-10")
    assert plan.notes == [
        ONE_CORE,
        "No role uses CPU 6, but roles use the same cores: other programs that run there slow them "
        "down.",
    ]


def test_requested_cpus_of_one_core_win_with_a_note(tmp_path: Path) -> None:
    cores = read_cores(lay_out(tmp_path, "intel-i7-8700k"), tmp_path)
    requested = {PodRole.SERVICE: (0, 1), PodRole.LOAD: (6, 7), PodRole.BACKING: (5, 11)}
    plan = plan_cpus(cores, requested)
    assert show(plan.sets) == ("0-1", "5,11", "6-7")
    assert plan.notes == [
        "Service and load share the cores of CPUs 0-1,6-7: the load generator takes CPU time from "
        "the service it measures."
    ]


def test_requested_cpus_of_several_kinds_and_nodes_are_noted(tmp_path: Path) -> None:
    for name, mixed in (("intel-i7-1370p", (0, 1, 12)), ("intel-2-sockets", (0, 2, 4, 6))):
        folder = tmp_path / name
        plan = plan_cpus(read_cores(lay_out(folder, name), folder), {PodRole.SERVICE: mixed})
        (note,) = [note for note in plan.notes if note.startswith("The service has")]
        assert "fast and slow cores" in note or "several NUMA nodes" in note


def test_cpus_are_requested_in_the_settings() -> None:
    requested = read_requested_cpus(Settings(service_cpus=(2, 3), backing_cpus=(0,)))
    assert plan_cpus(make_cores(4), requested).sets == CpuSets((2, 3), (1,), (0,))


def test_an_unavailable_cpu_is_refused_with_variable_and_fix() -> None:
    with pytest.raises(RuntimeUnavailable) as caught:
        plan_cpus(make_cores(2), {PodRole.LOAD: (1, 2, 7)})
    assert caught.value.reason == "TACHO_LOAD_CPUS names CPU 2,7, which this worker may not use."
    assert caught.value.fix.startswith("It may use 0-1: set TACHO_LOAD_CPUS to some of those")


def test_a_service_gets_the_first_whole_cores_of_its_plan(tmp_path: Path) -> None:
    plan = plan_recorded(tmp_path, "intel-i7-8700k")
    cores = read_cores(lay_out(tmp_path, "intel-i7-8700k"), tmp_path)
    assert (plan.sets.service, plan.service_cores) == ((0, 1, 2, 6, 7, 8), 3)

    two = limit_service(plan.sets, 2, cores)
    assert two == CpuSets((0, 1, 6, 7), plan.sets.load, plan.sets.backing)
    with pytest.raises(RuntimeUnavailable) as caught:
        limit_service(plan.sets, 4, cores)
    assert caught.value.reason == ("The result needs 4 cores for the service, and this host has 3.")
