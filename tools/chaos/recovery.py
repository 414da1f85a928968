"""Measure the time until the target of a fault serves again."""

import time
from collections.abc import Callable
from contextlib import suppress

import httpx

from backend.core.runs.status import TRIAL_ENDS
from backend.core.statuses import TrialStatus
from tools.chaos.database import DatabaseAway
from tools.chaos.engine import OwnEngine
from tools.chaos.faults import FINALIZING, Action, Target
from tools.chaos.injected import Injected
from tools.chaos.installation import ChaosInstallation, NotReady
from tools.chaos.plan import Fault

_TIMEOUT_S = 120.0
_POLL_S = 0.05
# Parts of a trial: a fault of one of them is over when the trial goes on or ends.
_TRIAL_TARGETS = frozenset(
    {Target.K6, Target.SERVICE, Target.PEER, Target.BACKING, Target.HOLDER, Target.ENGINE}
)
_ENDS_ATTEMPT = frozenset({Action.KILL, Action.CRASH_LOOP, Action.REMOVE})
_CLOCKS = frozenset({Action.SET_AHEAD, Action.SET_BACK})


def measure_recovery(
    installation: ChaosInstallation, engine: OwnEngine | None, fault: Fault, injected: Injected
) -> float:
    """Return the seconds from the end of the fault until its target serves again.

    Raises:
        TimeoutError: it did not serve within two minutes.
        NotReady: `tacho up` has ended.
    """
    has_recovered = Probes(installation, engine, fault, injected).find()
    # A stopped part serves as soon as it continues. A killed part must be restarted. The start of
    # the supervisor is part of the fault.
    is_restarted = fault.kind.target is Target.SUPERVISOR and fault.kind.action is Action.KILL
    begin = injected.begin_s if is_restarted else injected.end_s
    while not has_recovered():
        if installation.has_ended():
            raise NotReady("tacho up has ended")
        if time.monotonic() - begin > _TIMEOUT_S:
            raise TimeoutError(f"{fault.kind.target} did not recover within {_TIMEOUT_S:.0f} s")
        time.sleep(_POLL_S)
    return time.monotonic() - begin


class Probes:
    """Asks the target of a fault for an answer that it gives only while it works."""

    def __init__(
        self,
        installation: ChaosInstallation,
        engine: OwnEngine | None,
        fault: Fault,
        injected: Injected,
    ) -> None:
        """Prepare, at the end of the fault: later progress of the worker counts as an answer."""
        self._installation = installation
        self._engine = engine
        self._fault = fault
        self._injected = injected
        self._host = (
            installation.far_host if fault.kind.target is Target.NETWORK else installation.host
        )
        self._progress = self._read_progress()

    def find(self) -> Callable[[], bool]:
        """Return the condition that is true once the target serves again."""
        target, action = self._fault.kind.target, self._fault.kind.action
        if self._fault.stage == FINALIZING:
            return lambda: self._is_finalized() and self._answers(target)
        if action in _CLOCKS:
            return lambda: self._answers(target)
        if target is Target.MESSAGES:
            return self._is_received
        if target in _TRIAL_TARGETS or (target is Target.WORKER and action in _ENDS_ATTEMPT):
            return self._find_of_trial()
        return lambda: self._answers(target)

    def _find_of_trial(self) -> Callable[[], bool]:
        if self._fault.kind.action in _ENDS_ATTEMPT:
            return lambda: self._is_repeated() and self._answers(self._fault.kind.target)
        return lambda: self._has_moved() and self._answers(self._fault.kind.target)

    def _answers(self, target: Target) -> bool:
        """Return whether a part answers. Parts of a trial answer by the progress of the trial."""
        installation = self._installation
        probes: dict[Target, Callable[[], bool]] = {
            Target.REDIS: lambda: installation.read_health().get("broker") == "ok",
            Target.API: self._reads_runs,
            Target.BACKEND: lambda: self._reads_runs() and self._has_progressed(),
            Target.DATABASE: lambda: self._reads_runs() and self._has_progressed(),
            Target.DISPATCHER: installation.answers_dispatcher,
            Target.WORKER: self._has_progressed,
            Target.SUPERVISOR: lambda: installation.is_whole() and self._has_progressed(),
            Target.EVERY_PART: lambda: installation.is_whole() and self._has_progressed(),
            Target.NETWORK: lambda: installation.is_online(self._host) and self._works(),
            Target.DATA_DISK: lambda: installation.is_whole() and self._works(),
            Target.ENGINE_DISK: lambda: installation.is_whole() and self._works(),
            Target.DATABASE_DISK: lambda: (
                installation.is_whole() and not installation.find_database_shortage()
            ),
            Target.ENGINE: lambda: self._engine is None or self._engine.answers(),
        }
        return target not in probes or probes[target]()

    def _reads_runs(self) -> bool:
        try:
            return self._installation.client.get("/runs", timeout=3.0).is_success
        except httpx.HTTPError:
            return False

    def _is_received(self) -> bool:
        """Return whether the receiver of a lost or repeated message has done its work."""
        if self._fault.stage is not TrialStatus.QUEUED:
            return self._is_finalized()
        with suppress(DatabaseAway):
            return self._installation.database.get_trial(self._injected.trial_id)[1] >= 1
        return False

    def _is_finalized(self) -> bool:
        with suppress(DatabaseAway):
            return self._installation.database.is_finalized(self._injected.run_id)
        return False

    def _works(self) -> bool:
        """Return whether a worker has the trial, or has ended it, and answers."""
        with suppress(DatabaseAway):
            status, _ = self._installation.database.get_trial(self._injected.trial_id)
            return status != TrialStatus.QUEUED and self._has_progressed()
        return False

    def _is_repeated(self) -> bool:
        """Return whether the trial was claimed again, or has ended."""
        with suppress(DatabaseAway):
            status, attempt = self._installation.database.get_trial(self._injected.trial_id)
            return attempt >= 2 or status in TRIAL_ENDS
        return False

    def _has_moved(self) -> bool:
        """Return whether the trial has left the stage of the end of the fault, or has begun
        again."""
        with suppress(DatabaseAway):
            status, attempt = self._installation.database.get_trial(self._injected.trial_id)
            before = self._progress[:2] if self._progress else (self._injected.stage, 1)
            return (status, attempt) != before or status in TRIAL_ENDS
        return False

    def _has_progressed(self) -> bool:
        """Return whether the worker has written to the database since the end of the fault."""
        if self._progress is None:
            self._progress = self._read_progress()
            return False
        found = self._read_progress()
        return found is not None and found != self._progress

    def _read_progress(self) -> tuple[object, ...] | None:
        with suppress(DatabaseAway):
            return self._installation.database.read_progress(self._injected.trial_id, self._host)
        return None
