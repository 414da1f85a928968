"""The grid of the heat map contains every request, in the row of its latency."""

import pytest

from backend.core.measurement.measurements.heat import draw_heat_map
from backend.core.measurement.measurements.histogram import HistogramInvalid
from backend.tests.measuring import histogram_of


def second_of(second: int, latencies_ms: list[float]) -> tuple[int, bytes]:
    return second, histogram_of(latencies_ms).to_varints()


def test_every_request_is_in_its_second_between_its_edges() -> None:
    drawn = draw_heat_map(
        [
            second_of(0, [1.05]),
            second_of(-1, [9.0]),
            second_of(1, []),
            second_of(2, [30.0]),
            second_of(0, [1.0]),
        ]
    )

    assert (drawn.first_second, drawn.seconds_per_column) == (-1, 1)
    assert drawn.counts.sum(axis=1).tolist() == [1, 2, 0, 1]
    for column, latency in ((0, 9.0), (1, 1.0), (3, 30.0)):
        row = int(drawn.counts[column].argmax())
        assert drawn.edges_ms[row] <= latency < drawn.edges_ms[row + 1]
    assert drawn.counts.shape[1] == len(drawn.edges_ms) - 1


def test_an_hour_is_reduced_to_columns_that_fit_a_screen() -> None:
    drawn = draw_heat_map([second_of(second, [2.0]) for second in range(3600)])

    assert drawn.seconds_per_column == 12
    assert drawn.counts.sum(axis=1).tolist() == [12] * 300


def test_without_requests_there_are_no_rows() -> None:
    assert draw_heat_map([]).edges_ms == []
    assert draw_heat_map([second_of(3, [])]).edges_ms == []


@pytest.mark.parametrize("encoded", [b"\x01", b"\x01\x81"])
def test_a_truncated_histogram_is_refused(encoded: bytes) -> None:
    with pytest.raises(HistogramInvalid):
        draw_heat_map([second_of(0, [2.0]), (1, encoded), (2, b"\x01")])
