"""Headlines of rankings."""

import pytest

from backend.core.results.ranking.headline import describe_best
from backend.core.units import METRICS, Metric

CPU, THROUGHPUT = METRICS[Metric.CPU_US_PER_REQUEST], METRICS[Metric.THROUGHPUT_RPS]


@pytest.mark.parametrize(
    ("names", "is_alone", "headline"),
    [
        (["Vert.x"], True, "Vert.x has the highest throughput in both loads"),
        (
            ["Vert.x"],
            False,
            "Vert.x has the highest throughput in both loads, as far as the results can be told "
            "apart",
        ),
        (
            ["Vert.x", "Quarkus"],
            False,
            "Vert.x and Quarkus have the highest throughput in both loads, as far as the results "
            "can be told apart",
        ),
        (["a", "b", "c", "d"], False, "4 of 6 results share the best throughput in both loads"),
    ],
)
def test_a_headline_names_the_best_and_where(
    names: list[str], is_alone: bool, headline: str
) -> None:
    found = describe_best(names, 6, THROUGHPUT, where="in both loads", is_alone=is_alone)

    assert found == headline


@pytest.mark.parametrize(
    ("names", "are_alike", "headline"),
    [
        # The metric has a verb of its own.
        (["Vert.x"], True, "Vert.x uses the least CPU per request"),
        (["Vert.x", "Quarkus"], False, "Vert.x or Quarkus uses the least CPU per request"),
        ([*"abcd"], False, "4 of 6 results may have the best CPU per request"),
    ],
)
def test_results_that_cannot_be_told_apart_are_alternatives(
    names: list[str], are_alike: bool, headline: str
) -> None:
    assert describe_best(names, 6, CPU, are_alike=are_alike) == headline
