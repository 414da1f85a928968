"""Rankings and their sentences claim no more than the statistics allow."""

from collections.abc import Sequence
from dataclasses import replace
from math import exp

from backend.core.measurement.statistics.comparison import Instrument, PairState
from backend.core.measurement.statistics.estimate import estimate
from backend.core.results.ranking.candidate_ranking import (
    Candidate,
    CandidateRanking,
    rank_candidates,
)
from backend.core.results.ranking.sentence import describe_ranking
from backend.core.units import METRICS, Metric

# Deviations of five trials, as logs: about 1 % each, and all different.
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


def of_values(name: str, *values: float, is_share: bool = False) -> Candidate:
    metric = Metric.SUCCESS_RATIO if is_share else Metric.BOOT_MS
    found = estimate(values, METRICS[metric].aggregation)
    return Candidate(name, found, dict(enumerate(values, 1)), is_share=is_share)


def rank(
    candidates: Sequence[Candidate], metric: Metric = Metric.LATENCY_P99_MS
) -> CandidateRanking:
    return rank_candidates(candidates, METRICS[metric].direction)


def words(candidates: Sequence[Candidate], metric: Metric = Metric.LATENCY_P99_MS) -> list[str]:
    return describe_ranking(rank(candidates, metric), metric)


def test_equivalent_results_are_distinguished_from_those_that_cannot_be_told_apart() -> None:
    assert words([candidate("A", 10), candidate("B", 10.01, 1)])[0].endswith(
        "]) are equivalent in latency p99, within 3 %."
    )
    sentences = words([candidate("A", 10), of_values("C", 8, 10, 13)])
    assert "]) cannot be told apart yet in latency p99: C is between " in sentences[0]
    assert " faster and " in sentences[0]
    assert " slower than A. More than " in sentences[0]
    assert sentences[0].endswith(" trials each would be needed to decide.")
    assert sentences[-1] == "Only 3 trials each: treat this as a hint. Five are recommended."


def test_names_share_brackets_with_figures_and_more_than_four_are_counted() -> None:
    names = ("Node.js", "Vert.x (an instance a CPU)", "Micronaut", "Ktor (CIO)", "Ktor (Netty)")
    (sentence,) = words([candidate(name, 10, 0) for name in (*names, "Go")])

    figures = "10.0\u202fms [9.89, 10.1]"
    assert sentence == (
        f"Node.js ({figures}), Vert.x (an instance a CPU; {figures}), Micronaut ({figures}), "
        f"Ktor (CIO; {figures}) and 2 more are equivalent in latency p99, within 3 %."
    )


def test_excluded_and_missing_results_are_named_and_never_ranked() -> None:
    ranking = rank(
        [
            candidate("Fast", 1, excluded_by=["too many errors"], trials_failed=2),
            candidate("Slow", 10),
            Candidate("Lost", None, {}),
        ]
    )

    # A single result has no rank.
    assert [ranked.rank for ranked in ranking.candidates] == [None, None, None]
    assert ranking.baseline == 1
    assert describe_ranking(ranking, Metric.LATENCY_P99_MS)[1:] == [
        "Fast is excluded from ranking: too many errors.",
        "2 trials of Fast failed.",
        "Lost has no result.",
    ]


def test_results_of_one_trial_have_no_rank() -> None:
    ranking = rank([of_values("A", 1), of_values("B", 5)], Metric.BOOT_MS)

    assert [ranked.rank for ranked in ranking.candidates] == [None, None]
    assert ranking.baseline == 0
    sentences = describe_ranking(ranking, Metric.BOOT_MS)
    assert sentences == [
        "Fastest to boot: A: 1\u202fms.",
        "A and B have fewer than 3 trials each, so they cannot be told apart yet from the others.",
    ]
    assert words([Candidate("A", None, {})]) == ["No usable result for latency p99."]


def test_a_result_that_cannot_be_tested_leaves_the_ranks_of_the_others() -> None:
    tested = [candidate("Slow", 20), candidate("Fast", 10, 1)]
    zeros = of_values("Zero", 0, 5, 5)

    ranking = rank([of_values("Once", 1), *tested, zeros])

    assert [ranked.rank for ranked in ranking.candidates] == [None, 2, 1, None]
    assert [ranking.candidates[position].candidate.name for position in ranking.order] == [
        "Fast",
        "Slow",
        "Once",
        "Zero",
    ]
    assert ranking.baseline == 2
    assert [(ranked.equivalent, ranked.undecided) for ranked in ranking.candidates] == [
        ((), ())
    ] * 4
    assert describe_ranking(ranking, Metric.LATENCY_P99_MS)[2:4] == [
        "Once has fewer than 3 trials, so it cannot be told apart yet from the others.",
        "Zero has a trial with the value 0, which has no ratio to another value and therefore no "
        "rank.",
    ]
    assert words([zeros, replace(zeros, name="Null")])[0].startswith(
        "Zero and Null have a trial with the value 0"
    )


def test_results_are_listed_by_rank_even_if_an_estimate_is_better() -> None:
    wide = of_values("Wide", 6, 11, 25, 9, 8)

    ranking = rank([candidate("Best", 10), candidate("Second", 10.4, 1), wide])

    assert [ranked.rank for ranked in ranking.candidates] == [1, 2, 1]
    assert list(ranking.order) == [0, 2, 1]


def test_a_difference_within_the_instruments_error_decides_nothing() -> None:
    exact = [candidate("A", 10), candidate("B", 10.8, 1)]
    unsure = [replace(exact[0], instrument=Instrument(1.15)), exact[1]]

    assert [ranked.rank for ranked in rank(exact).candidates] == [1, 2]
    ranking = rank(unsure)
    assert [ranked.rank for ranked in ranking.candidates] == [1, 1]
    (sentence,) = describe_ranking(ranking, Metric.LATENCY_P99_MS)
    assert "cannot be told apart yet" in sentence
    assert sentence.endswith(
        "No number of trials would decide, because the errors of this host are too large."
    )


def test_the_difference_that_the_host_can_detect_is_shown() -> None:
    host = Instrument(detectable_ratio=1.12)
    results = [candidate("A", 10, instrument=host), candidate("B", 10.8, 1, instrument=host)]

    first, second = words(results)

    assert first.endswith("are equivalent in latency p99, within 12 %.")
    assert second == "Differences above 12 % are detectable on this host."


def test_the_ratio_next_to_a_rank_has_the_interval_that_decides_the_rank() -> None:
    pair = [candidate("A", 10), candidate("B", 10.25, 1)]
    rivals = [candidate(f"R{number}", 10.1, number % 3) for number in range(8)]

    alone, among = rank(pair), rank([*pair, *rivals])

    assert [ranked.rank for ranked in alone.candidates] == [1, 2]
    assert alone.candidates[1].state is PairState.DIFFERENCE
    assert among.candidates[1].equivalent or among.candidates[1].undecided
    ratio = among.candidates[1].ratio
    assert ratio is not None
    assert ratio.comparison.low is not None
    assert ratio.comparison.low < 1
    assert among.candidates[1].state is not PairState.DIFFERENCE


def test_shares_are_ranked_by_percentage_points_even_at_zero() -> None:
    results = [
        of_values("Good", 1.0, 0.999, 1.0, 1.0, is_share=True),
        of_values("Bad", 0.80, 0.82, 0.81, 0.83, is_share=True),
        of_values("Dead", 0.0, 0.0, 0.0, 0.0, is_share=True),
    ]

    ranking = rank(results, Metric.SUCCESS_RATIO)

    assert [ranked.rank for ranked in ranking.candidates] == [1, 2, 3]
    ratio = ranking.candidates[2].ratio
    assert ratio is not None
    assert ratio.comparison.ratio is None
    assert ratio.comparison.difference is not None
    first, second = describe_ranking(ranking, Metric.SUCCESS_RATIO)
    assert first.startswith("Good has the highest success: 100.0\u202f% [")
    assert second.startswith("Bad has 18.5 percentage points [")


def test_two_trials_are_shown_without_interval_and_rank() -> None:
    ranking = rank([of_values("A", 61, 64), candidate("B", 70)], Metric.BOOT_MS)

    assert [ranked.rank for ranked in ranking.candidates] == [None, None]
    assert describe_ranking(ranking, Metric.BOOT_MS)[:3] == [
        "Boot of B: 70.0\u202fms [69.2, 70.8].",
        "No other result can be compared with it.",
        "A has fewer than 3 trials, so it cannot be told apart yet from the others.",
    ]
    assert words([of_values("A", 61, 64)])[0] == "Latency p99 of A: 61, 64\u202fms."
