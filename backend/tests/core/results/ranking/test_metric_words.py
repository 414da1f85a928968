"""The words of every metric, as a table that people read."""

from math import exp
from pathlib import Path

from backend.core.measurement.statistics.estimate import estimate
from backend.core.numbers import use_plain_spaces
from backend.core.results.ranking.candidate_ranking import (
    Candidate,
    CandidateRanking,
    rank_candidates,
)
from backend.core.results.ranking.comparison_text import describe_differences
from backend.core.results.ranking.headline import make_ranking_headline
from backend.core.results.ranking.sentence import describe_ranking
from backend.core.units import METRICS, Metric
from backend.tests.answers import compare_with_file

TABLE = Path(__file__).with_name("metric-sentences.md")


def test_every_metric_has_words_for_the_best_and_for_differences() -> None:
    rows = [f"| {cell} |" for cell in ("metric | text", "--- | ---")]
    for metric in Metric:
        title = METRICS[metric].title
        rows += [f"| {title} | {use_plain_spaces(text)} |" for text in describe(metric)]

    compare_with_file(TABLE, "\n".join(["# Words of metrics", "", *rows, ""]))


def describe(metric: Metric) -> list[str]:
    """Return headline and sentences about a clear difference, and about an open one."""
    info = METRICS[metric]

    def rank(noise: float) -> CandidateRanking:
        return rank_candidates(
            [make("Go", 0.4, noise), make("Node.js", 0.8 if noise < 0.1 else 0.44, noise)],
            info.direction,
        )

    def make(name: str, centre: float, noise: float) -> Candidate:
        factors = [exp(noise * step) for step in (-2, 1, 0, -1, 2)]
        if name == "Go":
            factors.reverse()
        values = [min(1.0, centre * factor) for factor in factors]
        found = estimate(values, info.aggregation)
        return Candidate(name, found, dict(enumerate(values)), is_share=info.is_share)

    clear = rank(0.005)
    headline = make_ranking_headline(clear, metric)
    (worse,) = (each for each in clear.candidates if each.rank == 2)
    assert headline is not None
    assert worse.ratio is not None
    best = next(each.candidate.name for each in clear.candidates if each.rank == 1)
    found = [(worse.candidate.name, worse.ratio.comparison)]
    difference = describe_differences(found, info, best)
    return [
        headline,
        f"{difference[0].upper()}{difference[1:]}.",
        describe_ranking(rank(0.15), metric)[0],
    ]
