"""The entries of a leaderboard: results of one board by a metric, or by a composite; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from backend.core.measurement.statistics.comparison import PairState
from backend.core.measurement.statistics.estimate import Estimate, estimate
from backend.core.numbers import join_words, name_in_sentence
from backend.core.results.cell_result import CellResult
from backend.core.results.ranking.candidate_ranking import (
    Candidate,
    CandidateRanking,
    RankedCandidate,
    make_candidate,
    rank_candidates,
)
from backend.core.results.ranking.comparison_text import describe_lead
from backend.core.results.ranking.headline import find_next, make_ranking_headline
from backend.core.results.ranking.metric_words import COMPOSITE_WORDS
from backend.core.results.ranking.pairs import Ratio
from backend.core.results.ranking.sentence import are_equivalent, describe_ranking
from backend.core.units import METRICS, Aggregation, Direction, Metric

Weights = Mapping[Metric, float]


@dataclass(frozen=True)
class Entry:
    """A framework on the board, with the rank that `rank_candidates` gives it.

    Attributes:
        estimate: None if the result lacks a metric.
        equivalent: slugs of the frameworks that it is equivalent to.
        undecided: slugs of the frameworks from which it cannot be told apart yet.
        to_best: ratio to the best result; None for the best result itself.
        coverage: share of the weights for which the result has values.
        missing: metrics without a value; all metrics if no single trial has all of them.
    """

    result: CellResult
    estimate: Estimate | None
    rank: int | None
    equivalent: tuple[str, ...]
    undecided: tuple[str, ...]
    to_best: Ratio | None
    coverage: float
    missing: tuple[Metric, ...]


def rank_results(
    results: Sequence[CellResult], metric: Metric, weights: Weights
) -> tuple[list[Entry], list[str]]:
    """Return the results of one board, best first, and sentences about their ranking.

    The first sentence is the headline.

    Results that lack a metric come last.

    Args:
        weights: of a composite instead of the metric; empty for none.
    """
    direction = Direction.LOWER if weights else METRICS[metric].direction
    wanted = weights or {metric: 1.0}
    missing = [_find_missing(result, wanted, bool(weights)) for result in results]
    candidates = [
        _to_candidate(result, metric, weights, is_complete=not lacks)
        for result, lacks in zip(results, missing, strict=True)
    ]
    ranking = rank_candidates(candidates, direction)
    slugs = [result.framework.slug for result in results]
    entries = [
        _to_entry(results[position], ranking.candidates[position], slugs, missing[position], wanted)
        for position in ranking.order
    ]
    return entries, _describe(ranking, metric, weights)


def _describe(ranking: CandidateRanking, metric: Metric, weights: Weights) -> list[str]:
    if not weights:
        headline = make_ranking_headline(ranking, metric)
        sentences = describe_ranking(ranking, metric, has_headline=headline is not None)
        return [f"{headline}.", *sentences] if headline else sentences
    ranked = [ranking.candidates[position] for position in ranking.order]
    firsts = [each for each in ranked if each.rank == 1]
    if not firsts:
        return ["The composite ranks no framework: each needs three trials with all metrics."]
    names = [each.candidate.name for each in firsts]
    by = f"by the composite of {len(weights)} metrics"
    if len(names) > 1 and not are_equivalent(firsts):
        return [f"{join_words(names)} {PairState.UNDECIDED.words} {by}."]
    following = find_next(ranked)
    lead = describe_lead([following] if following else [], COMPOSITE_WORDS)
    best = f"{join_words(names)} {COMPOSITE_WORDS.verb(len(names))} {COMPOSITE_WORDS.best} {by}"
    return [f"{best}, {lead}." if lead else f"{best}."]


def _to_entry(
    result: CellResult,
    ranked: RankedCandidate,
    slugs: Sequence[str],
    missing: tuple[Metric, ...],
    wanted: Weights,
) -> Entry:
    lost = sum(wanted[metric] for metric in missing)
    return Entry(
        result=result,
        estimate=ranked.candidate.estimate,
        rank=ranked.rank,
        equivalent=tuple(slugs[position] for position in ranked.equivalent),
        undecided=tuple(slugs[position] for position in ranked.undecided),
        to_best=ranked.ratio,
        coverage=1 - lost / sum(wanted.values()),
        missing=missing,
    )


def _to_candidate(
    result: CellResult, metric: Metric, weights: Weights, *, is_complete: bool
) -> Candidate:
    name = name_in_sentence(result.framework.name)
    if not is_complete:
        return Candidate(name, None, {}, result.summary.run_id)
    if not weights:
        return make_candidate(result, metric, name)
    values = combine(result, weights)
    return Candidate(
        name,
        estimate([*values.values()], Aggregation.GEOMETRIC),
        values,
        result.summary.run_id,
        instrument=result.instrument.describe_composite(weights, result.kind),
    )


def _find_missing(result: CellResult, wanted: Weights, is_composite: bool) -> tuple[Metric, ...]:
    missing = tuple(metric for metric in wanted if not _is_usable(result, metric, is_composite))
    if not missing and not _list_complete(result, wanted):
        return tuple(wanted)
    return missing


def _is_usable(result: CellResult, metric: Metric, is_composite: bool) -> bool:
    values = result.values.get(metric, {}).values()
    return bool(values) and (not is_composite or (min(values) > 0 and metric not in result.bounds))


def _list_complete(result: CellResult, wanted: Weights) -> list[int]:
    """Return the repetitions that have a value of every metric."""
    return sorted(set.intersection(*(set(result.values[metric]) for metric in wanted)))


def combine(result: CellResult, weights: Weights) -> dict[int, float]:
    """Return the composite by repetition: the weighted geometric mean of a trial's metrics.

    Lower is better. Metrics in which higher is better count inversely. Only ratios of composites
    have a meaning. Because each trial has a composite, intervals and tests work as for any metric
    and account for the correlation of the metrics of a trial.
    """
    total = sum(weights.values())
    return {
        repetition: exp(
            sum(
                weight
                / total
                * log(result.values[metric][repetition])
                * (1 if METRICS[metric].direction is Direction.LOWER else -1)
                for metric, weight in weights.items()
            )
        )
        for repetition in _list_complete(result, weights)
    }
