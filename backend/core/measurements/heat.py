"""Latency over time as a grid of counts, for the heat map; pure."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from backend.core.measurements.histogram import BUCKETS_PER_OCTAVE, Histogram, edges_ns

_ROWS_PER_OCTAVE = 8
_BUCKETS_PER_ROW = BUCKETS_PER_OCTAVE // _ROWS_PER_OCTAVE
# Wider than a screen shows.
_MOST_COLUMNS = 300


@dataclass(frozen=True, eq=False)
class HeatMap:
    """How many requests took how long, when.

    Attributes:
        first_second: where the first column begins; warm-up seconds are negative.
        seconds_per_column: how many seconds are added up in one column.
        edges_ms: lower edge of each row and upper edge of the last; empty without requests.
        counts: int64 array, columns × rows.
    """

    first_second: int
    seconds_per_column: int
    edges_ms: list[float]
    counts: npt.NDArray[np.int64]


def draw_heat_map(latencies: Mapping[int, Histogram]) -> HeatMap:
    """The grid of the seconds' distributions, rows cut to those that hold a request.

    Args:
        latencies: second (negative in the warm-up) to its distribution.
    """
    first, last = min(latencies, default=0), max(latencies, default=-1)
    width = max(1, -(-(last - first + 1) // _MOST_COLUMNS))
    size = max((len(one.counts) for one in latencies.values()), default=0)
    rows = -(-size // _BUCKETS_PER_ROW)
    counts = np.zeros((-(-(last - first + 1) // width), rows), dtype=np.int64)
    for second, latency in latencies.items():
        padded = np.zeros(rows * _BUCKETS_PER_ROW, dtype=np.int64)
        padded[: len(latency.counts)] = latency.counts
        counts[(second - first) // width] += padded.reshape(rows, _BUCKETS_PER_ROW).sum(axis=1)
    used = np.flatnonzero(counts.any(axis=0))
    if not used.size:
        return HeatMap(first, width, [], counts[:, :0])
    low, high = int(used[0]), int(used[-1]) + 1
    edges = edges_ns(np.arange(low, high + 1) * _BUCKETS_PER_ROW) / 1e6
    return HeatMap(first, width, edges.tolist(), counts[:, low:high])
