"""Rankings and their sentences: never more than the statistics allow."""

from collections.abc import Sequence
from math import exp

import pytest

from backend.core.ranking.candidate_ranking import (
    Candidate,
    CandidateRanking,
    headline_metric,
    rank_candidates,
)
from backend.core.ranking.sentence import describe_ranking
from backend.core.statistics.estimate import estimate
from backend.core.units import METRICS, Metric, ProfileKind

# Deviations of five trials, as logs: 1 % each, not the same in any two.
NOISE = (
    (0.01, -0.01, 0.0, 0.008, -0.008),
    (-0.006, 0.01, -0.01, 0.0, 0.006),
    (0, 0.01, 0, -0.01, 0),
)


def candidate(
    name: str,
    centre: float,
    row: int = 0,
    *,
    metric: Metric = Metric.LATENCY_P99_MS,
    **rest: object,
) -> Candidate:
    values = {trial: centre * exp(noise) for trial, noise in enumerate(NOISE[row], 1)}
    found = estimate([*values.values()], METRICS[metric].aggregation)
    return Candidate(name, found, values, **rest)  # type: ignore[arg-type]


def words(candidates: Sequence[Candidate], metric: Metric = Metric.LATENCY_P99_MS) -> list[str]:
    return describe_ranking(rank_candidates(metric, candidates))


def test_two_that_tie_are_first_together_and_the_third_has_its_ratio() -> None:
    ranking = rank_candidates(
        Metric.LATENCY_P99_MS,
        [candidate("Spring MVC", 18, 2), candidate("Vert.x", 10), candidate("Quarkus", 10.02, 1)],
    )

    assert [item.rank for item in ranking.candidates] == [3, 1, 1]
    assert ranking.order == [1, 2, 0]
    assert ranking.candidates[1].ties == (2,)
    first, second = describe_ranking(ranking)
    assert first.startswith("Vert.x (10.0\u202fms [")
    assert "]) and Quarkus (10.0\u202fms [" in first
    assert first.endswith("]) tie for the lowest latency p99.")
    assert second.startswith("Spring MVC is 1.80× [1.7")
    assert second.endswith("] slower.")


def test_words_fit_the_metric() -> None:
    costs = [candidate("A", 60), candidate("B", 120, 1)]
    rates = [candidate("A", 9000), candidate("B", 4500, 1)]

    assert words(costs, Metric.CPU_US_PER_REQUEST)[1].startswith("B needs 2.00× [")
    assert words(costs, Metric.CPU_US_PER_REQUEST)[1].endswith("] as much.")
    assert words(rates, Metric.THROUGHPUT_RPS)[0].startswith("A has the highest throughput: 9")
    assert words(rates, Metric.THROUGHPUT_RPS)[1].startswith("B is 2.00× [1.9")


def test_equivalence_is_told_from_what_cannot_be_told_apart() -> None:
    assert words([candidate("A", 10), candidate("B", 10.01, 1)])[0].endswith(
        "]) are equivalent in latency p99."
    )
    noisy = Candidate(
        "C",
        estimate([8.0, 10.0, 13.0], METRICS[Metric.LATENCY_P99_MS].aggregation),
        {1: 8.0, 2: 10.0, 3: 13.0},
    )
    sentences = words([candidate("A", 10), noisy])
    assert sentences[0].endswith("]) show no significant difference in latency p99.")
    assert sentences[-1] == "Only 3 trials each: treat this as a hint. Five are recommended."


def test_names_that_hold_commas_stand_apart_and_beyond_four_they_are_counted() -> None:
    names = ("Node.js", "Vert.x, an instance a CPU", "Micronaut", "Ktor, CIO", "Ktor, Netty")
    (sentence,) = words([candidate(name, 10, 0) for name in names])

    figures = "(10.0\u202fms [9.89, 10.1])"
    assert sentence == (
        f"Node.js {figures}; Vert.x, an instance a CPU {figures}; Micronaut {figures}; "
        f"Ktor, CIO {figures}; and 1 more are equivalent in latency p99."
    )


def test_what_is_excluded_or_missing_is_named_and_never_ranked() -> None:
    ranking = rank_candidates(
        Metric.LATENCY_P99_MS,
        [
            candidate("Fast", 1, excluded_by=["too many errors"], trials_failed=2),
            candidate("Slow", 10),
            Candidate("Lost", None, {}),
        ],
    )

    assert [item.rank for item in ranking.candidates] == [None, 1, None]
    assert ranking.baseline == 1
    assert describe_ranking(ranking)[1:] == [
        "Fast is excluded from ranking: too many errors.",
        "2 trials of Fast failed.",
        "Lost has no result.",
    ]


def test_one_trial_each_concludes_nothing() -> None:
    def single(name: str, value: float) -> Candidate:
        return Candidate(name, estimate([value], METRICS[Metric.BOOT_MS].aggregation), {1: value})

    ranking: CandidateRanking = rank_candidates(Metric.BOOT_MS, [single("A", 1), single("B", 5)])

    assert [item.rank for item in ranking.candidates] == [None, None]
    assert describe_ranking(ranking)[0].startswith("Lowest boot: A: 1\u202fms.")
    assert "cannot be compared" in describe_ranking(ranking)[1]
    assert words([Candidate("A", None, {})]) == ["No usable result for latency p99."]


@pytest.mark.parametrize("kind", ProfileKind)
def test_each_kind_of_load_has_a_headline(kind: ProfileKind) -> None:
    assert headline_metric(kind, list(Metric)) == headline_metric(kind, [])
