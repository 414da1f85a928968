"""The heat map's grid: nothing is lost, and every request lies between its row's edges."""

from backend.core.measurements.heat import draw_heat_map
from backend.tests.measuring import histogram_of


def test_every_request_is_in_its_second_between_its_edges() -> None:
    drawn = draw_heat_map(
        {-1: histogram_of([9.0]), 0: histogram_of([1.0, 1.05]), 2: histogram_of([30.0])}
    )

    assert (drawn.first_second, drawn.seconds_per_column) == (-1, 1)
    assert drawn.counts.sum(axis=1).tolist() == [1, 2, 0, 1]
    for column, latency in ((0, 9.0), (1, 1.0), (3, 30.0)):
        row = int(drawn.counts[column].argmax())
        assert drawn.edges_ms[row] <= latency < drawn.edges_ms[row + 1]
    assert drawn.counts.shape[1] == len(drawn.edges_ms) - 1


def test_an_hour_is_added_up_into_columns_that_fit_a_screen() -> None:
    drawn = draw_heat_map({second: histogram_of([2.0]) for second in range(3600)})

    assert drawn.seconds_per_column == 12
    assert drawn.counts.sum(axis=1).tolist() == [12] * 300


def test_without_requests_there_are_no_rows() -> None:
    assert draw_heat_map({}).edges_ms == []
