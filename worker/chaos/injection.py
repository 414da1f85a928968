"""Wait for a trial to reach a stage, and inject the planned fault."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field

import psutil

from backend.core.config import Settings
from backend.core.runs.status import STAGES, TRIAL_ENDS
from backend.core.statuses import TrialStatus
from backend.platform.parts import worker_command
from worker.chaos.conditions import ACTIONS, ChaosConditions
from worker.chaos.database import DatabaseAway
from worker.chaos.engine import OwnEngine
from worker.chaos.faults import Action, Target
from worker.chaos.installation import ChaosInstallation
from worker.chaos.plan import Fault
from worker.chaos.victims import HOLDER, SERVICE, TrialParts, Victim
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
_HOURS = {Action.SET_AHEAD: 1, Action.SET_BACK: -1}
_BACKING_NAMES = ("mock-upstream", "etcd", "eureka", "rabbitmq")
_POLL_S = 0.005
_STAGE_TIMEOUT_S = 240.0
_TARGET_TIMEOUT_S = 4.0
_CRASHES = 7
_CRASH_LOOP_S = 60.0
_SECOND_WORKER_S = 45.0
_MOST_ATTEMPTS = 4


class Missed(Exception):
    """The trial passed the stage before the fault could be injected."""


@dataclass
class Injected:
    """An injected fault, with its trial and its time (monotonic seconds)."""

    run_id: str
    trial_id: str
    stage: str
    victim: str
    begin_s: float = field(default_factory=time.monotonic)
    end_s: float = 0.0
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


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
        self._conditions = ChaosConditions(installation, engine)

    def prepare(self, fault: Fault) -> AbstractContextManager[str]:
        """Do what must precede the run of a fault; the context is the bench host of that run."""
        return self._conditions.prepare(fault)

    def strike(self, fault: Fault, run_id: str) -> Injected:
        """Wait for the planned stage and inject the fault. Raises Missed."""
        trial_id, attempt = self._await_stage(run_id, fault.stage)
        time.sleep(fault.delay_s)
        if fault.kind.action is Action.KILL_EACH_ATTEMPT:
            return self._kill_each_attempt(fault, run_id, trial_id, attempt)
        victim = self._find(fault, trial_id)
        injected = Injected(run_id, trial_id, self._read_stage(run_id, trial_id), str(victim))
        self._act(fault, victim, injected)
        injected.end_s = time.monotonic()
        return injected

    def _await_stage(self, run_id: str, stage: TrialStatus, least: int = 0) -> tuple[str, int]:
        """Return the first trial in the stage, and its attempt, which is at least `least`."""
        deadline = time.monotonic() + _STAGE_TIMEOUT_S
        while time.monotonic() < deadline:
            trials = []
            with suppress(DatabaseAway):
                trials = self._installation.database.list_trials(run_id)
            for trial_id, status, attempt in trials:
                if status == stage and attempt >= least:
                    return trial_id, attempt
            if trials and all(status in TRIAL_ENDS for _, status, _ in trials):
                raise Missed(f"no trial was seen {stage}")
            time.sleep(_POLL_S)
        raise Missed(f"no trial was {stage} within {_STAGE_TIMEOUT_S:.0f} s")

    def _read_stage(self, run_id: str, trial_id: str) -> str:
        stages = {own: status for own, status, _ in self._list_trials(run_id)}
        stage = stages.get(trial_id, "")
        if stage not in {*STAGES, TrialStatus.QUEUED}:
            raise Missed(f"the trial was {stage} already")
        return stage

    def _list_trials(self, run_id: str) -> list[tuple[str, str, int]]:
        try:
            return self._installation.database.list_trials(run_id)
        except DatabaseAway as error:
            raise Missed("the database did not answer") from error

    def _find(self, fault: Fault, trial_id: str) -> "Victim | str":
        """Return a process to signal, or the id of a container."""
        if fault.kind.action in _WITHOUT_PROCESS:
            return ""
        deadline = time.monotonic() + _TARGET_TIMEOUT_S
        while time.monotonic() < deadline:
            found = self._look(fault, trial_id)
            if found is not None:
                return found
            time.sleep(_POLL_S)
        raise Missed(f"there was no {fault.kind.target} to hit")

    def _look(self, fault: Fault, trial_id: str) -> "Victim | str | None":
        target = fault.kind.target
        if target is Target.ENGINE:
            assert self._engine is not None
            return self._engine.find_victim()
        if target in _PARTS or target in {Target.SUPERVISOR, Target.BACKEND}:
            pid = self._find_pid(fault)
            return None if pid is None else Victim.of(pid)
        is_wanted = _matcher(target)
        with suppress(RuntimeFailure), engine_errors("Finding a target"):
            if fault.kind.action is Action.REMOVE:
                return self._parts.find_container(trial_id, is_wanted)
            return self._parts.find(trial_id, is_wanted)
        return None

    def _find_pid(self, fault: Fault) -> int | None:
        """Return the process of a part of the installation."""
        target = fault.kind.target
        if target is Target.SUPERVISOR:
            return self._installation.supervisor.pid
        if target is Target.BACKEND:
            with suppress(DatabaseAway):
                backends = self._installation.database.list_backends()
                return backends[fault.number % len(backends)] if backends else None
            return None
        part = self._installation.find_part(_PARTS[target])
        return None if part is None else part.pid

    def _act(self, fault: Fault, victim: "Victim | str", injected: Injected) -> None:
        action = fault.kind.action
        if action is Action.TERMINATE:
            with suppress(DatabaseAway):
                count = self._installation.database.terminate_backends()
                injected.victim = f"{count} backends"
        elif action is Action.SECOND:
            self._run_second_worker(injected)
        elif action is Action.CRASH_LOOP:
            self._crash_worker(injected)
        elif action in ACTIONS:
            changed = self._conditions.change(fault)
            if changed == 0:
                raise Missed("no message waited")
            if changed is not None:
                injected.notes.append(f"{changed} messages")
        else:
            self._act_on(fault, victim)
        if fault.kind.target is Target.ENGINE and action is Action.KILL:
            assert self._engine is not None
            self._engine.restart()
        if fault.kind.target is Target.SUPERVISOR:
            self._installation.collect_killed_supervisor()
            seconds = self._installation.start()
            injected.notes.append(f"tacho up {seconds:.1f} s")

    def _act_on(self, fault: Fault, victim: "Victim | str") -> None:
        action = fault.kind.action
        if isinstance(victim, str):
            self._remove(victim)
        elif action is Action.STOP:
            self._hold(fault, victim)
        elif action in _HOURS:
            with self._installation.clock.shift(victim.pid, 3600 * _HOURS[action]):
                time.sleep(fault.hold_s)
        elif not victim.send(signal.SIGKILL):
            raise Missed(f"{victim.command} had ended")

    def _remove(self, container: str) -> None:
        assert self._parts.engine is not None
        try:
            with engine_errors("Removing a container"):
                self._parts.engine.remove_container(container, v=True, force=True)
        except RuntimeFailure as failure:
            raise Missed(failure.detail) from failure

    def _hold(self, fault: Fault, victim: Victim) -> None:
        victims = [victim]
        if fault.kind.target is Target.DATABASE:
            children = psutil.Process(victim.pid).children()
            victims += [own for child in children if (own := Victim.of(child.pid))]
        try:
            for own in victims:
                own.send(signal.SIGSTOP)
            time.sleep(fault.hold_s)
        finally:
            for own in victims:
                own.send(signal.SIGCONT)

    def _kill_each_attempt(
        self, fault: Fault, run_id: str, trial_id: str, attempt: int
    ) -> Injected:
        injected = Injected(run_id, trial_id, fault.stage, "k6")
        for _ in range(_MOST_ATTEMPTS):
            victim = self._find(fault, trial_id)
            if isinstance(victim, Victim) and victim.send(signal.SIGKILL):
                injected.notes.append(f"killed in attempt {attempt}")
            try:
                trial_id, attempt = self._await_stage(run_id, fault.stage, attempt + 1)
            except Missed:
                break
            time.sleep(min(fault.delay_s, 0.5))
        injected.end_s = time.monotonic()
        return injected

    def _run_second_worker(self, injected: Injected) -> None:
        """Start a second worker of the same host, and end it again."""
        environment = self._installation.read_part_environment()
        log = self._installation.layout.logs / "second-worker.log"
        with log.open("wb") as output:
            second = subprocess.Popen(
                worker_command(Settings(bench_host=self._installation.host)),
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        injected.victim = f"pid {second.pid}"
        deadline = time.monotonic() + _SECOND_WORKER_S
        says_why = b"nother worker serves"
        while says_why not in log.read_bytes() and second.poll() is None:
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
        time.sleep(2)  # it must not do anything after this message
        injected.notes.append("it ended by itself" if second.poll() is not None else "it waits")
        if says_why not in log.read_bytes():
            injected.problems.append(
                "the second worker does not report that another worker serves this host"
            )
        second.terminate()
        try:
            second.wait(15)
        except subprocess.TimeoutExpired:
            second.kill()
            second.wait()
            injected.problems.append("the second worker did not end within 15 s of SIGTERM")

    def _crash_worker(self, injected: Injected) -> None:
        """Kill the worker again and again, each time before it can claim a trial."""
        deadline = time.monotonic() + _CRASH_LOOP_S
        last: Victim | None = None
        crashes = 0
        while crashes < _CRASHES and time.monotonic() < deadline:
            part = self._installation.find_part("worker")
            victim = None if part is None else Victim.of(part.pid)
            if victim is None or victim == last:
                time.sleep(0.05)
                continue
            time.sleep(0.3)
            if victim.send(signal.SIGKILL):
                crashes += 1
            last = victim
        injected.victim = f"{crashes} workers"
        if crashes < _CRASHES:
            injected.notes.append(f"restarted {crashes} times in {_CRASH_LOOP_S:.0f} s")


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
