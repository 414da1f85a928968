"""The assignment of CPUs to roles."""

import pytest

from backend.core.config import Settings
from worker.runtime.base import CpuSets, PodRole
from worker.runtime.cpus import allot_cpus, read_requested_cpus
from worker.runtime.errors import RuntimeUnavailable


@pytest.mark.parametrize(
    ("available", "expected"),
    [
        ([0], CpuSets((0,), (0,), (0,))),
        ([0, 1], CpuSets((0,), (1,), (1,))),
        ([4, 2, 9], CpuSets((2,), (4, 9), (4, 9))),
        ([0, 1, 2, 3], CpuSets((0, 1), (2, 3), (2, 3))),
        ([0, 1, 2, 3, 4, 5], CpuSets((0, 1, 2), (3, 4), (5,))),
        (range(8), CpuSets((0, 1, 2, 3), (4, 5, 6), (7,))),
    ],
)
def test_half_of_the_cpus_go_to_the_service_and_the_rest_to_load(
    available: list[int], expected: CpuSets
) -> None:
    assert allot_cpus(available) == expected


def test_an_empty_set_of_cpus_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one CPU"):
        allot_cpus([])


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
    assert allot_cpus(range(count), requested) == expected


def test_cpus_are_requested_in_the_settings() -> None:
    settings = Settings(service_cpus=(2, 3), backing_cpus=(0,))
    assert allot_cpus(range(4), read_requested_cpus(settings)) == CpuSets((2, 3), (1,), (0,))


def test_an_unavailable_cpu_is_refused_with_variable_and_fix() -> None:
    with pytest.raises(RuntimeUnavailable) as caught:
        allot_cpus([0, 1], {PodRole.LOAD: (1, 2, 7)})
    assert caught.value.reason == "TACHO_LOAD_CPUS names CPU 2,7, which this worker may not use."
    assert caught.value.fix.startswith("It may use 0-1: set TACHO_LOAD_CPUS to some of those")
