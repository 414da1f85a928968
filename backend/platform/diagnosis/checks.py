"""Find out what this machine can run and what is missing, with the fix for each finding."""

import os
import platform
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

import psutil

from backend.core.catalog.manifest import ProcessRecipe
from backend.core.config import Settings
from backend.core.free_space import explain_shortage
from backend.core.numbers import count_of
from backend.platform.diagnosis.engine import Engine, NoEngine
from backend.platform.errors import PlatformError
from backend.platform.network import check_port
from backend.platform.tools import FIXES, FRONTEND_NODE, find_tool, tell_missing

_GIB = 1024**3
_TOOLS = (FRONTEND_NODE, "npm", "go>=1.25", "java>=17", "mvn")


class CheckVerdict(StrEnum):
    """The severity of a finding."""

    OK = "ok"
    LIMITED = "limited"
    MISSING = "missing"


@dataclass(frozen=True)
class SystemCheck:
    """The result of one check, and the fix if there is a problem."""

    name: str
    verdict: CheckVerdict
    found: str
    fix: str = ""


@dataclass(frozen=True)
class Ability:
    """The missing requirements of a framework in each runtime. An empty text means that it runs."""

    framework: str
    docker: str
    process: str


def inspect_machine(settings: Settings, engine: Engine | NoEngine) -> list[SystemCheck]:
    """Return all findings about this machine, in the order of display."""
    return [
        SystemCheck("Python", CheckVerdict.OK, f"{platform.python_version()} ({sys.executable})"),
        *(_inspect_tool(requirement) for requirement in _TOOLS),
        _inspect_engine(engine),
        _inspect_mmdebstrap(settings),
        _inspect_cores(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0),
        _inspect_memory(psutil.virtual_memory().total),
        _inspect_disk(settings),
        _inspect_port(settings),
    ]


def inspect_framework(slug: str, recipes: Sequence[ProcessRecipe | None], docker: str) -> Ability:
    """Return what a framework lacks in each runtime, from the manifests of all its programs.

    `docker` is what Docker lacks on this machine, empty if it works.
    """
    if None in recipes:
        return Ability(slug, docker, "runs in Docker only")
    requires = dict.fromkeys(chain.from_iterable(recipe.requires for recipe in recipes if recipe))
    missing = [tell_missing(needed) for needed in requires if find_tool(needed) is None]
    return Ability(slug, docker, f"needs {', '.join(missing)}" if missing else "")


def _inspect_tool(requirement: str) -> SystemCheck:
    name = requirement.partition(">=")[0]
    tool = find_tool(requirement)
    if tool is not None:
        whose = "from this host" if tool.source == "host" else "from our package"
        return SystemCheck(name, CheckVerdict.OK, f"{tool.version_text} {whose} ({tool.path})")
    older = find_tool(name)
    found = f"{older.version_text} is too old, {requirement} is needed" if older else "not found"
    return SystemCheck(name, CheckVerdict.LIMITED, found, FIXES[name])


def _inspect_engine(engine: Engine | NoEngine) -> SystemCheck:
    if isinstance(engine, NoEngine):
        return SystemCheck("Docker engine", CheckVerdict.LIMITED, engine.reason, engine.fix)
    cpus = count_of(engine.cpus, "CPU")
    found = f"{engine.version}, cgroup v{engine.cgroup_version}, {cpus}, {engine.os}"
    if engine.filter_fault:
        return SystemCheck("Docker engine", CheckVerdict.LIMITED, found, engine.filter_fault)
    return SystemCheck("Docker engine", CheckVerdict.OK, found)


def _inspect_mmdebstrap(settings: Settings) -> SystemCheck:
    path = shutil.which("mmdebstrap")
    if path is not None:
        return SystemCheck("mmdebstrap", CheckVerdict.OK, path)
    return SystemCheck(
        "mmdebstrap",
        CheckVerdict.MISSING if settings.bases == "debian" else CheckVerdict.LIMITED,
        "not found",
        "Only base images built from Debian packages need it: apt-get install mmdebstrap.",
    )


def _inspect_cores(cores: int) -> SystemCheck:
    if cores >= 4:
        return SystemCheck("Cores", CheckVerdict.OK, str(cores))
    return SystemCheck(
        "Cores",
        CheckVerdict.LIMITED,
        str(cores),
        "With 6 or more, service, load and backing services have separate cores.",
    )


def _inspect_memory(total_bytes: int) -> SystemCheck:
    found = f"{total_bytes / _GIB:.1f} GiB"
    if total_bytes >= 4 * _GIB:
        return SystemCheck("Memory", CheckVerdict.OK, found)
    return SystemCheck(
        "Memory", CheckVerdict.LIMITED, found, "Java builds and services need 4 GiB."
    )


def _inspect_disk(settings: Settings) -> SystemCheck:
    data = settings.data
    folder = next(parent for parent in (data, *data.parents) if parent.exists())
    free_bytes = shutil.disk_usage(folder).free
    found = f"{free_bytes / _GIB:.1f} GiB free at {folder}"
    shortage = explain_shortage(
        {"the data folder": data}, settings.host_free_mb, "TACHO_HOST_FREE_MB"
    )
    if shortage:
        fix = f"This host takes no trials. {shortage}"
        return SystemCheck("Disk", CheckVerdict.LIMITED, found, fix)
    if free_bytes >= 5 * _GIB:
        return SystemCheck("Disk", CheckVerdict.OK, found)
    fix = "Free some space or move TACHO_DATA: builds and images need 5 GiB."
    return SystemCheck("Disk", CheckVerdict.LIMITED, found, fix)


def _inspect_port(settings: Settings) -> SystemCheck:
    name = f"Port {settings.port}"
    try:
        check_port(settings.host, settings.port)
    except PlatformError as error:
        return SystemCheck(name, CheckVerdict.LIMITED, f"taken on {settings.host}", error.detail)
    return SystemCheck(name, CheckVerdict.OK, f"free on {settings.host}")
