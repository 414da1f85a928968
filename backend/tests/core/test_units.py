"""The main metrics of results."""

import pytest

from backend.core.units import (
    WATCHED_METRICS,
    Metric,
    ProfileKind,
    find_common_metric,
    find_main_metric,
)


@pytest.mark.parametrize("kind", ProfileKind)
def test_each_kind_of_load_has_a_main_metric_and_is_searched_for_changes(
    kind: ProfileKind,
) -> None:
    assert find_main_metric(kind, list(Metric)) == find_main_metric(kind, [])
    assert WATCHED_METRICS[kind]


def test_results_are_compared_by_the_main_metric_that_most_of_them_have() -> None:
    rate = {Metric.CPU_US_PER_REQUEST, Metric.THROUGHPUT_RPS}
    steps = {Metric.SUSTAINED_RPS, Metric.CPU_US_PER_REQUEST}

    assert find_common_metric([rate, steps]) is Metric.CPU_US_PER_REQUEST
    assert find_common_metric([steps, {Metric.SUSTAINED_RPS}]) is Metric.SUSTAINED_RPS
    assert find_common_metric([{Metric.THROUGHPUT_RPS}]) is Metric.THROUGHPUT_RPS
