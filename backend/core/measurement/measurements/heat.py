"""Latency over time as a grid of counts, for the heat map; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.measurement.measurements.histogram import BUCKETS_PER_OCTAVE, edges_ns, read_many
from backend.core.numeric import Integers, np

_ROWS_PER_OCTAVE = 8
_BUCKETS_PER_ROW = BUCKETS_PER_OCTAVE // _ROWS_PER_OCTAVE
# More columns than a screen can show.
_MOST_COLUMNS = 300


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Number of requests by time and latency.

    Attributes:
        first_second: the second at which the first column begins; warm-up seconds are negative.
        seconds_per_column: number of seconds that one column sums up.
        edges_ms: lower edge of each row and upper edge of the last; empty without requests.
        counts: int64 array, columns × rows.
    """

    first_second: int
    seconds_per_column: int
    edges_ms: list[float]
    counts: Integers


def draw_heat_map(latencies: Sequence[tuple[int, bytes]]) -> HeatMap:
    """Return the grid of latencies per second, limited to rows that contain a request.

    Args:
        latencies: seconds (negative in the warm-up), each with its distribution as uvarint pairs;
            distributions of the same second are summed.
    """
    seconds = np.array([second for second, _ in latencies], dtype=np.int64)
    first, last = (int(seconds.min()), int(seconds.max())) if latencies else (0, -1)
    width = max(1, -(-(last - first + 1) // _MOST_COLUMNS))
    owner, bucket, requests = read_many([encoded for _, encoded in latencies])
    row = bucket // _BUCKETS_PER_ROW
    shape = (-(-(last - first + 1) // width), int(row.max(initial=-1)) + 1)
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, ((seconds[owner] - first) // width, row), requests)
    used = np.flatnonzero(counts.any(axis=0))
    if not used.size:
        return HeatMap(first, width, [], counts[:, :0])
    low, high = int(used[0]), int(used[-1]) + 1
    edges = edges_ns(np.arange(low, high + 1) * _BUCKETS_PER_ROW) / 1e6
    return HeatMap(first, width, edges.tolist(), counts[:, low:high])
