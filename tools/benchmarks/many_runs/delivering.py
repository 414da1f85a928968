"""Plays the bench hosts: each claims trials, follows their load in real time and stores them.

The parts of a worker do the work: lease, live events, parsing, judging and storing. Only services
and load are missing. `python -m tools.benchmarks.many_runs.delivering` runs until its input ends,
and prints the number of stored trials.
"""

import json
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.repository import touch_host
from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.queue import try_wake_up_finalizer
from backend.core.runs.live.events import UsageSecond
from backend.core.runs.trials import service as trials
from backend.core.statuses import TrialStatus
from backend.platform.tools import resolve_tools
from tools.benchmarks.ingest import (
    make_idle_bench,
    make_lines,
    make_materials,
    make_row,
    make_shapes,
    store_trial,
)
from tools.benchmarks.many_runs.fleet import DIGEST, FINGERPRINT, HARNESS, list_fleet
from worker.bench.bench import Bench
from worker.loadgen.parse import EndLine, SecondLine, parse_line
from worker.pipeline.assignment import read_assignment
from worker.pipeline.lease import Lease
from worker.pipeline.reporter import Reporter
from worker.runtime.process import ProcessRuntime
from worker.stages.assignment import Assignment
from worker.stages.build import Materials
from worker.stages.context import TrialContext
from worker.stages.load import FinishedLoad, LoadReport, join
from worker.stages.seconds import SecondSum
from worker.stages.watch import Watch
from worker.stages.window import Window

_HEARTBEAT_SECONDS = 10
_IDLE_SECONDS = 1.0
_STAGES = (TrialStatus.STARTING, TrialStatus.VERIFYING, TrialStatus.MEASURING)


@dataclass
class DeliveringHost:
    """One of the hosts. `stored` counts the trials that it stored."""

    bench: Bench
    shapes: Sequence[dict[str, object]]
    catalogue: Catalogue
    stopping: threading.Event
    stored: int = 0

    def work(self) -> None:
        """Take trials until the process stops."""
        while not self.stopping.is_set():
            assignment = self._claim()
            if assignment is None:
                self.stopping.wait(_IDLE_SECONDS)
            elif self._run(assignment):
                self.stored += 1
                self._hand_over(assignment.run_id)

    def _claim(self) -> Assignment | None:
        with unit_of_work() as session:
            claimed = trials.claim_next(session, self.bench.host_id)
            return None if claimed is None else read_assignment(session, claimed.id)

    def _run(self, assignment: Assignment) -> bool:
        """Run a trial; return whether its results were stored."""
        reporter = Reporter(assignment, self.bench.runtime.kind, self.stopping.is_set)
        reporter.begin()
        lease = Lease(assignment.claim)
        with Watch(assignment.trial_id, self.stopping.is_set, lease.find_stop) as watch:
            context = TrialContext(self.bench, assignment, reporter, watch, self.stopping.is_set)
            for stage in _STAGES:
                reporter.enter(stage)
            finished = self._follow(assignment, reporter)
            if finished is None:
                reporter.give_back()
            else:
                context.logs.update({"service": "listening\n" * 20, "load": "done\n"})
                store_trial(context, self._find_materials(assignment), finished)
                reporter.end(TrialStatus.SUCCEEDED)
        reporter.close()
        return finished is not None

    def _follow(self, assignment: Assignment, reporter: Reporter) -> FinishedLoad | None:
        """Follow a load, second by second; return None if the process stops before its end."""
        window = Window(assignment.kind, assignment.parameters)
        report = LoadReport(window)
        seconds = assignment.load_seconds
        begin = time.monotonic()
        rows = [make_row(second) for second in range(seconds)]
        for text in make_lines(self.shapes, self.stored, seconds):
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
            if self.stopping.wait(max(0.0, begin + line.second + 1 - time.monotonic())):
                return None
            window.take(line.second, report.seconds, ())
            place = window.locate(line.second)
            if place is not None:
                resources = rows[line.second].resources
                usage = UsageSecond(
                    cpu_service_seconds=resources.cpu_service_seconds,
                    cpu_load_seconds=resources.cpu_load_seconds,
                    memory_bytes=resources.memory_bytes,
                )
                reporter.sample(*place, total.as_live(), usage)
        return join(report, rows, "")

    def _find_materials(self, assignment: Assignment) -> Materials:
        """Return the build with the digests for which the run was requested."""
        made = make_materials(self.bench, assignment, self.catalogue)
        digest = assignment.framework_digest or made.service.request.digest
        service = replace(made.service, request=replace(made.service.request, digest=digest))
        return replace(
            made,
            service=service,
            scenario_digest=assignment.scenario_digest or made.scenario_digest,
        )

    def _hand_over(self, run_id: UUID) -> None:
        with unit_of_work() as session:
            is_due = trials.awaits_dispatcher(session, run_id)
        if is_due:
            try_wake_up_finalizer()


def main() -> None:
    """Run the hosts until the standard input ends."""
    stopping = threading.Event()
    shapes = make_shapes(np.random.default_rng(4))
    catalogue = Catalogue(get_settings().services_dir)
    with unit_of_work() as session:
        fleet = list_fleet(session)
    settings = get_settings()
    runtime = ProcessRuntime(settings.data / "k6", settings.data, resolve_tools())
    hosts = [
        DeliveringHost(
            make_idle_bench(
                settings,
                runtime,
                host_id,
                name,
                fingerprint=FINGERPRINT,
                fingerprint_digest=DIGEST,
                harness=HARNESS,
            ),
            shapes,
            catalogue,
            stopping,
        )
        for host_id, name in fleet
    ]
    beats = threading.Thread(target=_beat, args=(hosts, stopping))
    threads = [beats, *(threading.Thread(target=host.work) for host in hosts)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    stopping.set()
    for thread in threads:
        thread.join()
    print(json.dumps({"trials": sum(host.stored for host in hosts)}))


def _beat(hosts: Sequence[DeliveringHost], stopping: threading.Event) -> None:
    """Send the heartbeats of all hosts."""
    while True:
        for host in hosts:
            with unit_of_work() as session:
                touch_host(session, host.bench.host_id)
        if stopping.wait(_HEARTBEAT_SECONDS):
            return


if __name__ == "__main__":
    main()
