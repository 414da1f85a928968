"""The main metrics of results."""

from backend.core.units import Metric, find_common_metric


def test_results_are_compared_by_the_main_metric_that_most_of_them_have() -> None:
    rate = {Metric.CPU_US_PER_REQUEST, Metric.THROUGHPUT_RPS}
    steps = {Metric.SUSTAINED_RPS, Metric.CPU_US_PER_REQUEST}

    assert find_common_metric([rate, steps]) is Metric.CPU_US_PER_REQUEST
    assert find_common_metric([steps, {Metric.SUSTAINED_RPS}]) is Metric.SUSTAINED_RPS
    assert find_common_metric([{Metric.THROUGHPUT_RPS}]) is Metric.THROUGHPUT_RPS
