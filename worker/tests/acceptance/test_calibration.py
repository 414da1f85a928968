"""The reference service in a real trial: reported values equal true values."""

import pytest

from backend.core.calibration.truth import Distribution
from worker.benchmarks.api import describe
from worker.benchmarks.measuring import read_truth, reference_cell
from worker.benchmarks.stack import Stack

_RATE_RPS = 200


def test_a_known_distribution_and_a_known_cpu_time_are_reported(stack: Stack) -> None:
    cell = reference_cell(
        rate_rps=_RATE_RPS,
        warm_up_seconds=1,
        duration_seconds=5,
        median_us=50_000,
        sigma_percent=10,
        burn_us=1000,
    )
    run = stack.api.await_run(stack.create_run([cell]), 120)

    assert run["status"] == "succeeded", describe(run)
    (trial,) = run["trials"]
    own = Distribution.from_parameters(run["cells"][0]["parameters"])
    truth = read_truth(stack, trial, _RATE_RPS)
    metrics = trial["metrics"]
    assert own.quantile_ms(0.5) == pytest.approx(50)
    # `make bench-truth` requires 2 % + 0.3 ms. Here, other tests may keep the machine busy.
    assert truth.waited.percentile(0.5) / 1e6 == pytest.approx(50, rel=0.1)
    assert metrics["latency_p50_ms"] == pytest.approx(50, rel=0.1)
    assert metrics["latency_p90_ms"] == pytest.approx(own.quantile_ms(0.9), rel=0.1)
    assert 1000 <= truth.burnt_us < truth.cpu_us
    assert metrics["cpu_us_per_request"] == pytest.approx(truth.cpu_us, rel=0.1)
