"""Check the seconds of a load with Little's law. Pure."""

from collections.abc import Sequence
from math import ceil
from statistics import fmean

from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.series import latency_columns
from backend.core.second import Second

_TOLERANCE = 0.1
# Long requests that cross the ends of the window make the law imprecise.
_MAX_LATENCY_SHARE = 0.02


def explain_violation(
    seconds: Sequence[Second], mean_latency_ms: float | None, timed_requests: int | None
) -> str | None:
    """Return how L = λ W is violated, which holds for any stable system (J. D. C. Little, 1961).

    Requests cross both ends of the window. If a request ends after the window, its latency counts
    in full, but only a part of its time in flight. If it was sent before the window, only a part of
    its time in flight counts. A larger difference is a miscount.

    Args:
        seconds: the measured seconds; not empty.
        mean_latency_ms: of the requests that were sent in them; None if there are none.
        timed_requests: number of requests that have a latency; None for all.
    """
    mean_s = (mean_latency_ms or 0.0) / 1000
    has_failed = any(second.failed for second in seconds)
    if not mean_s or has_failed or mean_s > _MAX_LATENCY_SHARE * len(seconds):
        return None
    all_requests = sum(second.requests for second in seconds)
    requests = all_requests if timed_requests is None else timed_requests
    expected = requests / len(seconds) * mean_s
    counted = fmean(second.in_flight for second in seconds)
    carried_s = _carry_in_s(seconds) if counted > expected else _carry_out_s(seconds)
    if abs(counted - expected) <= _TOLERANCE * expected + carried_s / len(seconds):
        return None
    return (
        f"{counted:.3g} requests were in flight on average, but rate × mean latency is "
        f"{expected:.3g}: at least one of them is wrong."
    )


def _carry_in_s(seconds: Sequence[Second]) -> float:
    """Return the most request-seconds within the window of requests that were sent before it.

    They end before the slowest request would, so they are in flight in the first seconds only. At
    the begin of the window, each connection has at most one.
    """
    slowest_s = _find_slowest_s(seconds)
    in_flight_s = sum(second.in_flight for second in seconds[: ceil(slowest_s)])
    return min(in_flight_s, _count_connections(seconds) * slowest_s)


def _carry_out_s(seconds: Sequence[Second]) -> float:
    """Return the most request-seconds after the window of requests that were sent in it.

    A request lasts at most its latency after the end of the second in which it was sent. At the
    end of the window, each connection has at most one.
    """
    slowest_s = _find_slowest_s(seconds)
    beyond_s = 0.0
    for left_s in range(min(ceil(slowest_s), len(seconds))):
        latencies = Histogram.from_varints(seconds[-1 - left_s].latency)
        beyond_s += sum(
            count * max(high_ns / 1e9 - left_s, 0.0) for _, high_ns, count in latencies.buckets()
        )
    return min(beyond_s, _count_connections(seconds) * slowest_s)


def _count_connections(seconds: Sequence[Second]) -> int:
    return max(second.vus for second in seconds)


def _find_slowest_s(seconds: Sequence[Second]) -> float:
    slowest_ms = (latency_columns(second.latency)["latency_max_ms"] for second in seconds)
    return max(latency_ms or 0.0 for latency_ms in slowest_ms) / 1000
