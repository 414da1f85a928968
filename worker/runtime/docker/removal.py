"""Removes the containers of a trial."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import docker.errors

from worker.runtime.docker.answers import ListedContainer
from worker.runtime.docker.engine import (
    LABEL_ATTEMPT,
    LABEL_GUARD,
    LABEL_TRIAL,
    EngineClient,
    engine_errors,
)
from worker.runtime.errors import RuntimeFailure

_REMOVE_WAIT_S = 5.0


def remove_containers(engine: EngineClient, trial_id: str, attempt: int) -> None:
    """Remove all containers of one attempt of a trial, at once and in parallel.

    Containers of an earlier version of Tacho have no label for the attempt and count as attempt 0.
    """
    with engine_errors(f"Removing the containers of trial {trial_id}"):
        found = engine.containers(all=True, filters={"label": f"{LABEL_TRIAL}={trial_id}"})
        ids = [container["Id"] for container in found if read_attempt(container) == attempt]
        _remove_all(engine, ids)


def remove_guarded(engine: EngineClient, guard: str) -> bool:
    """Remove all containers of the worker below this guard; return whether there were any."""
    with engine_errors("Removing the containers of a worker that ended"):
        found = engine.containers(all=True, filters={"label": f"{LABEL_GUARD}={guard}"})
        _remove_all(engine, [container["Id"] for container in found])
    return bool(found)


def read_attempt(container: ListedContainer) -> int:
    """Return the attempt of a listed container; 0 if it has no label for the attempt."""
    return int(container["Labels"].get(LABEL_ATTEMPT, 0))


def _remove_all(engine: EngineClient, container_ids: Sequence[str]) -> None:
    if not container_ids:
        return
    with ThreadPoolExecutor(len(container_ids)) as threads:
        list(
            threads.map(lambda container_id: _remove_container(engine, container_id), container_ids)
        )


def _remove_container(engine: EngineClient, container_id: str) -> None:
    try:
        engine.remove_container(container_id, v=True, force=True)
    except docker.errors.NotFound:
        return
    except docker.errors.APIError as error:
        if error.status_code != 409:
            raise
        _wait_removed(engine, container_id)


def _wait_removed(engine: EngineClient, container_id: str) -> None:
    """Wait until a removal that is under way has ended."""
    for _ in range(int(_REMOVE_WAIT_S / 0.05)):
        try:
            engine.inspect_container(container_id)
        except docker.errors.NotFound:
            return
        threading.Event().wait(0.05)
    raise RuntimeFailure(f"Container {container_id[:12]} is being removed, but this does not end.")
