"""Histograms compared with numpy on the same latencies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.measurement.measurements.histogram import Histogram, HistogramInvalid

ERROR_BOUND = 0.004
QUANTILES = [0.0, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0]

latencies_ns = st.lists(st.integers(0, 60_000_000_000), min_size=1, max_size=300)


def bucket_of(value: int) -> int:
    """The definition in measurement.md and in the Go source, value by value."""
    exponent = value.bit_length() - 8
    return value if value < 128 else (exponent + 1) * 128 + (value >> exponent) - 128


def histogram_of(values: list[int]) -> Histogram:
    return Histogram(np.bincount([bucket_of(value) for value in values]).astype(np.int64))


@given(latencies_ns)
def test_percentiles_match_numpy_within_the_error_bound(values: list[int]) -> None:
    expected = np.quantile(np.array(values, dtype=np.float64), QUANTILES)

    assert histogram_of(values).points(QUANTILES) == pytest.approx(expected, rel=ERROR_BOUND)


@given(latencies_ns)
def test_the_encoding_loses_nothing(values: list[int]) -> None:
    histogram = histogram_of(values)

    read = Histogram.from_varints(histogram.to_varints())

    assert np.array_equal(read.counts, histogram.counts)


def append_uvarint(encoded: bytearray, number: int) -> None:
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)


@given(st.dictionaries(st.integers(0, 5000), st.integers(1, 2**63 - 1), max_size=40))
def test_the_encoding_matches_the_go_source(counts: dict[int, int]) -> None:
    dense = np.zeros(max(counts, default=-1) + 1, dtype=np.int64)
    expected, previous = bytearray(), 0
    for bucket in sorted(counts):
        dense[bucket] = counts[bucket]
        append_uvarint(expected, bucket - previous)
        append_uvarint(expected, counts[bucket])
        previous = bucket

    assert Histogram(dense).to_varints() == expected


@given(latencies_ns, latencies_ns)
def test_merging_equals_measuring_together(first: list[int], second: list[int]) -> None:
    merged = histogram_of(first).merge(histogram_of(second))

    assert np.array_equal(merged.counts, histogram_of(first + second).counts)


@given(latencies_ns)
def test_buckets_hold_their_latencies(values: list[int]) -> None:
    buckets = list(histogram_of(values).buckets())

    assert sum(count for _, _, count in buckets) == len(values)
    for low, high, count in buckets:
        assert sum(low <= value < high for value in values) == count


def test_many_histograms_merge_into_one_and_none_into_an_empty_one() -> None:
    parts = [histogram_of([5, 900]), histogram_of([5]), histogram_of([70_000])]

    assert Histogram.merge_all(parts).count == 4
    assert Histogram.merge_all([]).count == 0


def test_an_empty_histogram_has_a_count_but_no_percentiles() -> None:
    empty = Histogram.from_varints(b"")

    assert empty.count == 0
    assert empty.to_varints() == b""
    assert empty.merge(histogram_of([3])).max == 3
    assert list(empty.buckets()) == []
    with pytest.raises(ValueError, match="empty histogram"):
        empty.percentile(0.5)


@pytest.mark.parametrize(
    ("encoded", "problem"),
    [
        (b"\x05", "within a pair"),
        (b"\x05\x81", "within a number"),
        (b"\xff\xff\xff\x7f\x01", "beyond"),
        (b"\xff" * 9 + b"\x01\x01", "above 63 bits"),
    ],
)
def test_damaged_bytes_are_refused(encoded: bytes, problem: str) -> None:
    with pytest.raises(HistogramInvalid, match=problem):
        Histogram.from_varints(encoded)
