"""Find the process or the container that a planned fault hits."""

import time
from collections.abc import Callable
from contextlib import suppress

import psutil

from tools.chaos.conditions import ACTIONS
from tools.chaos.database import DatabaseAway
from tools.chaos.engine import OwnEngine
from tools.chaos.faults import Action, Target
from tools.chaos.injected import Missed
from tools.chaos.installation import ChaosInstallation
from tools.chaos.plan import Fault
from tools.chaos.victims import HOLDER, SERVICE, TrialParts, find_process
from worker.runtime.docker.engine import engine_errors
from worker.runtime.errors import RuntimeFailure

_PARTS = {
    Target.WORKER: "worker",
    Target.API: "api",
    Target.DISPATCHER: "dispatcher",
    Target.REDIS: "broker",
    Target.DATABASE: "database",
}
_WITHOUT_PROCESS = ACTIONS | {Action.TERMINATE, Action.SECOND, Action.CRASH_LOOP}
_BACKING_NAMES = ("mock-upstream", "etcd", "eureka", "rabbitmq", "postgres", "redis")
_POLL_S = 0.005
_TIMEOUT_S = 4.0


class Targets:
    """Finds targets in one installation; see `Injector`."""

    def __init__(
        self, installation: ChaosInstallation, parts: TrialParts, engine: OwnEngine | None
    ) -> None:
        self._installation = installation
        self._parts = parts
        self._engine = engine

    def find(self, fault: Fault, trial_id: str) -> psutil.Process | str:
        """Return a process to signal, or the id of a container."""
        if fault.kind.action in _WITHOUT_PROCESS or fault.kind.target is Target.EVERY_PART:
            return ""
        deadline = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < deadline:
            found = self._look(fault, trial_id)
            if found is not None:
                return found
            time.sleep(_POLL_S)
        raise Missed(f"there was no {fault.kind.target} to hit")

    def _look(self, fault: Fault, trial_id: str) -> psutil.Process | str | None:
        target = fault.kind.target
        if target is Target.ENGINE:
            assert self._engine is not None
            return self._engine.find_process()
        if target in _PARTS or target in {Target.SUPERVISOR, Target.BACKEND}:
            return self._find_part(fault)
        is_wanted = _matcher(target)
        with suppress(RuntimeFailure), engine_errors("Finding a target"):
            if fault.kind.action is Action.REMOVE:
                return self._parts.find_container(trial_id, is_wanted)
            return self._parts.find(trial_id, is_wanted)
        return None

    def _find_part(self, fault: Fault) -> psutil.Process | None:
        """Return the process of a part of the installation."""
        target = fault.kind.target
        if target is Target.SUPERVISOR:
            return self._installation.supervisor
        if target is Target.BACKEND:
            with suppress(DatabaseAway):
                backends = self._installation.database.list_backends()
                return find_process(backends[fault.number % len(backends)]) if backends else None
            return None
        return self._installation.find_part(_PARTS[target])


def _matcher(target: Target) -> Callable[[str], bool]:
    """Return the names of a trial's programs that are the target."""
    if target is Target.K6:
        return lambda name: name == "k6"
    if target is Target.SERVICE:
        return lambda name: name == SERVICE
    if target is Target.HOLDER:
        return lambda name: name == HOLDER
    if target is Target.BACKING:
        return lambda name: name in _BACKING_NAMES
    return lambda name: name not in {"k6", SERVICE, HOLDER, *_BACKING_NAMES}
