"""Compare what an installation holds on its machine with the state before the first fault."""

import os
import socket
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from backend.platform.layout import Layout
from backend.platform.processes.programs import lives
from tools.chaos.victims import TrialParts
from worker.resources.cgroup import DEFAULT_ROOT
from worker.runtime.docker.engine import engine_errors
from worker.runtime.errors import RuntimeFailure
from worker.runtime.firewall import run_program

# Tacho's names of networks, devices, tables and control groups begin with it.
_NAME = "tacho"
# Networks of builds stay for a day, and their settings decide their name.
_KEPT = ("tacho-b-", "tacho-builds")
# Folders whose files change all the time. The database and Redis own theirs, and caches of builds
# have limits of their own. The ids of the workers stay.
_CHANGING = frozenset({"postgres", "redis", "logs", "services", "k6", "build", "leases"})
# The pool of a part has at most 15 connections.
_MOST_CONNECTIONS = 15


@dataclass(frozen=True)
class MachineState:
    """The names of what exists, by kind: networks of containers, network devices, firewall rules,
    control groups, and files of the data folder."""

    names: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, layout: Layout, parts: TrialParts) -> "MachineState":
        """Return what exists now."""
        return cls(
            {
                "container network": frozenset(_list_networks(parts)),
                "network device": frozenset(_list_devices()),
                "firewall rule": frozenset(_list_rules()),
                "control group": frozenset(_list_groups(DEFAULT_ROOT)),
                "file": frozenset(_list_files(layout.data)),
            }
        )

    def list_new(self, later: "MachineState", without: Collection[str] = ()) -> list[str]:
        """Return what exists in a later state but not in this one, `without` some kinds."""
        return [
            f"{kind} {name}"
            for kind, names in later.names.items()
            if kind not in without
            for name in sorted(names - self.names.get(kind, frozenset()))
        ]


def list_excess(before: Mapping[str, int], now: Mapping[str, int]) -> list[str]:
    """Return the users with more connections than the pools of their parts hold, and those who
    had no connection before."""
    return [
        f"{count} connections of {user}, {before.get(user, 0)} before the first fault"
        for user, count in sorted(now.items())
        if count > (max(before[user], _MOST_CONNECTIONS) if user in before else 0)
    ]


def list_after_stop(layout: Layout) -> list[str]:
    """Return the files of a stopped installation that only a running one has."""
    folders = (layout.run, layout.socket_folder(), layout.data / "trials")
    return [
        f"file {path.relative_to(layout.data)}"
        for folder in folders
        if folder.is_dir()
        for path in sorted(folder.iterdir())
    ]


def list_alive(layout: Layout, port: int, parts: TrialParts, trial_id: str) -> list[str]:
    """Return what is alive of an installation whose supervisor was killed: processes, containers of
    the trial under way, and the port.

    Descendants of this process do not count, such as the worker of a far host.
    """
    ours = {process.pid for process in psutil.Process().children(recursive=True)} | {os.getpid()}
    alive = []
    for process in psutil.process_iter(["cmdline", "environ"]):
        words = process.info["cmdline"] or []
        texts = [*words, (process.info["environ"] or {}).get("TACHO_DATA", "")]
        is_own = any(str(layout.data) in text for text in texts)
        if is_own and process.pid not in ours and lives(process):
            alive.append(f"process {process.pid} {' '.join(words)[:100]}")
    trial = parts.list_remains({trial_id})
    alive += [text for text in trial if not text.startswith("folder") and text not in alive]
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            alive.append(f"port {port}")
    return alive


def _is_own(name: str) -> bool:
    return name.startswith(_NAME) and not name.startswith(_KEPT)


def _list_networks(parts: TrialParts) -> Iterator[str]:
    if parts.engine is None:
        return
    with suppress(RuntimeFailure), engine_errors("Listing networks"):
        for network in parts.engine.networks():
            if _is_own(str(network["Name"])):
                yield str(network["Name"])


def _list_devices() -> Iterator[str]:
    return (name for name in psutil.net_if_addrs() if _is_own(name))


def _list_rules() -> Iterator[str]:
    """Yield tables and rules of the firewall that name Tacho, as far as they can be read."""
    for command in (("nft", "list", "tables"), ("iptables", "-w", "10", "-S")):
        with suppress(RuntimeFailure):
            for rule in run_program(*command).splitlines():
                if any(map(_is_own, rule.split())):
                    yield rule


def _list_groups(root: Path) -> Iterator[str]:
    """Yield the control groups of workers that have no processes. Those of other installations
    that work now have some."""
    for top in root.rglob(_NAME):
        with suppress(OSError):
            for group in top.iterdir():
                if group.is_dir() and not (group / "cgroup.procs").read_text():
                    yield str(group)


def _list_files(data: Path) -> Iterator[str]:
    """Yield the files of the data folder, to a depth of two."""
    with suppress(OSError):
        for path in data.iterdir():
            if path.name in _CHANGING:
                continue
            yield path.name
            if path.is_dir():
                yield from (f"{path.name}/{child.name}" for child in path.iterdir())
