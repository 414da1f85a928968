"""Warm up and measure in one k6 run, and join its seconds with their resources."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backend.core.documents import TrialLoadHost
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.summary import COLD_SECONDS
from backend.core.second import Second
from backend.core.statuses import TrialStatus
from backend.core.units import LatencyStart, Phase, ServiceNetwork
from worker.loadgen.parse import EndLine, SecondLine, StartLine
from worker.resources.compilers import CompilerThreads
from worker.runtime.base import Pod, PodRole
from worker.sampling.instant import to_monotonic_ns
from worker.sampling.sampler import ResourceSampler, ResourceSecond
from worker.stages.build import Materials
from worker.stages.context import TrialContext
from worker.stages.diagnosis import check_parts
from worker.stages.live import LiveView
from worker.stages.seconds import SecondSum
from worker.stages.source import LoadSource, open_source
from worker.stages.start import ReadyService
from worker.stages.turns import CYCLE_SECONDS
from worker.stages.window import WarmUp, Window

# Extra time for k6's start, late answers and the end of its output.
_SLACK_SECONDS = 60.0
_READING_SECONDS = 5.0
_SHOWN_SECONDS = 20
_HURRIED = "Until the window, the JIT compilers of the service had priority over its other threads."
# From a report about a second until the second after the next one.
_REST_SECONDS = 3


@dataclass
class LoadReport:
    """The seconds of a load as k6 has reported them so far; lines of the same second add up."""

    window: Window
    seconds: dict[int, SecondSum] = field(default_factory=dict)
    end: EndLine | None = None


@dataclass(frozen=True)
class FinishedLoad:
    """A finished load: every second of both phases, and the end of k6's output.

    Histograms and sums cover the measured seconds.

    Attributes:
        lateness: how late requests were begun (ns); empty if requests have no due time.
        first_byte: times to the first byte (ns); empty unless the scenario requests it.
        latency: of the requests that succeeded or timed out (ns), from the moment when they were
            due; from the send if they have no due time.
        latency_failed: of the requests that failed in another way.
        service_time: of the successful requests, from the send; empty if they have no due time.
        script_shares: how much of each measured second the scenario's script worked, as a share.
            Empty if the script neither draws requests nor compares every response.
        service_network: of meaning only if `load_hosts` is not empty.
    """

    seconds: Sequence[Second]
    warm_up: WarmUp
    lateness: Histogram
    first_byte: Histogram
    latency: Histogram
    latency_failed: Histogram
    service_time: Histogram
    latency_sum_ns: int
    latency_max_ns: int
    resource_source: str
    end: EndLine
    stderr: str
    script_shares: Sequence[float] = ()
    load_hosts: Sequence[TrialLoadHost] = ()
    service_network: ServiceNetwork = ServiceNetwork.OWN

    @property
    def latency_from(self) -> LatencyStart:
        """Return the moment from which the latencies count."""
        return LatencyStart.DUE if self.lateness.count else LatencyStart.SEND

    @property
    def times_from_send(self) -> Histogram:
        """Return how long responses took from the send (ns)."""
        return self.service_time if self.latency_from is LatencyStart.DUE else self.latency


def load(
    context: TrialContext, pod: Pod, service: ReadyService, materials: Materials
) -> FinishedLoad:
    """Send the load of warm-up and measured seconds in one run, and sample resources meanwhile.

    Raises:
        ServiceDied, BackingServiceDied: a service ended under load.
        LoadFailed: k6 ended early, or seconds are missing.
        LoadHostLost: a load host did not answer.
    """
    assignment = context.assignment
    timeout_seconds = assignment.parameters["timeout_ms"] / 1000
    longest = assignment.load_seconds * _find_cycle(context)
    context.watch.set_deadline(longest + timeout_seconds + _SLACK_SECONDS)
    with open_source(context, pod, service, materials) as source:
        follower = _LoadFollower(context, pod, source)
        try:
            follower.follow()
            context.watch.check()
            finished = follower.finish()
        finally:
            follower.stop()
    context.watch.set_deadline(None)
    context.logs["load"] = finished.stderr
    return finished


def _find_cycle(context: TrialContext) -> int:
    """Return how many seconds of the clock a second of the load takes."""
    return 1 if context.turn is None else CYCLE_SECONDS


class _LoadFollower:
    """Reads the lines of a trial's load, and ends it after the last measured second.

    A second of a load that takes turns is its own turn and that of the other load: what the service
    puts off until the load pauses belongs to it, too.
    """

    def __init__(self, context: TrialContext, pod: Pod, source: LoadSource) -> None:
        """Start the load."""
        assignment = context.assignment
        self._pod = pod
        self._source = source
        self._progress = context.progress
        self._report = LoadReport(Window(assignment.kind, assignment.parameters, context.turn))
        self._cycle = _find_cycle(context)
        self._passed = -1
        self._live = LiveView(
            context.progress,
            len(context.bench.cpus.all),
            is_load_here=not source.load_hosts,
        )
        self._cap = assignment.parameters["warm_up_seconds"]
        self._compilers = CompilerThreads(lambda: pod.list_processes(PodRole.SERVICE))
        self._sampler = ResourceSampler(
            pod, self._live.take_resources, turns=self._cycle, compilers=self._compilers
        )
        self._started_ns = time.monotonic_ns()
        source.start()

    def follow(self) -> None:
        """Read k6's lines until its output ends."""
        for line in self._source.lines():
            if isinstance(line, StartLine):
                self._begin(line)
            elif isinstance(line, SecondLine):
                self._add(line)
            elif isinstance(line, EndLine):
                self._report.end = line

    def finish(self) -> FinishedLoad:
        """Return the finished load; raise the error of a load that did not end well."""
        check_parts(self._pod, self._progress.stage)
        self._check_end()
        rows = self._source.complete(self._sampler.get_rows(timeout_s=_READING_SECONDS))
        stderr = self._source.stderr + _describe_late(self._sampler.late_seconds)
        finished = join(self._report, rows, stderr)
        warm_up = finished.warm_up
        if self._compilers.were_hurried:
            warm_up = replace(warm_up, detail=f"{warm_up.detail} {_HURRIED}")
        return replace(
            finished,
            warm_up=warm_up,
            load_hosts=self._source.load_hosts,
            service_network=self._pod.service_network,
        )

    def stop(self) -> None:
        """Stop sampling resources."""
        self._sampler.stop()

    def _begin(self, line: StartLine) -> None:
        begin_ns = to_monotonic_ns(line.wall_ns, not_before_ns=self._started_ns)
        self._sampler.start_at(begin_ns, line.seconds // self._cycle)
        has_warm_up = self._report.window.begin is None
        stage = TrialStatus.WARMING_UP if has_warm_up else TrialStatus.MEASURING
        self._progress.enter(stage, is_awaited=False)

    def _add(self, line: SecondLine) -> None:
        if line.failed or not line.requests:
            # Check only now, because each check costs the host some CPU time.
            check_parts(self._pod, self._progress.stage)
        second, turn = divmod(line.second, self._cycle)
        total = self._report.seconds.setdefault(second, SecondSum())
        total.add(line)
        if turn == self._cycle - 1 and second > self._passed:
            self._passed = second
            place = self._report.window.locate(second)
            if place is not None:
                self._live.take_load(second, place, total.as_live())
            self._pass_second(second)

    def _pass_second(self, second: int) -> None:
        """Decide after a second whether the next second counts and whether the load is over."""
        window = self._report.window
        if window.is_over(second - 1):
            return
        window.take(second, self._report.seconds, self._sampler.rows)
        self._help_compilers(second)
        is_next_measured = window.begin is not None and second >= window.begin - 1
        if is_next_measured and self._progress.stage is TrialStatus.WARMING_UP:
            self._progress.enter(TrialStatus.MEASURING, is_awaited=False)
        if window.end is not None and window.is_over(second):
            self._sampler.end_after(window.end)
            self._source.finish()

    def _help_compilers(self, second: int) -> None:
        """Give JIT compilers priority during the warm-up, between the cold seconds and the window.

        Seconds are reported after they have passed, and the window may begin at the cap.
        """
        if self._report.window.begin is not None or second + _REST_SECONDS >= self._cap:
            self._compilers.rest()
        elif second + 1 >= COLD_SECONDS:
            self._compilers.hurry()

    def _check_end(self) -> None:
        report = self._report
        self._source.check_end(is_complete=report.end is not None)
        last = report.window.end
        if last is None or not all(second in report.seconds for second in range(last)):
            raise self._source.explain_missing(len(report.seconds), report.end)


def _describe_late(seconds: Sequence[int]) -> str:
    """Return a line for the load generator's log about seconds whose CPU time is a mean."""
    if not seconds:
        return ""
    named = ", ".join(str(second) for second in seconds[:_SHOWN_SECONDS])
    more = ", …" if len(seconds) > _SHOWN_SECONDS else ""
    return (
        f"\n{len(seconds)} s of the load had no resource reading of their own, because the host "
        f"was busy or suspended; their CPU time is a mean: {named}{more}\n"
    )


def join(report: LoadReport, rows: Sequence[ResourceSecond], stderr: str) -> FinishedLoad:
    """Return a finished load from k6's report and the resources of the same seconds."""
    resources = {row.second: row for row in rows}
    window = report.window
    seconds, counted = [], []
    for second, total in sorted(report.seconds.items()):
        place = window.locate(second)
        if place is None:
            continue
        seconds.append(total.as_second(*place, resources.get(second)))
        if place[0] is Phase.MEASURE:
            counted.append(total)
    assert report.end is not None
    assert window.warm_up is not None
    return FinishedLoad(
        seconds=seconds,
        warm_up=window.warm_up,
        lateness=Histogram.merge_all(total.lateness for total in counted),
        first_byte=Histogram.merge_all(total.first_byte for total in counted),
        latency=Histogram.merge_all(total.latency for total in counted),
        latency_failed=Histogram.merge_all(total.latency_failed for total in counted),
        service_time=Histogram.merge_all(total.service_time for total in counted),
        latency_sum_ns=sum(total.latency_sum_ns for total in counted),
        latency_max_ns=max(total.latency_max_ns for total in counted),
        resource_source=rows[-1].source if rows else "none",
        end=report.end,
        stderr=stderr,
        script_shares=[total.script_share for total in counted if total.script_share is not None],
    )
