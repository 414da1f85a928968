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
_HEADER_NUMBERS = 4


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Number of requests by time and latency.

    Attributes:
        first_second: the second at which the first column begins; warm-up seconds are negative.
        seconds_per_column: number of seconds that one column sums up.
        first_row: number of the lowest row, counted from a latency of 0.
        counts: int64 array, columns × rows; without rows if there are no requests.
    """

    first_second: int
    seconds_per_column: int
    first_row: int
    counts: Integers

    @classmethod
    def from_bytes(cls, stored: bytes) -> HeatMap:
        """Decode what `to_bytes` returned."""
        numbers = np.frombuffer(stored, dtype="<i4").astype(np.int64)
        first_second, seconds_per_column, first_row, rows = numbers[:_HEADER_NUMBERS].tolist()
        counts = numbers[_HEADER_NUMBERS:].reshape(-1, rows) if rows else np.zeros((0, 0), np.int64)
        return cls(first_second, seconds_per_column, first_row, counts)

    def to_bytes(self) -> bytes:
        """Return the map as little-endian int32: its numbers, that of its rows, and the counts."""
        header = (self.first_second, self.seconds_per_column, self.first_row, self.counts.shape[1])
        return np.concatenate((header, self.counts.ravel())).astype("<i4").tobytes()

    @property
    def edges_ms(self) -> list[float]:
        """Return the lower edge of each row and the upper edge of the last; empty without rows."""
        rows = self.counts.shape[1]
        if not rows:
            return []
        edges: list[float] = (
            edges_ns((self.first_row + np.arange(rows + 1)) * _BUCKETS_PER_ROW) / 1e6
        ).tolist()
        return edges


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
        return HeatMap(first, width, 0, counts[:, :0])
    low, high = int(used[0]), int(used[-1]) + 1
    return HeatMap(first, width, low, counts[:, low:high])
