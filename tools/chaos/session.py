"""Inject one fault after another into an installation, with all checks after each."""

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http import HTTPStatus

import httpx
from redis import RedisError

from backend.core.documents import JsonObject
from backend.platform.credentials.part_roles import OWNER_ROLE
from tools.benchmarks.waiting import expect, has_come
from tools.chaos.database import DatabaseAway
from tools.chaos.engine import OwnEngine
from tools.chaos.faults import Target
from tools.chaos.injected import Injected, Missed
from tools.chaos.injection import Injector
from tools.chaos.installation import ChaosInstallation, NotReady
from tools.chaos.invariants import RunFacts, TrialRecord, list_violations, read_outcome
from tools.chaos.load import COMPILED, COMPILED_SOURCE, LOADS
from tools.chaos.logs import LogMarks
from tools.chaos.plan import Fault
from tools.chaos.recovery import measure_recovery
from tools.chaos.remains import MachineState, list_excess
from tools.chaos.streams import Follower, Reader
from tools.chaos.victims import TrialParts
from tools.chaos.webhooks import Webhooks

_RUN_TIMEOUT_S = 240.0
# Long enough for compilers in containers, which start with empty caches.
_BUILD_TIMEOUT_S = 900.0
_FINAL_TIMEOUT_S = 45.0
_WHOLE_TIMEOUT_S = 90.0
_REMAINS_TIMEOUT_S = 5.0
_STREAM_TIMEOUT_S = 25.0
# A worker registers changed files at a heartbeat, and the dispatcher then merges them.
_CATALOGUE_TIMEOUT_S = 45.0
_TRIES = 3
_POLL_S = 0.25


@dataclass
class FaultResult:
    """The effects of a fault."""

    fault: Fault
    stage: str = ""
    outcomes: list[str] = field(default_factory=list)
    attempts: list[int] = field(default_factory=list)
    recovery_s: float | None = None
    notes: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Session:
    """Injects faults into a running installation."""

    def __init__(
        self,
        installation: ChaosInstallation,
        parts: TrialParts,
        reader: Reader,
        webhooks: Webhooks,
        engine: OwnEngine | None,
    ) -> None:
        self._installation = installation
        self._parts = parts
        self._reader = reader
        self._webhooks = webhooks
        self._engine = engine
        self._machine = MachineState({})
        self._connections: Mapping[str, int] = {}
        self.trial_ids: set[str] = set()
        self._injector = Injector(installation, parts, engine)

    def prepare(self, loads: Iterable[str]) -> None:
        """Build the services of these loads, so that no fault waits for a build, and record what
        exists before the first fault. Raises TimeoutError."""
        for load in sorted(set(loads)):
            run = self._create_run(load, 1, self._installation.host)
            ended = self._await_end(run["id"], _BUILD_TIMEOUT_S)
            if ended["status"] != "succeeded":
                failures = [trial["failure"] for trial in ended["trials"]]
                raise TimeoutError(f"The load {load} does not succeed without a fault: {failures}")
        self._machine = self._read_machine()
        self._connections = self._installation.database.count_connections()

    def strike(self, fault: Fault) -> FaultResult:
        """Run a fault and all checks. Faults of Tacho are returned, not raised."""
        begin = time.monotonic()
        result = FaultResult(fault)
        try:
            self._strike(fault, result)
        except (httpx.HTTPError, RedisError, DatabaseAway, TimeoutError, NotReady) as error:
            result.violations.append(f"{type(error).__name__}: {error}"[:400])
        result.seconds = time.monotonic() - begin
        return result

    def _strike(self, fault: Fault, result: FaultResult) -> None:
        for number in range(_TRIES):
            self._await_whole(result)
            marks = LogMarks(self._installation.layout.logs)
            # After the planned moment was too late, an earlier one is tried.
            moved = replace(fault, delay_s=fault.delay_s * (1 - number / (_TRIES - 1)))
            with self._injector.prepare(moved) as host:
                is_struck = self._strike_run(moved, host, result)
            if is_struck:
                self._check_logs(marks, result)
                return
        result.violations.append("the fault could not be injected")

    def _strike_run(self, fault: Fault, host: str, result: FaultResult) -> bool:
        """Run a fault and its checks; return False if the run passed the stage before it."""
        run = self._queue(fault, host)
        with Follower(self._installation, run["id"], hangs_up=_hangs_up(fault)) as follower:
            try:
                injected = self._injector.strike(fault, run["id"])
            except Missed as missed:
                result.notes.append(f"missed: {missed}")
                self._await_end(run["id"])
                return False
            self._finish(fault, run["id"], injected, follower, result)
        return True

    def _finish(
        self, fault: Fault, run_id: str, injected: Injected, follower: Follower, result: FaultResult
    ) -> None:
        result.stage = injected.stage
        try:
            result.recovery_s = measure_recovery(self._installation, self._engine, fault, injected)
        except TimeoutError as error:
            result.violations.append(str(error))
        run = self._await_end(run_id)
        facts = self._collect(fault, run, injected, follower)
        facts = replace(facts, recovery_s=result.recovery_s)
        result.outcomes = [read_outcome(trial.document) for trial in facts.trials]
        result.attempts = [int(trial.document["attempt"]) for trial in facts.trials]
        result.notes += injected.notes
        result.violations += [*injected.problems, *list_violations(fault, facts)]

    def _check_logs(self, marks: LogMarks, result: FaultResult) -> None:
        for part, count in marks.count_tracebacks().items():
            if count:
                result.violations.append(f"{count} tracebacks in the {part}'s log")

    def _await_whole(self, result: FaultResult) -> None:
        if self._installation.has_ended():
            result.violations.append("tacho up had ended after the fault before this one")
            self._installation.start()
        if not has_come(self._installation.is_whole, _WHOLE_TIMEOUT_S):
            health = self._installation.read_health()
            raise TimeoutError(f"Tacho is not whole again: {health}")

    def _queue(self, fault: Fault, host: str) -> JsonObject:
        if fault.load == COMPILED and fault.stage == "building":
            self._change_source()
        return self._create_run(fault.load, fault.trials, host)

    def _change_source(self) -> None:
        """Change the compiled framework, and wait until the catalogue has its new files."""
        before = self._find_digest()
        source = self._installation.services / COMPILED_SOURCE
        source.write_text(f"{source.read_text()}\n// {time.time_ns()}\n")
        problem = "the changed files are not in the catalogue"
        expect(lambda: self._find_digest() != before, _CATALOGUE_TIMEOUT_S, problem)

    def _find_digest(self) -> str | None:
        framework = str(LOADS[COMPILED]["framework"])
        return self._installation.database.find_digest(framework)

    def _create_run(self, load: str, trials: int, host: str) -> JsonObject:
        """Queue a run as soon as the catalogue knows that the host has the files for it."""
        deadline = time.monotonic() + _CATALOGUE_TIMEOUT_S
        while True:
            try:
                run = self._installation.create_run(LOADS[load], trials, host)
            except httpx.HTTPStatusError as error:
                refused = error.response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
                if not refused or time.monotonic() > deadline:
                    raise
                time.sleep(_POLL_S)
            else:
                self._webhooks.expect(str(run["id"]))
                return run

    def _await_end(self, run_id: str, timeout_s: float = _RUN_TIMEOUT_S) -> JsonObject:
        """Return the run when it has ended, or its state after a long time."""
        deadline = time.monotonic() + timeout_s
        while True:
            run: JsonObject = {}
            with suppress(httpx.HTTPError):
                run = self._installation.get(f"/runs/{run_id}")
            if run and run["status"] in {"succeeded", "failed", "cancelled"}:
                return run
            if time.monotonic() > deadline:
                if run:
                    return run
                raise TimeoutError("the run could not be read")
            if self._installation.has_ended():
                raise NotReady("tacho up has ended")
            time.sleep(_POLL_S)

    def _collect(
        self, fault: Fault, run: JsonObject, injected: Injected, follower: Follower
    ) -> RunFacts:
        run_id = run["id"]
        is_finalized = has_come(lambda: self._is_finalized(run_id), _FINAL_TIMEOUT_S)
        stream_ended = follower.await_end(_STREAM_TIMEOUT_S)
        trial_ids = {str(trial["id"]) for trial in run["trials"]}
        self.trial_ids |= trial_ids
        remains = self._await_no_remains(
            trial_ids, has_far_host=fault.kind.target is Target.NETWORK
        )
        with Follower(self._installation, run_id, hangs_up=False) as whole:
            whole.await_end(_STREAM_TIMEOUT_S)
        return RunFacts(
            run=run,
            trials=[self._read_trial(trial) for trial in run["trials"]],
            hit_trial_id=injected.trial_id,
            is_finalized=is_finalized,
            remains=remains,
            followed_ids=follower.ids,
            all_ids=whole.ids,
            stream_ended=stream_ended,
            read_failures=self._reader.list_failures(injected.begin_s),
        )

    def _await_no_remains(self, trial_ids: set[str], *, has_far_host: bool) -> list[str]:
        """Wait until nothing is left of ended trials, and return what is left in the end."""
        deadline = time.monotonic() + _REMAINS_TIMEOUT_S
        new = self._list_new()
        while found := [*new, *self._list_remains(trial_ids, has_far_host=has_far_host)]:
            if time.monotonic() > deadline:
                break
            time.sleep(_POLL_S)
            # Something else comes and goes, also because other programs use this machine.
            still_new = self._list_new()
            new = [name for name in new if name in still_new]
        return found

    def _list_remains(self, trial_ids: set[str], *, has_far_host: bool) -> list[str]:
        """Return what is left of ended trials: programs, files, locks, open transactions, and
        connections."""
        found = self._parts.list_remains(trial_ids)
        database = self._installation.database
        # The worker of the far host connects as the owner.
        far = {OWNER_ROLE: 0} if has_far_host else {}
        try:
            found += database.list_held()
            return found + list_excess({**far, **self._connections}, database.count_connections())
        except DatabaseAway as error:
            return [*found, f"the database did not answer: {error}"]

    def _list_new(self) -> list[str]:
        return self._machine.list_new(self._read_machine())

    def _read_machine(self) -> MachineState:
        return MachineState.read(self._installation.layout, self._parts)

    def _is_finalized(self, run_id: str) -> bool:
        with suppress(DatabaseAway):
            return self._installation.database.is_finalized(run_id)
        return False

    def _read_trial(self, trial: JsonObject) -> TrialRecord:
        if trial["status"] != "succeeded":
            return TrialRecord(trial)
        path = f"/trials/{trial['id']}"
        detail = self._installation.get(path)
        return TrialRecord(
            trial,
            samples=self._installation.get(f"{path}/series", phase="all")["samples"],
            latency=self._installation.get(f"{path}/latency"),
            requests_total=detail["requests_total"],
            controls=detail["checks"]["controls"],
        )


def _hangs_up(fault: Fault) -> bool:
    """In every second run the client also disconnects by itself."""
    return fault.number % 2 == 0
