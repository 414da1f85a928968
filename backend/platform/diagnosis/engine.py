"""Ask the Docker engine for its version, over its HTTP interface."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

_DEFAULT_SOCKET = "/var/run/docker.sock"


@dataclass(frozen=True)
class Engine:
    """A Docker engine that answered.

    Attributes:
        filter_fault: see `find_filter_fault`.
    """

    version: str
    cgroup_version: int
    os: str
    cpus: int
    filter_fault: str = ""


@dataclass(frozen=True)
class NoEngine:
    """The reason why no engine can be used, and what to do."""

    reason: str
    fix: str


def probe_engine() -> Engine | NoEngine:
    """Return the engine that DOCKER_HOST names, by default the local engine."""
    host = os.environ.get("DOCKER_HOST") or f"unix://{_DEFAULT_SOCKET}"
    if host.startswith("unix://"):
        path = Path(host.removeprefix("unix://"))
        problem = _socket_problem(path)
        if problem is not None:
            return problem
        transport, base = httpx.HTTPTransport(uds=str(path)), "http://engine"
    elif host.startswith("tcp://"):
        transport, base = httpx.HTTPTransport(), f"http://{host.removeprefix('tcp://')}"
    else:
        return NoEngine(f"DOCKER_HOST={host} is of an unknown kind", "Use unix://… or tcp://…")
    try:
        with httpx.Client(transport=transport, timeout=5.0, trust_env=False) as client:
            info = client.get(f"{base}/info").raise_for_status().json()
    except (httpx.HTTPError, ValueError) as error:
        return NoEngine(f"{host} does not answer ({error})", "Start Docker: systemctl start docker")
    return Engine(
        version=info["ServerVersion"],
        cgroup_version=int(info.get("CgroupVersion", "1")),
        os=info.get("OperatingSystem", ""),
        cpus=int(info.get("NCPU", 0)),
        filter_fault=find_filter_fault(info.get("SecurityOptions")),
    )


def find_filter_fault(options: Sequence[str] | None) -> str:
    """Return why containers have no filter of system calls, and the fix; empty if they have one.

    Args:
        options: the engine's security options, as `docker info` lists them.
    """
    words = [set(option.split(",")) for option in options or ()]
    filters = [each for each in words if "name=seccomp" in each]
    if filters and not any("profile=unconfined" in each for each in filters):
        return ""
    return (
        "Containers have no filter of system calls, so services can reach more of the kernel. Use "
        "a kernel with seccomp, and remove `seccomp-profile` from /etc/docker/daemon.json."
    )


def _socket_problem(path: Path) -> NoEngine | None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return NoEngine(
            f"there is no {path}",
            "Install and start a Docker engine (Debian: apt-get install docker.io).",
        )
    except PermissionError:
        mode = 0
    if not stat.S_ISSOCK(mode) or not os.access(path, os.R_OK | os.W_OK):
        return NoEngine(
            f"this user may not use {path}",
            "Join the docker group: sudo usermod -aG docker $USER, then log in again.",
        )
    return None
