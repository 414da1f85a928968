"""Bench hosts that are played: everything of their workers runs except services and load."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.registration import Sources, read_sources
from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.results.guard.requests_repository import GuardClaim
from backend.core.runs.live.events import LoadSecond, UsageSecond
from backend.core.statuses import TrialStatus
from backend.core.units import Phase
from backend.platform.tools import resolve_tools
from tools.benchmarks.many_runs.fleet import DIGEST, FINGERPRINT, HARNESS, register
from tools.benchmarks.many_runs.made_trials import (
    make_idle_bench,
    make_lines,
    make_materials,
    make_row,
    make_shapes,
    store_trial,
)
from worker.bench.bench import Bench
from worker.bench.reservation import TrialReservation
from worker.bench_host.heartbeat import HEARTBEAT_SECONDS, Heartbeat
from worker.bench_host.host_lease import WorkerLease
from worker.bench_host.taker import HostSignals, TrialTaker
from worker.loadgen.parse import EndLine, SecondLine, parse_line
from worker.pipeline.run import Listen, Measure
from worker.runtime.process import ProcessRuntime
from worker.stages.assignment import Assignment
from worker.stages.build import Materials
from worker.stages.context import TrialContext
from worker.stages.load import FinishedLoad, LoadReport, join
from worker.stages.seconds import SecondSum
from worker.stages.window import Window
from worker.transactions import PeriodicThread

_STOP_SECONDS = 2.0
_STAGES = (TrialStatus.STARTING, TrialStatus.VERIFYING, TrialStatus.MEASURING)


@dataclass(frozen=True)
class PlayedSecond:
    """A second of a load, as live views show it."""

    phase: Phase
    second: int
    load: LoadSecond
    usage: UsageSecond


@dataclass(frozen=True)
class PlayedLoad:
    """A load, second by second, and what it leaves at its end."""

    seconds: Sequence[PlayedSecond]
    finished: FinishedLoad


class PlayedMachine:
    """The catalogue and the loads that the hosts of a process share."""

    def __init__(self) -> None:
        settings = get_settings()
        self.catalogue = Catalogue(settings.services_dir)
        self.sources: Sources = read_sources(self.catalogue)
        self.runtime = ProcessRuntime(settings.data / "k6", settings.data, resolve_tools())
        self._shapes = make_shapes(np.random.default_rng(4))
        self._loads: dict[tuple[object, ...], PlayedLoad] = {}
        self._guard = threading.Lock()

    def get_load(self, assignment: Assignment) -> PlayedLoad:
        """Return the load of a trial. Equal loads are parsed and added up once."""
        key = (assignment.kind, *sorted(assignment.parameters.items()))
        with self._guard:
            if key not in self._loads:
                self._loads[key] = self._play(assignment)
            return self._loads[key]

    def _play(self, assignment: Assignment) -> PlayedLoad:
        window = Window(assignment.kind, assignment.parameters)
        report = LoadReport(window)
        rows = [make_row(second) for second in range(assignment.load_seconds)]
        seconds = []
        for text in make_lines(self._shapes, assignment.load_seconds):
            line = parse_line(text)
            if isinstance(line, EndLine):
                report.end = line
            if not isinstance(line, SecondLine):
                continue
            is_new = line.second not in report.seconds
            total = report.seconds.setdefault(line.second, SecondSum())
            total.add(line)
            if not is_new:
                continue
            window.take(line.second, report.seconds, ())
            place = window.locate(line.second)
            if place is not None:
                used = rows[line.second].resources
                usage = UsageSecond(
                    cpu_service_seconds=used.cpu_service_seconds,
                    cpu_load_seconds=used.cpu_load_seconds,
                    memory_bytes=used.memory_bytes,
                )
                seconds.append(PlayedSecond(*place, total.as_live(), usage))
        return PlayedLoad(seconds, join(report, rows, ""))


class TimedTaker(TrialTaker):
    """Takes trials, and notes each claim: its milliseconds, the trial and the attempt."""

    def __init__(
        self,
        bench: Bench,
        lease: WorkerLease,
        is_stopping: Callable[[], bool],
        listen: Listen,
        measure: Measure,
    ) -> None:
        """Take nothing yet; see `TrialTaker`."""
        super().__init__(bench, lease, is_stopping, listen, measure)
        self.claims: list[tuple[float, str, int]] = []

    def claim(self, reservation: TrialReservation) -> Assignment | GuardClaim | None:
        """Claim the next trial, as a worker does."""
        begin = time.perf_counter()
        claimed = super().claim(reservation)
        if isinstance(claimed, Assignment):
            spent_ms = (time.perf_counter() - begin) * 1e3
            self.claims.append((spent_ms, str(claimed.trial_id), claimed.attempt))
        return claimed


class PlayedHost:
    """A bench host whose trials take their time, and store results that were made before.

    `register_ms` is the time that its registration took. `delivered` names the trials whose
    results it stored, and `claims` those that it claimed.
    """

    def __init__(
        self, machine: PlayedMachine, queue: str, stopping: threading.Event, *, is_joined: bool
    ) -> None:
        """Register the host and its sources, as its worker does when it starts."""
        self._machine = machine
        self._stopping = stopping
        self._wanted = threading.Event()
        begin = time.perf_counter()
        with unit_of_work() as session:
            host_id: UUID = register(session, queue, machine.sources).id
        self.register_ms = (time.perf_counter() - begin) * 1e3
        bench = make_idle_bench(
            get_settings(),
            machine.runtime,
            host_id,
            queue,
            fingerprint=FINGERPRINT,
            fingerprint_digest=DIGEST,
            harness=HARNESS,
        )
        self._bench = replace(bench, is_joined=is_joined)
        self._signals = HostSignals(get_settings().redis_url, queue)
        self._lease = WorkerLease(queue, get_settings().data)
        self._taker = TimedTaker(
            self._bench, self._lease, stopping.is_set, self._signals.listen, self._measure
        )
        heartbeat = Heartbeat(self._bench, lambda: None)
        self._heart = PeriodicThread("heartbeat", lambda: _beat(heartbeat), HEARTBEAT_SECONDS)
        self._thread = threading.Thread(target=self._work, name=queue)
        self.delivered: list[str] = []

    @property
    def claims(self) -> Sequence[tuple[float, str, int]]:
        """Return the milliseconds of each claim, with the trial and its attempt."""
        return self._taker.claims

    def start(self) -> None:
        """Take the lease of the host, and trials until the process stops."""
        self._lease.wait(self._stopping.is_set)
        self._lease.keep_renewing()
        self._heart.start()
        self._signals.start()
        self._thread.start()
        self.wake_up()

    def wake_up(self) -> None:
        """Let the host look for trials, as its wake-up message does."""
        self._wanted.set()

    def join(self) -> None:
        """Wait for the end of its threads, and release its lease."""
        self._thread.join()
        self._heart.stop()
        self._signals.stop()
        self._lease.release()

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._wanted.wait()
            self._wanted.clear()
            while self._lease.wait(self._stopping.is_set) and self._taker.run_next():
                pass

    def _measure(self, context: TrialContext) -> None:
        for stage in _STAGES:
            context.progress.enter(stage)
        load = self._machine.get_load(context.assignment)
        begin = time.monotonic()
        for number, second in enumerate(load.seconds, 1):
            if self._stopping.wait(max(0.0, begin + number - time.monotonic())):
                # The watch returns the trial to the queue.
                time.sleep(_STOP_SECONDS)
            context.watch.check()
            context.progress.sample(second.phase, second.second, second.load, second.usage)
        context.logs.update({"service": "listening\n" * 20, "load": "done\n"})
        store_trial(context, self._find_materials(context.assignment), load.finished)
        self.delivered.append(str(context.assignment.trial_id))

    def _find_materials(self, assignment: Assignment) -> Materials:
        """Return the build with the digests for which the run was requested."""
        made = make_materials(self._bench, assignment, self._machine.catalogue)
        digest = assignment.framework_digest or made.service.request.digest
        service = replace(made.service, request=replace(made.service.request, digest=digest))
        return replace(
            made,
            service=service,
            scenario_digest=assignment.scenario_digest or made.scenario_digest,
        )


def _beat(heartbeat: Heartbeat) -> None:
    heartbeat.beat()
