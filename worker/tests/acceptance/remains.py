"""Find what a trial left behind, without Tacho: in the engine and in /proc."""

import time
from collections.abc import Callable

import docker
import psutil

from backend.core.units import RuntimeKind
from tools.benchmarks.api import Document
from tools.benchmarks.stack import Stack


def list_remains(stack: Stack, run: Document) -> list[str]:
    """Return the containers, processes and folders of a run's trials, as text."""
    alive = list_alive(stack.runtime, run)
    if stack.runtime is RuntimeKind.DOCKER:
        return alive
    folders = [stack.layout.data / "trials" / trial["id"] for trial in run["trials"]]
    return [*alive, *(str(folder) for folder in folders if folder.exists())]


def list_alive(runtime: RuntimeKind, run: Document) -> list[str]:
    """Return the containers or processes of a run's trials, as text."""
    trial_ids = {str(trial["id"]) for trial in run["trials"]}
    listed = _list_containers if runtime is RuntimeKind.DOCKER else _list_processes
    return listed(trial_ids)


def find_command(*words: str) -> list[int]:
    """Return the processes with exactly this command line, including those in containers."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if process.info["cmdline"] == list(words)
    ]


def is_true_within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Return whether a condition becomes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _list_containers(trial_ids: set[str]) -> list[str]:
    client = docker.from_env()
    try:
        found = client.api.containers(all=True, filters={"label": "tacho.trial"})
    finally:
        client.close()
    return [
        f"container {container['Id'][:12]} {container['Names']} {container['Status']}"
        for container in found
        if container["Labels"]["tacho.trial"] in trial_ids
    ]


def _list_processes(trial_ids: set[str]) -> list[str]:
    return [
        f"process {process.pid} {' '.join(process.info['cmdline'] or ())}"
        for process in psutil.process_iter(["cmdline", "environ"])
        if (process.info["environ"] or {}).get("TACHO_TRIAL") in trial_ids
    ]
