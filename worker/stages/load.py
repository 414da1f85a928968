"""Warm up and measure in one k6 run, and join its seconds with their resources."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.core.errors import LoadFailed
from backend.core.measurements.histogram import Histogram
from backend.core.measurements.series import Second
from backend.core.statuses import TrialStatus
from backend.core.units import Phase
from worker.loadgen.command import load_command, load_environment
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import EndLine, SecondLine, StartLine
from worker.pipeline.reporter import Reporter
from worker.runtime.base import Execution, Pod
from worker.sampling.instant import to_monotonic_ns
from worker.sampling.sampler import ResourceSampler, ResourceSecond
from worker.stages.assignment import Assignment
from worker.stages.diagnosis import check_parts
from worker.stages.live import LiveView
from worker.stages.seconds import SecondSum
from worker.stages.start import Started
from worker.stages.watch import Watch
from worker.stages.window import WarmUp, Window

# Extra time for k6's start, late answers and the end of its output.
_SLACK_SECONDS = 60.0
_SHOWN_SECONDS = 20


@dataclass
class LoadResult:
    """What k6 reported, by second of the load; lines of the same second add up."""

    window: Window
    seconds: dict[int, SecondSum] = field(default_factory=dict)
    end: EndLine | None = None


@dataclass(frozen=True)
class Loaded:
    """A finished load: every second of both phases, and the end of k6's output.

    Histograms and sums cover the measured seconds. `lateness` holds how late their requests were
    sent (ns); it is empty if requests have no due time, or if k6 sent them. `first_byte` is empty
    unless the scenario requests it.
    """

    seconds: Sequence[Second]
    warm_up: WarmUp
    lateness: Histogram
    first_byte: Histogram
    latency: Histogram
    latency_failed: Histogram
    latency_sum_ns: int
    latency_max_ns: int
    resource_source: str
    end: EndLine
    stderr: str


def load(
    pod: Pod,
    assignment: Assignment,
    started: Started,
    reporter: Reporter,
    watch: Watch,
    *,
    load_cpus: int,
    memory_bytes: int,
    with_k6_summary: bool,
) -> Loaded:
    """Send the load of warm-up and measured seconds in one run, and sample resources meanwhile.

    Raises:
        ServiceDied, BackingServiceDied: a service ended under load.
        LoadFailed: k6 ended early, or seconds are missing.
    """
    environment = {
        **started.environment,
        **load_environment(load_cpus, memory_bytes),
        **({"TACHO_K6_SUMMARY": "1"} if with_k6_summary else {}),
    }
    timeout_seconds = assignment.parameters["timeout_ms"] / 1000
    watch.set_deadline(assignment.load_seconds + timeout_seconds + _SLACK_SECONDS)
    live = LiveView(reporter)
    sampler = ResourceSampler(pod, live.take_resources)
    started_ns = time.monotonic_ns()
    execution = pod.execute(_command(started, with_k6_summary), environment)
    try:
        result = _follow(pod, execution, started_ns, assignment, reporter, live, sampler)
        watch.check()
        check_parts(pod, reporter.stage)
        _check_end(execution, result)
        rows = sampler.get_rows(timeout_s=5)
    finally:
        sampler.stop()
    watch.set_deadline(None)
    return join(result, rows, execution.stderr + _describe_late(sampler.late_seconds))


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


def _command(started: Started, with_k6_summary: bool) -> list[str]:
    return load_command("k6", f"{started.folder}/load.js", is_summarised=with_k6_summary)


def _follow(
    pod: Pod,
    execution: Execution,
    started_ns: int,
    assignment: Assignment,
    reporter: Reporter,
    live: LiveView,
    sampler: ResourceSampler,
) -> LoadResult:
    window = Window(assignment.kind, assignment.parameters)
    result = LoadResult(window)
    for line in read_lines(execution):
        if isinstance(line, StartLine):
            begin_ns = to_monotonic_ns(line.wall_ns, not_before_ns=started_ns)
            sampler.start_at(begin_ns, line.seconds)
            warm = window.begin is None
            stage = TrialStatus.WARMING_UP if warm else TrialStatus.MEASURING
            reporter.enter(stage, is_awaited=False)
        elif isinstance(line, SecondLine):
            if line.failed or not line.requests:
                # Check only now, because each check costs the host some CPU time.
                check_parts(pod, reporter.stage)
            is_new = line.second not in result.seconds
            total = result.seconds.setdefault(line.second, SecondSum())
            total.add(line)
            if is_new:
                place = window.locate(line.second)
                if place is not None:
                    live.take_load(line.second, place, total.as_live())
                _pass_second(line.second, execution, reporter, sampler, result)
        elif isinstance(line, EndLine):
            result.end = line
    return result


def _pass_second(
    second: int,
    execution: Execution,
    reporter: Reporter,
    sampler: ResourceSampler,
    result: LoadResult,
) -> None:
    """Decide after a second whether the next second counts and whether the load is over."""
    window = result.window
    if window.is_over(second - 1):
        return
    window.take(second, result.seconds, sampler.rows)
    is_next_measured = window.begin is not None and second >= window.begin - 1
    if is_next_measured and reporter.stage is TrialStatus.WARMING_UP:
        reporter.enter(TrialStatus.MEASURING, is_awaited=False)
    if window.end is not None and window.is_over(second):
        sampler.end_after(window.end)
        execution.finish()


def _check_end(execution: Execution, result: LoadResult) -> None:
    end = await_exit(execution)
    if not end.is_success or result.end is None:
        raise explain_death(end, execution)
    window = result.window
    if window.end is None or not all(second in result.seconds for second in range(window.end)):
        raise LoadFailed(
            f"The load generator reported {len(result.seconds)} s; some seconds are missing."
        )


def join(result: LoadResult, rows: Sequence[ResourceSecond], stderr: str) -> Loaded:
    """Return a finished load from k6's report and the resources of the same seconds."""
    resources = {row.second: row for row in rows}
    window = result.window
    seconds, counted = [], []
    for second, total in sorted(result.seconds.items()):
        place = window.locate(second)
        if place is None:
            continue
        seconds.append(total.as_second(*place, resources.get(second)))
        if place[0] is Phase.MEASURE:
            counted.append(total)
    assert result.end is not None
    assert window.warm_up is not None
    return Loaded(
        seconds=seconds,
        warm_up=window.warm_up,
        lateness=Histogram.merge_all(total.lateness for total in counted),
        first_byte=Histogram.merge_all(total.first_byte for total in counted),
        latency=Histogram.merge_all(total.latency for total in counted),
        latency_failed=Histogram.merge_all(total.latency_failed for total in counted),
        latency_sum_ns=sum(total.latency_sum_ns for total in counted),
        latency_max_ns=max(total.latency_max_ns for total in counted),
        resource_source=rows[-1].source if rows else "none",
        end=result.end,
        stderr=stderr,
    )
