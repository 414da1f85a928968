"""The version of the statistics is raised with every change of their results."""

import hashlib
import json
from dataclasses import asdict, is_dataclass, replace
from itertools import product
from typing import Any

from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.steps import (
    find_knee_rps,
    find_sustained_rps,
    list_steps,
)
from backend.core.measurement.statistics.comparison import Instrument
from backend.core.measurement.statistics.estimate import estimate
from backend.core.measurement.statistics.multiple_tests import (
    adjust_benjamini_hochberg,
    find_holm_confidences,
)
from backend.core.measurement.statistics.rates import RateBounds, compare_rates
from backend.core.measurement.statistics.sequential import Goal, GoalKind, judge
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.numeric import np
from backend.core.results.environment import differences
from backend.core.results.ranking.candidate_ranking import Candidate, rank_candidates
from backend.core.results.ranking.pairs import compare_values
from backend.core.second import LoadCounts, ResourceUse, Second
from backend.core.units import METRICS, Aggregation, Direction, Metric, Phase

# A digest of the results of each version. Never change an entry of a version that was used.
DIGESTS = {
    1: "d43d7dfc94b71c74fe7cbc75fd9170b5fce9b266b8928260cd81baf12a8eae1c",
    2: "ebb0fd1f284899be10bfe6482537c115ab7c8059c1372a8707f5abf40aadbb8f",
    3: "e333e1f4cdc5cb27f85bfa186c14b21a16c0fe88f2aa34cbf2b057f6e2102f98",
    4: "9b77e0bbe461e5380a75d8d25ac2bfeac182a0e336c724f03ad729868b1ab006",
    5: "9802570d0ed50bd9059c4578f3c53b7660d9a57f0c8d3438d79c67751e10a6ff",
    6: "eccb5075e106dbeb4b12c400da3e7963e2212168249bd04061a71f183971636d",
}

TRIALS = [
    {1: 12.5},
    {1: 12.5, 2: 12.75, 3: 12.25},
    {1: 25.0, 2: 24.0, 3: 26.5},
    {1: 12.6, 2: 12.8, 3: 12.4},
    {1: 13.0, 2: 13.25, 4: 12.75, 5: 14.0},
    {1: 0.0, 2: 1.0},
    {1: 0.0, 2: 1.0, 3: 4.0},
]
SHARES = [{1: 0.5}, {1: 0.9, 2: 1.0, 3: 0.95}, {1: 1.0, 2: 1.0, 3: 1.0}]
INSTRUMENT = Instrument(1.025, 1.05)
GOAL = Goal(GoalKind.RANKED, Metric.LATENCY_P50_MS)
CANDIDATES = [
    Candidate(str(at), estimate([*trials.values()], Aggregation.GEOMETRIC), trials)
    for at, trials in enumerate(TRIALS)
]
P_VALUES = [0.04, 0.001, 0.2, 0.01, 0.01]
USUAL = (
    Metric.THROUGHPUT_RPS,
    Metric.LATENCY_P99_MS,
    Metric.SUCCESS_RATIO,
    Metric.MEMORY_PEAK_BYTES,
)
ENVIRONMENTS: tuple[Any, Any] = (
    {"runtime": "docker", "host_digest": "a", "host": {"memory": 1}, "harness": {"k6": 1}},
    {"runtime": "docker", "host_digest": "b", "host": {"memory": 2}, "harness": {"k6": 2}},
)
RATES = {"first_rps": 100, "step_rps": 100, "steps": 6}
PASSED = [[0, 0, 0], [300, 300, 300], [300, 400, 600], [600, 600, 600]]
STEPS = {"first_rps": 100, "step_rps": 100, "step_seconds": 2, "success_percent": 99}


def second_at(second: int) -> Second:
    """Return a second of a load of six steps. The last step loses requests."""
    rate = 100 * (second // 2 + 1)
    failed = 30 if rate == 600 else 0
    return Second.of(
        Phase.MEASURE,
        second,
        replace(LoadCounts.none(), requests=rate, failed=failed, vus=1, in_flight=1.0),
        replace(ResourceUse.unknown(), cpu_service_seconds=rate / 1000),
        latencies(1500 + 2**second, rate - failed).to_varints(),
    )


def latencies(first_bucket: int, count: int) -> Histogram:
    """Return `count` latencies. Each bucket has half as many as the bucket before."""
    counts = np.zeros(first_bucket + 10, dtype=np.int64)
    counts[first_bucket:] = [count - count // 2, *(count // 2 ** (n + 2) for n in range(9))]
    return Histogram(counts)


def compute() -> dict[str, object]:
    """Return the results of all statistics on fixed trials."""
    steps = list_steps([second_at(second) for second in range(12)], STEPS)
    merged = Histogram.merge_all([latencies(1500, 1000), latencies(1700, 500)])
    return {
        "metrics": [(METRICS[metric].direction, METRICS[metric].aggregation) for metric in USUAL],
        "estimates": [
            estimate([*trials.values()], how) for trials in TRIALS for how in Aggregation
        ],
        "comparisons": [
            compare_values(first, second, direction, interleaved=interleaved)
            for first, second in product(TRIALS, TRIALS)
            for direction in Direction
            for interleaved in (True, False)
        ],
        "comparisons with an error of the instrument": [
            compare_values(first, second, Direction.LOWER, interleaved=True, instrument=INSTRUMENT)
            for first, second in product(TRIALS, TRIALS)
        ],
        "comparisons of shares": [
            compare_values(first, second, Direction.HIGHER, interleaved=interleaved, is_share=True)
            for first, second in product(SHARES, SHARES)
            for interleaved in (True, False)
        ],
        "ranks": [
            (ranked.rank, ranked.equivalent, ranked.undecided, ranked.ratio)
            for ranked in rank_candidates(CANDIDATES, Direction.LOWER).candidates
        ],
        "repeated intervals": judge(
            [[*trials.values()][:3] for trials in TRIALS[1:4]], GOAL, 10, INSTRUMENT
        ),
        "sustained rates": [
            compare_rates(RateBounds.of(first, RATES), RateBounds.of(second, RATES))
            for first, second in product(PASSED, PASSED)
        ],
        "adjusted": [find_holm_confidences(P_VALUES, 0.05), adjust_benjamini_hochberg(P_VALUES)],
        "percentiles": [merged.mean(), *merged.points([0.5, 0.9, 0.95, 0.99, 0.999, 1])],
        "steps": [
            [step.success_ratio, step.throughput_rps, step.latency_p50_ms, step.latency_p99_ms]
            for step in steps
        ],
        "summary of steps": [find_sustained_rps(steps), find_knee_rps(steps)],
        "differences": [difference.subject for difference in differences(*ENVIRONMENTS)],
    }


def test_other_results_have_another_version() -> None:
    text = json.dumps(rounded(compute()), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()

    assert max(DIGESTS) == STATISTICS_VERSION
    assert digest == DIGESTS[STATISTICS_VERSION], (
        "The statistics compute other results. If this is intended, raise STATISTICS_VERSION in "
        f"backend/core/measurement/statistics/version.py and add its digest to DIGESTS: {digest}"
    )


def test_the_digest_depends_on_each_statistic() -> None:
    results = rounded(compute())

    assert all(results.values())
    assert results["summary of steps"] == [500, 500]


def rounded(value: Any) -> Any:
    """Round floats to nine significant digits, which are equal on all machines."""
    if isinstance(value, float):
        return f"{value:.9g}"
    if is_dataclass(value) and not isinstance(value, type):
        return rounded([*asdict(value).values()])
    if isinstance(value, dict):
        return {str(key): rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value
