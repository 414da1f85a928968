"""Headlines of rankings that no run of api/results/run-sentences.md has."""

from backend.core.results.ranking.headline import describe_best
from backend.core.units import METRICS, Metric

CPU, THROUGHPUT = METRICS[Metric.CPU_US_PER_REQUEST], METRICS[Metric.THROUGHPUT_RPS]
SEVERAL = ["a", "b", "c", "d"]


def test_a_best_result_that_others_may_equal_is_named_with_a_reservation() -> None:
    found = describe_best(["Vert.x"], 6, THROUGHPUT, where="in both loads", is_alone=False)

    assert found == (
        "Vert.x has the highest throughput in both loads, as far as the results can be told apart"
    )


def test_more_than_three_best_results_are_counted() -> None:
    shared = describe_best(SEVERAL, 6, THROUGHPUT, where="in both loads", is_alone=False)
    possible = describe_best(SEVERAL, 6, CPU, are_alike=False)

    assert shared == "4 of 6 results share the best throughput in both loads"
    assert possible == "4 of 6 results may have the best CPU per request"
