"""Captured control group files and engine stats are parsed to the same counters."""

import json
from pathlib import Path

import pytest

from worker.resources.cgroup import Cgroup, find_container
from worker.resources.cgroup_v1 import CgroupV1, find_container_v1
from worker.resources.counters import Counters, SourceGone
from worker.resources.engine_stats import parse_engine_stats

HERE = Path(__file__).parent
CONTAINER = "5f0c" * 16
CONTROLLERS = {
    "cpuacct.usage": "cpuacct",
    "cpu.stat": "cpu",
    "pids.current": "pids",
}


def _lay_out_v1(root: Path, inside: str) -> None:
    for path in (HERE / "captured/cgroup_v1").iterdir():
        folder = root / CONTROLLERS.get(path.name, "memory") / inside
        folder.mkdir(parents=True, exist_ok=True)
        (folder / path.name).write_text(path.read_text())


def _lay_out_v2(root: Path, inside: str) -> None:
    (root / inside).mkdir(parents=True)
    (root / "cgroup.controllers").write_text("cpu memory pids\n")
    for path in (HERE / "documented/cgroup_v2").iterdir():
        (root / inside / path.name).write_text(path.read_text())


CAPTURED_V1 = Counters(
    cpu_seconds=0.046625362,
    throttled_seconds=0.0,
    memory_bytes=57331712,
    memory_peak_bytes=57335808,
    memory_anon_bytes=5955584,
    memory_file_bytes=50372608,
    memory_sock_bytes=0,
    threads=7,
    page_faults=3181,
)


@pytest.mark.parametrize(
    "inside",
    [
        f"docker/{CONTAINER}",
        f"system.slice/docker-{CONTAINER}.scope",
        f"docker/{'ab' * 32}/docker/{CONTAINER}",
        f"user.slice/user-1000.slice/user@1000.service/user.slice/docker-{CONTAINER}.scope",
    ],
)
def test_finds_the_group_of_a_container_at_any_depth(tmp_path: Path, inside: str) -> None:
    _lay_out_v1(tmp_path / "v1", inside)
    _lay_out_v2(tmp_path / "v2", inside)
    first = find_container_v1(tmp_path / "v1", CONTAINER)
    second = find_container(tmp_path / "v2", CONTAINER)
    assert isinstance(first, CgroupV1)
    assert isinstance(second, Cgroup)
    assert first.read() == CAPTURED_V1
    assert second.read() == Counters(
        cpu_seconds=1.2504,
        throttled_seconds=0.15,
        memory_bytes=60817408,
        memory_peak_bytes=73400320,
        memory_anon_bytes=41943040,
        memory_file_bytes=16777216,
        memory_sock_bytes=65536,
        threads=9,
        page_faults=20480,
    )


def test_a_container_without_a_visible_group_has_none(tmp_path: Path) -> None:
    _lay_out_v1(tmp_path / "v1", "docker/" + "cd" * 32)
    _lay_out_v2(tmp_path / "v2", "docker/" + "cd" * 32)
    for root in (tmp_path / "v1", tmp_path / "v2", tmp_path / "neither"):
        assert find_container_v1(root, CONTAINER) is None
        assert find_container(root, CONTAINER) is None


def test_reading_a_removed_group_raises_source_gone(tmp_path: Path) -> None:
    with pytest.raises(SourceGone):
        Cgroup(tmp_path / "none").read()
    with pytest.raises(SourceGone):
        CgroupV1({"cpuacct": tmp_path / "none"}).read()


def test_a_kernel_without_peak_reports_the_current_memory(tmp_path: Path) -> None:
    _lay_out_v2(tmp_path, "docker/x")
    (tmp_path / "docker/x/memory.peak").unlink()
    assert Cgroup(tmp_path / "docker/x").read().memory_peak_bytes == 60817408


def test_engine_stats_equal_the_control_group_files() -> None:
    """Both were captured from the same idle container."""
    stats = json.loads((HERE / "captured/engine_stats_v1.json").read_text())
    assert parse_engine_stats(stats) == CAPTURED_V1


def test_stats_of_a_stopped_container_are_empty() -> None:
    assert parse_engine_stats({"cpu_stats": {}, "memory_stats": {}}) == Counters()
