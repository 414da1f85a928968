"""Assigns CPUs to the roles of a trial, so that load and service disturb each other little."""

from collections.abc import Mapping, Sequence

from backend.core.config import Settings
from backend.core.cpus import format_cpu_list
from worker.runtime.base import CpuSets, PodRole
from worker.runtime.errors import RuntimeUnavailable

# With at least this many CPUs, backing services have a CPU of their own.
_ENOUGH_FOR_BACKING = 6
_NOTHING_REQUESTED: Mapping[PodRole, tuple[int, ...] | None] = {}


def allot_cpus(
    available: Sequence[int],
    requested: Mapping[PodRole, tuple[int, ...] | None] = _NOTHING_REQUESTED,
) -> CpuSets:
    """Assign half of the CPUs to the service, and the others to load and backing services.

    With six CPUs or more, backing services have a CPU of their own; with fewer, they share those of
    the load. A single CPU is shared by all roles.

    Args:
        available: CPUs that this worker may use.
        requested: CPUs of the roles for which they are set; they may overlap. The other roles share
            the rest, or all CPUs if there is no rest.

    Raises:
        ValueError: nothing is available.
        RuntimeUnavailable: a requested CPU is not available.
    """
    cpus = tuple(sorted(set(available)))
    if not cpus:
        raise ValueError("A trial needs at least one CPU.")
    fixed = {role: numbers for role, numbers in requested.items() if numbers is not None}
    for role, numbers in fixed.items():
        _check_available(role, numbers, cpus)
    taken = {number for numbers in fixed.values() for number in numbers}
    free = tuple(number for number in cpus if number not in taken) or cpus
    service, load = fixed.get(PodRole.SERVICE), fixed.get(PodRole.LOAD)
    backing = fixed.get(PodRole.BACKING)
    split = len(free) // 2
    if backing is None and len(cpus) >= _ENOUGH_FOR_BACKING and len(free) > 2:
        free, backing = free[:-1], free[-1:]
    if service is None and load is None:
        service, load = free[:split] or free, free[split:]
    service, load = service or free, load or free
    return CpuSets(service=service, load=load, backing=backing or load)


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
