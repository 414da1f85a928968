"""Computes the fingerprint of a bench host. Only results with the same fingerprint are comparable.

The parsers are pure functions of the kernel's texts; `read_fingerprint` reads these texts.
"""

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import TypeAdapter

from backend.core.cpus import format_cpu_list, parse_cpu_list
from backend.core.documents import HostFingerprint
from backend.core.results.environment import IRRELEVANT
from backend.core.units import BuildNetwork, Isolation
from worker.resources.cgroup import DEFAULT_ROOT, is_v2
from worker.runtime.base import RuntimeInfo
from worker.runtime.cpus import CpuPlan

_HOST_FINGERPRINT = TypeAdapter(HostFingerprint)
_CPU = Path("/sys/devices/system/cpu")
# Files that state whether the CPU may exceed its nominal frequency. In the first file, 1 means that
# it may not.
_NO_TURBO = Path("intel_pstate/no_turbo")
_BOOST = Path("cpufreq/boost")
_CLOCK = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
_DMI = Path("/sys/class/dmi/id")
_DIGEST_CHARACTERS = 16
_GIB = 1024**3
_GIT_SECONDS = 10


def read_fingerprint(
    runtime: RuntimeInfo,
    cpus: CpuPlan,
    toolchains: Mapping[str, str],
    cgroup_root: Path = DEFAULT_ROOT,
    bases: str | None = None,
    build_network: BuildNetwork | None = None,
    *,
    refuses_load: bool = False,
) -> HostFingerprint:
    """Return a description of the host and its runtime, for JSON.

    Args:
        runtime: the runtime of the services.
        cpus: the CPUs of each role, with notes.
        toolchains: versions of this host's tools that services run on, by name; empty where
            services bring their own.
        bases: where base images come from; None where none are used.
        build_network: what builds reach; None if it is not known.
        refuses_load: whether the host sends no load for other hosts.
    """
    cpu_text = _read(Path("/proc/cpuinfo"))
    maker = f"{_read(_DMI / 'sys_vendor')} {_read(_DMI / 'product_name')}".strip()
    found = {
        **parse_cpuinfo(cpu_text),
        "architecture": platform.machine(),
        **read_frequency_policy(_CPU),
        "threads_per_core": read_threads_per_core(_CPU),
        "cpus": {role: format_cpu_list(numbers) for role, numbers in cpus.sets.by_name().items()},
        "cpu_layout": {role.value: words for role, words in cpus.layout.items()},
        "cpu_notes": [*cpus.notes],
        "service_cores": cpus.service_cores,
        "memory_bytes": parse_memory_bytes(_read(Path("/proc/meminfo"))),
        "kernel": platform.release(),
        "runtime": runtime.kind.value,
        "engine": runtime.engine,
        "engine_version": runtime.version,
        "isolation": runtime.isolation.value,
        **({"build_network": build_network.value} if build_network else {}),
        **({"refuses_load": True} if refuses_load else {}),
        **({"memory_fault": runtime.memory_fault} if runtime.memory_fault else {}),
        **({"bases": bases} if bases else {}),
        "toolchains": dict(sorted(toolchains.items())),
        "cgroup_version": 2 if is_v2(cgroup_root) else 1,
        "mitigations": _read_mitigations(),
        "virtualisation": parse_virtualisation(cpu_text, maker),
        "clock_source": _read(_CLOCK) or "unknown",
    }
    return _HOST_FINGERPRINT.validate_python(found)


def digest(fingerprint: Mapping[str, object]) -> str:
    """Return the fingerprint's digest: 16 hexadecimal digits.

    Memory is rounded to GiB, because the part that the kernel reserves varies between boots. Plain
    containers, the network of builds, the refusal of load, a missing limit of memory and the words
    about the CPU sets are left out, so that the digest is that of older versions.
    """
    memory_bytes = fingerprint["memory_bytes"]
    assert isinstance(memory_bytes, int)
    document = {**fingerprint, "memory_bytes": round(memory_bytes / _GIB)}
    for name in IRRELEVANT:
        document.pop(name, None)
    if document.get("isolation") == Isolation.CONTAINER:
        del document["isolation"]
    return _digest_document(document)


def digest_harness(harness: Mapping[str, str], scenario_digest: str) -> str:
    """Return the digest of Tacho, its load generator and the scripts: 16 hexadecimal digits.

    Args:
        harness: versions and digests by name, as stored with each trial.
        scenario_digest: digest of the scenario's folder, the shared scripts and its backing
            services.
    """
    return _digest_document({**harness, "scenario": scenario_digest})


def _digest_document(document: Mapping[str, object]) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARACTERS]


def parse_cpuinfo(text: str) -> dict[str, str | int]:
    """Return CPU model, digest of the flags and number of cores from `/proc/cpuinfo`."""
    first = _cpu_fields(text)
    part = f"implementer {first.get('CPU implementer')} part {first.get('CPU part')}"
    flags = " ".join(sorted(first.get("flags", first.get("Features", "")).split()))
    return {
        "cpu_model": first.get("model name") or part,
        "cpu_flags_digest": hashlib.sha256(flags.encode()).hexdigest()[:_DIGEST_CHARACTERS],
        "logical_cores": sum(line.startswith("processor") for line in text.splitlines()),
    }


def read_frequency_policy(folder: Path) -> dict[str, str]:
    """Return how the kernel sets the frequency of the CPUs, read from its folder in /sys.

    A value is `none` if the kernel leaves it to the hardware or a hypervisor. If CPUs differ, it
    lists all their values.
    """
    keys = {
        "cpu_governor": "scaling_governor",
        "cpu_frequency_driver": "scaling_driver",
        "cpu_frequency_min_khz": "scaling_min_freq",
        "cpu_frequency_max_khz": "scaling_max_freq",
        "cpu_energy_preference": "energy_performance_preference",
    }
    policy = {
        key: _distinct(_read(path) for path in folder.glob(f"cpu[0-9]*/cpufreq/{file}"))
        for key, file in keys.items()
    }
    no_turbo, boost = _read(folder / _NO_TURBO), _read(folder / _BOOST)
    turbo = {"0": "on", "1": "off"}.get(no_turbo) or {"1": "on", "0": "off"}.get(boost)
    return policy | {"cpu_turbo": turbo or "none"}


def read_threads_per_core(folder: Path) -> int:
    """Return how many logical CPUs share a core: 2 with SMT, else 1."""
    siblings = _read(folder / "cpu0/topology/thread_siblings_list")
    return len(parse_cpu_list(siblings)) if siblings else 1


def _distinct(values: Iterable[str]) -> str:
    return " ".join(sorted(set(values) - {""})) or "none"


def parse_memory_bytes(text: str) -> int:
    """Return the total memory from `/proc/meminfo`; raises `ValueError` for other texts."""
    for line in text.splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    raise ValueError("There is no MemTotal in this text.")


def parse_virtualisation(cpu_text: str, maker: str) -> str:
    """Return `none`, or the maker from the virtual machine's firmware."""
    flags = _cpu_fields(cpu_text).get("flags", "").split()
    if "hypervisor" not in flags:
        return "none"
    return maker or "unidentified"


def _cpu_fields(text: str) -> dict[str, str]:
    """Return the first processor's lines by name."""
    pairs = (line.partition(":") for line in text.split("\n\n", maxsplit=1)[0].splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def find_commit(root: Path) -> str | None:
    """Return the Git commit of the repository `root`, for repeating a run; None without Git.

    It ends in `-dirty` if tracked files were changed since.
    """
    if not (root / ".git").exists():
        # An installed wheel may lie in a repository of something else.
        return None
    describe = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        found = subprocess.run(
            describe, cwd=root, capture_output=True, text=True, check=True, timeout=_GIT_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None


def _read_mitigations() -> dict[str, str]:
    folder = _CPU / "vulnerabilities"
    return {path.name: _read(path) for path in sorted(folder.glob("*"))}


def _read(path: Path) -> str:
    """Return a file's text; empty if this kernel or architecture has no such file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
