"""Figures in the notation of the studies."""

import pytest

from backend.core.catalog.figures import Figure, in_metric, read_figures
from backend.core.units import Metric


@pytest.mark.parametrize(
    ("printed", "unit", "figures"),
    [
        ("1s", None, [(1, "s")]),
        ("7.46s", None, [(7.46, "s")]),
        ("2.9", "s", [(2.9, "s")]),
        ("1.14 min", None, [(1.14, "min")]),
        ("1.05 GiB", None, [(1.05, "GiB")]),
        ("8712", "req/s", [(8712, "req/s")]),
        ("98.8%", None, [(98.8, "%")]),
        ("211 B/200 B (payload 27 B)", None, [(211, "B"), (200, "B"), (27, "B")]),
        ("2 seconds", None, [(2, "seconds")]),
        ("X", None, []),
        ("", None, []),
    ],
)
def test_a_cell_is_parsed_into_its_figures(
    printed: str, unit: str | None, figures: list[tuple[float, str]]
) -> None:
    assert read_figures(printed, unit) == [Figure(*figure) for figure in figures]


def test_a_figure_is_converted_to_the_unit_of_the_metric() -> None:
    assert in_metric(Figure(1.3, "s"), Metric.LATENCY_MEAN_MS) == pytest.approx(1300)
    assert in_metric(Figure(1.05, "GiB"), Metric.MEMORY_PEAK_BYTES) == pytest.approx(1127428915.2)
    assert in_metric(Figure(98.8, "%"), Metric.SUCCESS_RATIO) == pytest.approx(0.988)
    # 1.14 min for the 500 requests of each of 180 seconds.
    per_request = in_metric(Figure(1.14, "min"), Metric.CPU_US_PER_REQUEST, 90_000)
    assert per_request == pytest.approx(760)


def test_a_unit_that_the_metric_cannot_have_is_rejected() -> None:
    with pytest.raises(ValueError, match="'s' is not a unit of memory_peak_bytes"):
        in_metric(Figure(1, "s"), Metric.MEMORY_PEAK_BYTES)
