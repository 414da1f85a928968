"""One recommendation from ranked results, by one criterion after another; pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from backend.core.measurement.measurements.verdicts import UNSTEADY
from backend.core.numbers import agree, join_words, name_in_sentence
from backend.core.results.cell_result import CellResult
from backend.core.results.choose.criteria import Criterion
from backend.core.results.leaderboard.entries import Entry, rank_results
from backend.core.results.ranking.comparison_text import format_comparison
from backend.core.results.ranking.headline import describe_best
from backend.core.results.ranking.metric_words import lower_title
from backend.core.results.ranking.sentence import show_estimate
from backend.core.units import METRICS, OF_START, Metric, MetricInfo, Verdict

_LEAST_COMPARED = 2


class Recommended(StrEnum):
    """The outcome of a choice.

    FRAMEWORK: one framework is best. EQUIVALENT: several are, by every criterion. UNDECIDED: the
    results do not show which is best. NOTHING: fewer than two frameworks can be compared by what
    matters most.
    """

    FRAMEWORK = "framework"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"
    NOTHING = "nothing"


@dataclass(frozen=True)
class CriterionRanking:
    """The ranked results of a criterion.

    Attributes:
        results: those that may be ranked.
        entries: the results with their ranks, best first.
        sentences: about the ranking.
    """

    criterion: Criterion
    metric: Metric
    results: Sequence[CellResult]
    entries: Sequence[Entry]
    sentences: Sequence[str]

    @property
    def info(self) -> MetricInfo:
        return METRICS[self.metric]

    def find(self, framework: str) -> Entry | None:
        """Return the entry of a framework."""
        slugs = (entry for entry in self.entries if entry.result.framework.slug == framework)
        return next(slugs, None)


def rank_column(
    criterion: Criterion, metric: Metric, results: Sequence[CellResult]
) -> CriterionRanking:
    """Return results that were measured under the same conditions as a ranked column."""
    entries, sentences = rank_results(results, metric, {})
    return CriterionRanking(criterion, metric, results, entries, sentences)


@dataclass(frozen=True)
class Recommendation:
    """A recommendation with its reasons.

    Attributes:
        best: slugs of the recommended framework, or of those that share the first place.
        decided_by: the criterion that decided, or that could not.
        sentences: how sure it is. They follow the headline.
        against: what speaks against the recommended framework.
        trials_needed: trials of each of `best` that would decide, if that is known.
    """

    outcome: Recommended
    headline: str
    sentences: Sequence[str] = ()
    best: tuple[str, ...] = ()
    decided_by: Criterion | None = None
    against: Sequence[str] = ()
    trials_needed: int | None = None


def recommend(columns: Sequence[CriterionRanking], total: int) -> Recommendation:
    """Return the recommendation: the best by the first criterion.

    Where several are equivalent by it, the next criterion chooses among these. Where they cannot be
    told apart yet, or too few were measured, there is no recommendation, because a later criterion
    must not decide instead of an earlier one.

    Args:
        columns: the most important criterion first.
        total: number of frameworks in question.
    """
    tied: Sequence[Entry] = ()
    ties: list[str] = []
    for column in columns:
        found = _only(column, _list_slugs(tied)) if tied else column
        ranked = [entry for entry in found.entries if entry.rank is not None]
        if len(ranked) < (len(tied) or _LEAST_COMPARED):
            return _describe_nothing(found, ranked, ties, len(tied) or total)
        firsts = [entry for entry in ranked if entry.rank == 1]
        if len(firsts) == 1:
            return _choose(found, ranked, columns, ties, total)
        if any(set(entry.undecided) & set(_list_slugs(firsts)) for entry in firsts):
            return _leave_open(found, firsts, ties)
        ties.append(f"{_name_all(firsts)} are equivalent in {lower_title(column.info.title)}.")
        tied = firsts
    return Recommendation(
        Recommended.EQUIVALENT,
        f"{_name_all(tied)} are equivalent in all that was compared: choose by other criteria",
        ties,
        _list_slugs(tied),
    )


def _list_slugs(entries: Sequence[Entry]) -> tuple[str, ...]:
    return tuple(entry.result.framework.slug for entry in entries)


def _only(column: CriterionRanking, frameworks: Collection[str]) -> CriterionRanking:
    """Return a column with some frameworks, ranked among themselves."""
    own = [result for result in column.results if result.framework.slug in frameworks]
    return rank_column(column.criterion, column.metric, own)


def _describe_nothing(
    found: CriterionRanking, ranked: Sequence[Entry], ties: Sequence[str], total: int
) -> Recommendation:
    count = len(ranked)
    have = f"only {count} of {total} frameworks {agree(count, 'has', 'have')}"
    who = have if count else "none of the frameworks has"
    title = lower_title(found.info.title)
    return Recommendation(
        Recommended.NOTHING,
        f"No recommendation: {who} a usable result for {title}",
        ties,
        decided_by=found.criterion,
    )


def _choose(
    found: CriterionRanking,
    ranked: Sequence[Entry],
    columns: Sequence[CriterionRanking],
    ties: Sequence[str],
    total: int,
) -> Recommendation:
    best, following = ranked[0], ranked[1]
    left = "" if ties or len(ranked) == total else f" of the {len(ranked)} measured"
    behind = [(_name(following), following.to_best.comparison)] if following.to_best else []
    reason = describe_best(["it"], len(ranked), found.info, behind=behind)
    headline = f"Choose {_name(best)}{left}: {reason}"
    slug = best.result.framework.slug
    return Recommendation(
        Recommended.FRAMEWORK,
        headline,
        # The first sentence of the ranking repeats the headline.
        [*ties, *found.sentences[1:]],
        (slug,),
        found.criterion,
        [
            *(text for column in columns if (text := _describe_better(column, slug))),
            *_list_warnings(columns, slug),
        ],
    )


def _leave_open(
    found: CriterionRanking, firsts: Sequence[Entry], ties: Sequence[str]
) -> Recommendation:
    title = lower_title(found.info.title)
    needed = [
        entry.to_best.comparison.trials_needed
        for entry in firsts
        if entry.to_best is not None and entry.undecided
    ]
    known = [trials for trials in needed if trials is not None]
    return Recommendation(
        Recommended.UNDECIDED,
        f"No recommendation yet: {_name_all(firsts)} cannot be told apart in {title}",
        [*ties, *found.sentences],
        _list_slugs(firsts),
        found.criterion,
        trials_needed=max(known) if known and len(known) == len(needed) else None,
    )


def _describe_better(column: CriterionRanking, framework: str) -> str | None:
    """Return which framework is better than the recommended one by a criterion; None if none is."""
    own = column.find(framework)
    if own is None or own.rank in (None, 1) or own.to_best is None:
        return None
    best = column.entries[0]
    unit = column.info.unit
    size = format_comparison(own.to_best.comparison)
    return (
        f"By {lower_title(column.info.title)}, {_name(best)} is better: "
        f"{show_estimate(best.estimate, unit)} against {show_estimate(own.estimate, unit)}, "
        f"which is {size}."
    )


def _list_warnings(columns: Sequence[CriterionRanking], framework: str) -> list[str]:
    verdicts = {
        verdict.words: None
        for column in columns
        if (entry := column.find(framework)) is not None
        for verdict in entry.result.verdicts
        if verdict is not Verdict.OK and not (column.metric in OF_START and verdict in UNSTEADY)
    }
    return [f"Its results have warnings: {join_words(list(verdicts))}."] if verdicts else []


def _name(entry: Entry) -> str:
    return name_in_sentence(entry.result.framework.name)


def _name_all(entries: Sequence[Entry]) -> str:
    return join_words([_name(entry) for entry in entries])
