"""The fingerprint of a host, from captured kernel texts and from this host."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from backend.core.units import BuildNetwork, Isolation, RuntimeKind
from worker.bench.fingerprint import (
    digest,
    digest_harness,
    find_commit,
    parse_cpuinfo,
    parse_memory_bytes,
    parse_virtualisation,
    read_fingerprint,
    read_frequency_policy,
    read_threads_per_core,
)
from worker.runtime.base import CpuSets, PodRole, RuntimeInfo
from worker.runtime.cpus import CpuPlan

CAPTURED = Path(__file__).parents[1] / "fixtures/captured"
CPUINFO = (CAPTURED / "cpuinfo.txt").read_text()
DOCKER = RuntimeInfo(RuntimeKind.DOCKER, "docker", "20.10.24", Isolation.CONTAINER)
CPUS = CpuPlan(
    CpuSets((0,), (1,), (1,)), dict.fromkeys(PodRole, "1 core"), ["The service has one core."], 1
)
TOOLS = {"node": "24.4.1", "go": "1.25.3"}
_ARM = "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"


def test_the_commit_is_that_of_the_files(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=T", "-c", "user.email=t@example.org")
        command = ["git", *identity, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert find_commit(tmp_path) is None
    git("init", "--quiet")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "--quiet", "--message", "Add a file")
    commit = git("rev-parse", "HEAD")

    assert find_commit(tmp_path) == commit
    (tmp_path / "file").write_text("two")
    assert find_commit(tmp_path) == f"{commit}-dirty"


def test_cpu_and_memory_are_read_from_captured_text() -> None:
    cpu = parse_cpuinfo(CPUINFO)
    assert (cpu["cpu_model"], cpu["logical_cores"]) == ("Intel(R) Xeon(R) Processor", 2)
    # Kernels on ARM name a part instead of a model.
    assert parse_cpuinfo(_ARM)["cpu_model"] == "implementer 0x41 part 0xd0c"
    assert parse_memory_bytes((CAPTURED / "meminfo.txt").read_text()) == 24684084 * 1024


def test_flags_count_but_not_their_order() -> None:
    text = "processor\t: 0\nmodel name\t: X\nflags\t: {}\n"
    digests = [
        parse_cpuinfo(text.format(flags))["cpu_flags_digest"]
        for flags in ("fpu avx", "avx fpu", "avx fpu avx2")
    ]
    assert digests[0] == digests[1] != digests[2]


def test_a_virtual_machine_is_identified_by_its_maker() -> None:
    assert parse_virtualisation(CPUINFO, "QEMU Standard PC") == "QEMU Standard PC"
    assert parse_virtualisation(CPUINFO, "") == "unidentified"
    assert parse_virtualisation("processor\t: 0\nflags\t: fpu\n", "Dell Inc.") == "none"


def test_the_digest_is_stable_and_differs_between_hosts() -> None:
    here = read_fingerprint(DOCKER, CPUS, TOOLS)
    assert digest(here) == digest(json.loads(json.dumps(here)))
    assert isinstance(here["memory_bytes"], int)
    assert digest({**here, "memory_bytes": here["memory_bytes"] - 4096}) == digest(here)
    changes: list[dict[str, object]] = [
        {"kernel": "0.1"},
        {"cpu_model": "other"},
        {"runtime": "process"},
        {"cpu_turbo": "off"},
        {"toolchains": {**TOOLS, "node": "24.4.2"}},
        {"cpus": {"service": "0-1", "load": "1", "backing": "1"}},
    ]
    for change in changes:
        assert digest({**here, **change}) != digest(here)


def test_facts_that_older_hosts_do_not_report_change_no_digest() -> None:
    here = read_fingerprint(
        replace(DOCKER, memory_fault="a reason"),
        CPUS,
        TOOLS,
        build_network=BuildNetwork.FILTERED,
    )
    added = {
        "isolation": "container",
        "build_network": "filtered",
        "memory_fault": "a reason",
        "cpu_notes": ["The service has one core."],
        "cpu_layout": {"service": "1 core", "backing": "1 core", "load": "1 core"},
        "service_cores": 1,
    }
    assert {name: value for name, value in here.items() if name in added} == added
    older = {name: value for name, value in here.items() if name not in added}
    assert digest(older) == digest(here)
    assert digest({**here, "isolation": "container+gvisor"}) != digest(here)
    without = read_fingerprint(DOCKER, CPUS, TOOLS)
    assert not {"build_network", "memory_fault"} & without.keys()


def test_bases_are_part_of_a_host_that_uses_them() -> None:
    debian, official, none = (
        read_fingerprint(DOCKER, CPUS, {}, bases=bases) for bases in ("debian", "official", None)
    )
    assert (debian["bases"], official["bases"]) == ("debian", "official")
    assert "bases" not in none
    assert len({digest(debian), digest(official), digest(none)}) == 3


def test_this_host_reports_every_field() -> None:
    here = read_fingerprint(DOCKER, CPUS, TOOLS)
    assert here["engine_version"] == "20.10.24"
    assert here["cgroup_version"] in {1, 2}
    assert here["clock_source"] != "unknown"
    assert here["mitigations"]
    assert here["cpus"] == {"service": "0", "load": "1", "backing": "1"}
    assert here["toolchains"] == TOOLS
    assert here["threads_per_core"] in {1, 2, 4, 8}
    assert int(str(here["logical_cores"])) >= 1


def lay_out(folder: Path, files: dict[str, str]) -> Path:
    """Create a folder of CPUs like the kernel's in /sys."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")
    return folder


def test_frequency_policy_of_a_laptop(tmp_path: Path) -> None:
    files = {
        f"cpu{number}/cpufreq/{name}": value
        for number in (0, 1)
        for name, value in {
            "scaling_governor": "powersave",
            "scaling_driver": "intel_pstate",
            "scaling_min_freq": "400000",
            "scaling_max_freq": "4700000",
            "energy_performance_preference": "balance_performance",
        }.items()
    }
    folder = lay_out(tmp_path, {**files, "intel_pstate/no_turbo": "0"})

    assert read_frequency_policy(folder) == {
        "cpu_governor": "powersave",
        "cpu_frequency_driver": "intel_pstate",
        "cpu_frequency_min_khz": "400000",
        "cpu_frequency_max_khz": "4700000",
        "cpu_energy_preference": "balance_performance",
        "cpu_turbo": "on",
    }


@pytest.mark.parametrize(
    ("files", "turbo"),
    [
        ({"intel_pstate/no_turbo": "1"}, "off"),
        ({"cpufreq/boost": "1"}, "on"),
        ({"cpufreq/boost": "0"}, "off"),
        ({}, "none"),
    ],
)
def test_turbo_of_either_driver(tmp_path: Path, files: dict[str, str], turbo: str) -> None:
    assert read_frequency_policy(lay_out(tmp_path, files))["cpu_turbo"] == turbo


def test_different_policies_of_cpus_are_all_named(tmp_path: Path) -> None:
    files = {
        "cpu0/cpufreq/scaling_max_freq": "1800000",
        "cpu1/cpufreq/scaling_max_freq": "2400000",
        "cpu10/cpufreq/scaling_max_freq": "2400000",
    }
    policy = read_frequency_policy(lay_out(tmp_path, files))
    assert policy["cpu_frequency_max_khz"] == "1800000 2400000"
    assert policy["cpu_governor"] == "none"


@pytest.mark.parametrize(("siblings", "threads"), [("0", 1), ("0,4", 2), ("0-1", 2), ("", 1)])
def test_threads_per_core(tmp_path: Path, siblings: str, threads: int) -> None:
    files = {"cpu0/topology/thread_siblings_list": siblings} if siblings else {}
    assert read_threads_per_core(lay_out(tmp_path, files)) == threads


def test_harness_digest_changes_with_each_of_its_parts() -> None:
    harness = {"tacho": "0.1.0", "k6_sha256": "ab"}
    digests = {
        digest_harness(harness, "cd"),
        digest_harness({**harness, "tacho": "0.1.1"}, "cd"),
        digest_harness({**harness, "k6_sha256": "ac"}, "cd"),
        digest_harness(harness, "ce"),
    }
    assert len(digests) == 4
    assert digest_harness(dict(reversed(harness.items())), "cd") in digests
