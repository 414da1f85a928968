"""Wait for a run to reach a stage, and inject the planned fault."""

import signal
import time
from contextlib import AbstractContextManager, suppress

import psutil

from tools.chaos.conditions import ACTIONS, ChaosConditions
from tools.chaos.database import DatabaseAway
from tools.chaos.engine import OwnEngine
from tools.chaos.faults import Action, Target
from tools.chaos.injected import Injected, Missed
from tools.chaos.installation import ChaosInstallation
from tools.chaos.plan import Fault
from tools.chaos.remains import list_alive
from tools.chaos.stages import Stages
from tools.chaos.targets import Targets
from tools.chaos.victims import TrialParts, send
from tools.chaos.worker_faults import crash_worker, run_second_worker
from worker.runtime.docker.engine import engine_errors
from worker.runtime.errors import RuntimeFailure

_HOURS = {Action.SET_AHEAD: 1, Action.SET_BACK: -1}
_MOST_ATTEMPTS = 4
# A promise to users (`docs/operator-guide/failures.md`).
_GONE_S = 5.0


class Injector:
    """Injects faults into one installation.

    `parts` finds the programs of its trials. `engine` is None if it uses the machine's engine.
    """

    def __init__(
        self, installation: ChaosInstallation, parts: TrialParts, engine: OwnEngine | None
    ) -> None:
        self._installation = installation
        self._parts = parts
        self._engine = engine
        self._stages = Stages(installation)
        self._targets = Targets(installation, parts, engine)
        self._conditions = ChaosConditions(installation, engine)

    def prepare(self, fault: Fault) -> AbstractContextManager[str]:
        """Do what must precede the run of a fault; the context is the bench host of that run."""
        return self._conditions.prepare(fault)

    def strike(self, fault: Fault, run_id: str) -> Injected:
        """Wait for the planned stage and inject the fault. Raises Missed."""
        trial_id, attempt = self._stages.wait(run_id, fault.stage)
        time.sleep(fault.delay_s)
        if fault.kind.action is Action.KILL_EACH_ATTEMPT:
            return self._kill_each_attempt(fault, run_id, trial_id, attempt)
        victim = self._targets.find(fault, trial_id)
        stage = self._stages.read(run_id, trial_id, fault.stage)
        injected = Injected(run_id, trial_id, stage)
        self._act(fault, victim, injected)
        injected.end_s = time.monotonic()
        return injected

    def _act(self, fault: Fault, victim: psutil.Process | str, injected: Injected) -> None:
        action = fault.kind.action
        if action is Action.TERMINATE:
            with suppress(DatabaseAway):
                count = self._installation.database.terminate_backends()
                injected.notes.append(f"{count} backends")
        elif action is Action.SECOND:
            run_second_worker(self._installation, injected)
        elif action is Action.CRASH_LOOP:
            crash_worker(self._installation, injected)
        elif action in ACTIONS:
            changed = self._conditions.change(fault)
            if changed == 0:
                raise Missed("no message waited")
            if changed is not None:
                injected.notes.append(f"{changed} messages")
        elif action in _HOURS:
            self._set_clock(fault, victim)
        else:
            self._act_on(fault, victim)
        if fault.kind.target is Target.ENGINE and action is Action.KILL:
            assert self._engine is not None
            self._engine.restart()
        if fault.kind.target is Target.SUPERVISOR and action is Action.KILL:
            self._installation.collect_killed_supervisor()
            injected.problems += self._find_outliving(injected)
            seconds = self._installation.start()
            injected.notes.append(f"tacho up {seconds:.1f} s")

    def _find_outliving(self, injected: Injected) -> list[str]:
        """Return what is still alive 5 s after the end of the supervisor."""
        layout, port = self._installation.layout, self._installation.port
        begin = time.monotonic()
        while alive := list_alive(layout, port, self._parts, injected.trial_id):
            if time.monotonic() - begin > _GONE_S:
                return [f"{text} outlived the supervisor by {_GONE_S:.0f} s" for text in alive]
            time.sleep(0.1)
        injected.notes.append(f"all ended after {time.monotonic() - begin:.1f} s")
        return []

    def _set_clock(self, fault: Fault, victim: psutil.Process | str) -> None:
        clock, seconds = self._installation.clock, 3600 * _HOURS[fault.kind.action]
        if isinstance(victim, str):
            shifted = clock.shift_all(seconds)
        else:
            # Each connection has a process of the database.
            has_children = fault.kind.target is Target.DATABASE
            shifted = clock.shift(victim.pid, seconds, has_children=has_children)
        with shifted:
            time.sleep(fault.hold_s)

    def _act_on(self, fault: Fault, victim: psutil.Process | str) -> None:
        if isinstance(victim, str):
            self._remove(victim)
        elif fault.kind.action is Action.STOP:
            self._hold(fault, victim)
        elif not send(victim, signal.SIGKILL):
            raise Missed(f"{victim} had ended")

    def _remove(self, container: str) -> None:
        assert self._parts.engine is not None
        try:
            with engine_errors("Removing a container"):
                self._parts.engine.remove_container(container, v=True, force=True)
        except RuntimeFailure as failure:
            raise Missed(failure.detail) from failure

    def _hold(self, fault: Fault, victim: psutil.Process) -> None:
        victims = [victim]
        if fault.kind.target is Target.DATABASE:
            victims += victim.children()
        try:
            for own in victims:
                send(own, signal.SIGSTOP)
            if fault.kind.target is Target.SUPERVISOR:
                self._kill_unsupervised()
            time.sleep(fault.hold_s)
        finally:
            for own in victims:
                send(own, signal.SIGCONT)

    def _kill_unsupervised(self) -> None:
        """Kill the dispatcher, so that the stopped supervisor has a part to restart later."""
        part = self._installation.find_part("dispatcher")
        if part is None or not send(part, signal.SIGKILL):
            raise Missed("there was no dispatcher to kill")

    def _kill_each_attempt(
        self, fault: Fault, run_id: str, trial_id: str, attempt: int
    ) -> Injected:
        injected = Injected(run_id, trial_id, fault.stage)
        for _ in range(_MOST_ATTEMPTS):
            victim = self._targets.find(fault, trial_id)
            if not isinstance(victim, str) and send(victim, signal.SIGKILL):
                injected.notes.append(f"killed in attempt {attempt}")
            try:
                trial_id, attempt = self._stages.wait(run_id, fault.stage, attempt + 1)
            except Missed:
                break
            time.sleep(min(fault.delay_s, 0.5))
        injected.end_s = time.monotonic()
        return injected
