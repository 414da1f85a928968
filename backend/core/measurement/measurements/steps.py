"""Load steps with a growing rate: the result of each step, the sustained rate and the knee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from backend.core.documents import Step
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.numeric import np
from backend.core.second import Second

# The sensitivity that the authors of Kneedle recommend, and the fewest points it needs.
_SENSITIVITY = 1.0
_MIN_KNEE_STEPS = 5
# Our own rule: a curve that never reaches twice its lowest value is flat, and its knee is noise.
_MIN_KNEE_RISE = 2.0


def target_rps(parameters: Mapping[str, int], step: int) -> int:
    """Return the rate of a step; steps count from 0."""
    return parameters["first_rps"] + step * parameters["step_rps"]


def has_failed(parameters: Mapping[str, int], step: int, lost: int) -> bool:
    """Return whether a step fails when `lost` of its requests failed or were dropped."""
    offered = target_rps(parameters, step) * parameters["step_seconds"]
    return lost * 100 > offered * (100 - parameters["success_percent"])


def list_steps(seconds: Sequence[Second], parameters: Mapping[str, int]) -> list[Step]:
    """Return the result of each step, including an incomplete last one.

    Args:
        seconds: the measured seconds of a load in steps, each once, in order.
    """
    length = parameters["step_seconds"]
    return [
        _sum_up(seconds[begin : begin + length], begin // length, parameters)
        for begin in range(0, len(seconds), length)
    ]


def merge_steps(trials: Sequence[Sequence[Second]], parameters: Mapping[str, int]) -> list[Step]:
    """Return the result of each step over all trials, up to the last step that any trial reached.

    Args:
        trials: the measured seconds of each trial, as `list_steps` takes them.
    """
    length = parameters["step_seconds"]
    longest = max(map(len, trials), default=0)
    return [
        _sum_up(
            [second for seconds in trials for second in seconds[begin : begin + length]],
            begin // length,
            parameters,
        )
        for begin in range(0, longest, length)
    ]


def find_sustained_rps(steps: Sequence[Step]) -> int | None:
    """Return the highest rate before the first failed step; None if the first step failed."""
    sustained = None
    for step in steps:
        if not step.passed:
            break
        sustained = step.target_rps
    return sustained


def find_knee_rps(steps: Sequence[Step]) -> int | None:
    """Return the rate above which p99 latency rises steeply; None if it never does."""
    points = [(step.target_rps, step.latency_p99_ms) for step in steps if step.latency_p99_ms]
    knee = find_knee([float(rate) for rate, _ in points], [latency for _, latency in points])
    return None if knee is None else points[knee][0]


def find_knee(loads: Sequence[float], latencies: Sequence[float]) -> int | None:
    """Return the index of the knee of a curve of latency against load; None if it has none.

    Source: Kneedle (V. Satopää, J. Albrecht, D. Irwin, B. Raghavan, 2011, "Finding a 'Kneedle' in
    a Haystack"), for a convex increasing curve, without smoothing, since there are few points.

    Args:
        loads: in increasing order.
        latencies: the latency at each load, all positive.
    """
    if len(loads) < _MIN_KNEE_STEPS or max(latencies) < _MIN_KNEE_RISE * min(latencies):
        return None
    x, y = _normalise(np.array(loads)), _normalise(np.array(latencies))
    distance = x - y
    threshold_drop = _SENSITIVITY * float(np.diff(x).mean())
    candidate: int | None = None
    for index in range(1, len(distance)):
        is_peak = index + 1 < len(distance) and (
            distance[index - 1] <= distance[index] > distance[index + 1]
        )
        if is_peak:
            candidate = index
        elif candidate is not None and distance[index] < distance[candidate] - threshold_drop:
            return candidate
    return None


def _normalise(values: np.ndarray) -> np.ndarray:
    low, high = values.min(), values.max()
    normalised: np.ndarray = (values - low) / (high - low)
    return normalised


def _sum_up(seconds: Sequence[Second], step: int, parameters: Mapping[str, int]) -> Step:
    requests = sum(second.requests for second in seconds)
    failed = sum(second.failed for second in seconds)
    dropped = sum(second.dropped for second in seconds)
    offered, succeeded = requests + dropped, requests - failed
    latency = Histogram.merge_all(Histogram.from_varints(second.latency) for second in seconds)
    p50, p90, p99 = latency.points([0.5, 0.9, 0.99]) if latency.count else (None, None, None)
    cpu = [second.cpu_service_seconds for second in seconds]
    known = [value for value in cpu if value is not None]
    return Step(
        step=step,
        target_rps=target_rps(parameters, step),
        offered=offered,
        requests=requests,
        failed=failed,
        dropped=dropped,
        success_ratio=succeeded / offered if offered else 0.0,
        throughput_rps=succeeded / len(seconds),
        latency_p50_ms=_in_ms(p50),
        latency_p90_ms=_in_ms(p90),
        latency_p99_ms=_in_ms(p99),
        latency_mean_ms=_in_ms(latency.mean() if latency.count else None),
        cpu_us_per_request=(
            sum(known) / requests * 1e6 if requests and len(known) == len(cpu) else None
        ),
        passed=succeeded * 100 >= offered * parameters["success_percent"] and offered > 0,
    )


def _in_ms(value_ns: float | None) -> float | None:
    return None if value_ns is None else value_ns / 1e6
