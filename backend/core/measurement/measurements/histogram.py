"""Latency distributions that can be merged, so that percentiles are never averaged.

Buckets are log-linear, 128 per octave: each value below 128 ns has its own bucket; the width of a
larger bucket is 1/256 to 1/128 of its values. A value is represented by the middle of its bucket,
with an error of at most 0.4 %.

The encoding lists the non-empty buckets in order as pairs of uvarints: distance from the previous
bucket (from 0 for the first) and count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from backend.core.errors import TachoError
from backend.core.numeric import Floats, Indexes, Integers, np

BUCKETS_PER_OCTAVE = 128
_BUCKET_LIMIT = 58 * BUCKETS_PER_OCTAVE  # the bucket after that of the largest 64-bit value
_LONGEST_UVARINT_BYTES = 9  # 63 bits, the range of a signed counter


class HistogramInvalid(TachoError):
    """The bytes do not encode a histogram."""

    code = "histogram_invalid"
    title = "Histogram invalid"


@dataclass(frozen=True, eq=False, slots=True)
class Histogram:
    """A distribution of latencies in ns.

    Attributes:
        counts: int64 array; element i counts the latencies of bucket i.
    """

    counts: Integers

    @classmethod
    @cache
    def empty(cls) -> Histogram:
        return cls(np.zeros(0, dtype=np.int64))

    @classmethod
    def from_varints(cls, encoded: bytes) -> Histogram:
        """Decode a histogram.

        Raises:
            HistogramInvalid: the bytes are truncated, or a bucket is beyond any 64-bit latency.
        """
        numbers = _read_uvarints(encoded)
        if numbers.size % 2:
            raise HistogramInvalid(f"A histogram of {len(encoded)} bytes ends within a pair.")
        if not numbers.size:
            return cls.empty()
        distances, counts = numbers[0::2], numbers[1::2]
        if distances.max() >= _BUCKET_LIMIT or distances.sum() >= _BUCKET_LIMIT:
            raise HistogramInvalid(f"A histogram has a bucket beyond {_BUCKET_LIMIT - 1}.")
        indexes = np.cumsum(distances)
        dense = np.zeros(int(indexes[-1]) + 1, dtype=np.int64)
        np.add.at(dense, indexes, counts)
        return cls(dense)

    def to_varints(self) -> bytes:
        """Return the encoded histogram."""
        indexes = np.flatnonzero(self.counts)
        numbers = np.empty(2 * len(indexes), dtype=np.int64)
        numbers[0::2] = np.diff(indexes, prepend=0)
        numbers[1::2] = self.counts[indexes]
        return _write_uvarints(numbers)

    def merge(self, other: Histogram) -> Histogram:
        """Return the sum of both distributions."""
        if not len(other.counts):
            return self
        return Histogram.merge_all((self, other)) if len(self.counts) else other

    @classmethod
    def merge_all(cls, histograms: Iterable[Histogram]) -> Histogram:
        """Return the sum of all distributions; empty if there are none."""
        counts = [own for histogram in histograms if len(own := histogram.counts)]
        merged = np.zeros(max(map(len, counts), default=0), dtype=np.int64)
        for own in counts:
            merged[: len(own)] += own
        return cls(merged)

    @property
    def count(self) -> int:
        """Return the number of latencies."""
        return int(self.counts.sum())

    @property
    def max(self) -> float:
        """Return the largest latency in ns, to within 0.4 %.

        Raises:
            ValueError: the histogram is empty.
        """
        return self.percentile(1.0)

    def mean(self) -> float:
        """Return the mean latency in ns, to within 0.4 %.

        Raises:
            ValueError: the histogram is empty.
        """
        if not self.count:
            raise ValueError("an empty histogram has no mean")
        return float(np.average(_middles(np.arange(len(self.counts))), weights=self.counts))

    def percentile(self, quantile: float) -> float:
        """Return the latency in ns at a quantile, to within 0.4 %; see `points`."""
        return self.points([quantile])[0]

    def points(self, quantiles: Sequence[float]) -> list[float]:
        """Return the latencies in ns at quantiles in [0, 1], each to within 0.4 %.

        Interpolates linearly between the two ranks next to quantile × (count − 1), like numpy's
        default and k6's summary (definition 7 of Hyndman & Fan, 1996).

        Raises:
            ValueError: the histogram is empty, or a quantile lies outside [0, 1].
        """
        cumulative = np.cumsum(self.counts)
        if not cumulative.size or cumulative[-1] == 0:
            raise ValueError("an empty histogram has no percentiles")
        asked = np.asarray(quantiles, dtype=np.float64)
        if np.any((asked < 0) | (asked > 1)):
            raise ValueError(f"quantiles lie in [0, 1]: {list(quantiles)}")
        ranks = asked * float(cumulative[-1] - 1)
        below, above = np.floor(ranks), np.ceil(ranks)
        low = _middles(np.searchsorted(cumulative, below, side="right"))
        high = _middles(np.searchsorted(cumulative, above, side="right"))
        found: list[float] = (low + (high - low) * (ranks - below)).tolist()
        return found

    def count_below(self, limit_ns: float) -> int:
        """Return the number of latencies in buckets that lie entirely below a limit."""
        return sum(count for _, high, count in self.buckets() if high <= limit_ns)

    def buckets(self) -> Iterator[tuple[float, float, int]]:
        """Yield the non-empty buckets in order: from (ns, inclusive), to (ns, exclusive), count."""
        indexes = np.flatnonzero(self.counts)
        lows, widths = _bounds(indexes)
        yield from zip(
            lows.tolist(), (lows + widths).tolist(), self.counts[indexes].tolist(), strict=True
        )


class Buckets(NamedTuple):
    """Non-empty buckets of many histograms: int64 arrays of equal length."""

    # Index of the histogram that the bucket belongs to.
    owner: Integers
    bucket: Integers
    requests: Integers


def read_many(encoded: Sequence[bytes]) -> Buckets:
    """Decode many histograms at once, about 20 times faster than one by one.

    Raises:
        HistogramInvalid: as `Histogram.from_varints`.
    """
    raw = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    offsets = np.cumsum([0, *map(len, encoded)])
    filled = np.diff(offsets) > 0
    ends = np.concatenate(([0], np.cumsum(raw < 0x80)))[offsets]
    sizes = np.diff(ends)
    if np.any(raw[offsets[1:][filled] - 1] >= 0x80) or np.any(sizes % 2):
        raise HistogramInvalid(f"One of {len(encoded)} histograms ends within a number or a pair.")
    numbers = _read_uvarints(raw.tobytes())
    pairs = sizes // 2
    # The cumulative sum runs through all histograms; subtract the value at the start of each.
    reached = np.concatenate(([0], np.cumsum(numbers[0::2])))
    begins = reached[np.cumsum(pairs) - pairs]
    bucket = reached[1:] - np.repeat(begins, pairs)
    if bucket.size and (bucket.max() >= _BUCKET_LIMIT or bucket.min() < 0):
        raise HistogramInvalid(f"A histogram has a bucket beyond {_BUCKET_LIMIT - 1}.")
    return Buckets(np.repeat(np.arange(len(encoded)), pairs), bucket, numbers[1::2])


def edges_ns(indexes: Indexes) -> Floats:
    """Return the lower edges of buckets in ns."""
    return _bounds(indexes)[0]


def _bounds(indexes: Indexes) -> tuple[Floats, ...]:
    """Return the lower edges and widths of buckets in ns."""
    octaves = np.maximum(indexes // BUCKETS_PER_OCTAVE - 1, 0)
    widths = np.exp2(octaves)
    return (indexes - octaves * BUCKETS_PER_OCTAVE) * widths, widths


def _middles(indexes: Indexes) -> Floats:
    """Return the middles of buckets in ns. A bucket of 1 ns has its value as its middle."""
    lows, widths = _bounds(indexes)
    return lows + (widths - 1) / 2


def _read_uvarints(encoded: bytes) -> Integers:
    """Decode unsigned LEB128 numbers, low seven bits first."""
    raw = np.frombuffer(encoded, dtype=np.uint8)
    ends = np.flatnonzero(raw < 0x80) + 1
    if len(raw) != (ends[-1] if ends.size else 0):
        raise HistogramInvalid(f"A histogram of {len(encoded)} bytes ends within a number.")
    if not ends.size:
        return np.zeros(0, dtype=np.int64)
    starts = np.concatenate(([0], ends[:-1]))
    lengths = ends - starts
    if lengths.max() > _LONGEST_UVARINT_BYTES:
        raise HistogramInvalid("A histogram has a number above 63 bits.")
    shifts = 7 * (np.arange(len(raw)) - np.repeat(starts, lengths))
    return np.add.reduceat((raw & 0x7F).astype(np.int64) << shifts, starts)


def _write_uvarints(numbers: Integers) -> bytes:
    """Encode numbers as unsigned LEB128."""
    lengths = np.ones(len(numbers), dtype=np.int64)
    longest = int(numbers.max(initial=0))
    for length in range(1, _LONGEST_UVARINT_BYTES):
        if longest < 1 << 7 * length:
            break
        lengths += numbers >= 1 << 7 * length
    ends = np.cumsum(lengths)
    places = np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
    raw = (np.repeat(numbers, lengths) >> 7 * places) & 0x7F | 0x80
    raw[ends - 1] &= 0x7F
    return raw.astype(np.uint8).tobytes()
