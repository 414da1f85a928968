"""Describe a ranking in sentences that claim no more than its statistics allow; pure."""

from collections.abc import Sequence

from backend.core.numbers import format_estimate, format_ratio, join_words
from backend.core.ranking.candidate_ranking import (
    Candidate,
    CandidateRanking,
    Eligibility,
    RankedCandidate,
)
from backend.core.statistics.comparison import EQUIVALENCE_RATIO, Word
from backend.core.statistics.estimate import Estimate
from backend.core.units import METRICS, Direction, Metric, MetricInfo

_MARGIN = f"{round(100 * (EQUIVALENCE_RATIO - 1))} %"
# Further names are counted.
_MOST_NAMED = 4
# With so few trials, t intervals are very wide.
_FEW_TRIALS = 3
_TIMED_UNITS = {"ms", "s"}


def describe_ranking(ranking: CandidateRanking, metric: Metric) -> list[str]:
    """Return one to six sentences: the best result, the differences, and the excluded results."""
    info = METRICS[metric]
    compared = [
        candidate
        for candidate in (ranking.candidates[position] for position in ranking.order)
        if candidate.candidate.eligibility <= Eligibility.NOT_TESTABLE
    ]
    if not compared:
        sentences = [f"No usable result for {lower_title(info.title)}."]
    elif len(compared) == 1:
        sentences = [
            f"{info.title} of {_quote(compared[0], info)}.",
            *_describe_few(ranking, compared),
        ]
    elif compared[0].rank is None:
        sentences = _describe_unranked(compared, info)
    else:
        sentences = [*_describe_ranked(ranking, compared, info), *_describe_few(ranking, compared)]
    return [*sentences, *_describe_left_out(ranking, bool(compared))]


def lower_title(title: str) -> str:
    """Return a title for the middle of a sentence: `latency p99`, but `CPU per request`."""
    return title[0].lower() + title[1:] if title[1:2].islower() else title


def _describe_unranked(compared: Sequence[RankedCandidate], info: MetricInfo) -> list[str]:
    """Describe results without any rank."""
    if not all(candidate.candidate.has_one_trial for candidate in compared):
        return _describe_not_testable(compared)
    best = f"{_superlative(info).capitalize()} {lower_title(info.title)}"
    return [
        f"{best}: {_quote(compared[0], info)}.",
        "With one trial each there are no intervals, so the results cannot be compared.",
    ]


def _describe_ranked(
    ranking: CandidateRanking, compared: Sequence[RankedCandidate], info: MetricInfo
) -> list[str]:
    title = lower_title(info.title)
    firsts = [candidate for candidate in compared if candidate.rank == 1]
    behind = [candidate for candidate in compared if (candidate.rank or 0) > 1]
    if len(firsts) == 1:
        first = firsts[0].candidate
        sentence = f"{first.name} has the {_superlative(info)} {title}: {_figures(first, info)}"
    elif behind:
        sentence = f"{_quote_all(firsts, info)} tie for the {_superlative(info)} {title}"
        if not _are_equivalent(firsts):
            sentence += ", with no significant difference"
    elif _are_equivalent(firsts):
        sentence = f"{_quote_all(firsts, info)} are equivalent in {title}, within {_MARGIN}"
    else:
        sentence = f"{_quote_all(firsts, info)} show no significant difference in {title}"
    sentences = [f"{sentence}."]
    if behind:
        sentences.append(f"{_describe_behind(behind, ranking, info)}.")
    return [*sentences, *_describe_not_testable(compared)]


def _describe_not_testable(compared: Sequence[RankedCandidate]) -> list[str]:
    unranked = [candidate.candidate for candidate in compared if candidate.rank is None]
    single = [candidate.name for candidate in unranked if candidate.has_one_trial]
    zeros = [candidate.name for candidate in unranked if not candidate.has_one_trial]
    sentences = []
    if len(single) == 1:
        sentences.append(f"{single[0]} has only one trial, so its result is inconclusive.")
    elif single:
        names = join_words(single)
        sentences.append(f"{names} have only one trial each, so their results are inconclusive.")
    if zeros:
        verb = "has" if len(zeros) == 1 else "have"
        sentences.append(
            f"{join_words(zeros)} {verb} a trial with the value 0, which has no ratio to another "
            "value and therefore no rank."
        )
    return sentences


def _are_equivalent(firsts: Sequence[RankedCandidate]) -> bool:
    others = [candidate.ratio for candidate in firsts if candidate.ratio is not None]
    return len(others) == len(firsts) - 1 and all(
        ratio.comparison.word is Word.EQUIVALENT for ratio in others
    )


def _describe_behind(
    behind: Sequence[RankedCandidate], ranking: CandidateRanking, info: MetricInfo
) -> str:
    """Return `Spring MVC is 1.80× [1.70, 1.90] slower and Node.js 2.10× [2.00, 2.20]`."""
    baseline = None if ranking.baseline is None else ranking.candidates[ranking.baseline]
    if baseline is None or baseline.rank != 1:
        return f"{_join_names(behind)} {'ranks' if len(behind) == 1 else 'rank'} lower"
    is_speed = info.unit in _TIMED_UNITS or info.unit == "req/s"
    verb, end = ("is", " slower") if is_speed else ("has", "")
    if not is_speed and info.direction is Direction.LOWER:
        verb, end = "needs", " as much"
    parts: list[str] = []
    for candidate in behind[:_MOST_NAMED]:
        factor = _format_factor(candidate, info.direction)
        parts.append(f"{candidate.candidate.name} {factor if parts else f'{verb} {factor}{end}'}")
    left = len(behind) - len(parts)
    if left:
        parts.append(f"{left} more {'rank' if left > 1 else 'ranks'} lower")
    return join_words(parts)


def _format_factor(candidate: RankedCandidate, direction: Direction) -> str:
    """Return how many times worse than the baseline a candidate is: `1.80× [1.70, 1.90]`."""
    if candidate.ratio is None:
        return "worse"
    found = candidate.ratio.comparison
    ratio, low, high = found.ratio, found.low, found.high
    if direction is Direction.HIGHER and low is not None and high is not None:
        ratio, low, high = 1 / ratio, 1 / high, 1 / low
    return format_ratio(ratio, low, high)


def _describe_few(ranking: CandidateRanking, compared: Sequence[RankedCandidate]) -> list[str]:
    if ranking.is_sequential:
        # Such a run has as many trials as its ranking needs.
        return []
    estimates = [candidate.candidate.estimate for candidate in compared]
    fewest = min(estimate.n for estimate in estimates if estimate)
    if fewest > _FEW_TRIALS:
        return []
    noun = "trial" if fewest == 1 else "trials"
    each = " each" if len(compared) > 1 else ""
    return [f"Only {fewest} {noun}{each}: treat this as a hint. Five are recommended."]


def _describe_left_out(ranking: CandidateRanking, some_compared: bool) -> list[str]:
    candidates = [ranked.candidate for ranked in ranking.candidates]
    by_reason: dict[str, list[str]] = {}
    for candidate in candidates:
        if candidate.excluded_by:
            reason = join_words([*candidate.excluded_by])
            by_reason.setdefault(reason, []).append(candidate.name)
    sentences = [
        f"{join_words(names)} {'is' if len(names) == 1 else 'are'} excluded from ranking: {reason}."
        for reason, names in by_reason.items()
    ]
    failed = [candidate for candidate in candidates if candidate.trials_failed]
    if failed:
        first, *others = failed
        noun = "trial" if first.trials_failed == 1 else "trials"
        counts = [f"{first.trials_failed} {noun} of {first.name}"]
        counts += [f"{candidate.trials_failed} of {candidate.name}" for candidate in others]
        sentences.append(f"{join_words(counts)} failed.")
    missing = [
        candidate.name
        for candidate in candidates
        if candidate.estimate is None and not candidate.excluded_by
    ]
    if some_compared and missing:
        verb = "has" if len(missing) == 1 else "have"
        sentences.append(f"{join_words(missing)} {verb} no result.")
    return sentences


def _join_names(candidates: Sequence[RankedCandidate]) -> str:
    return join_words([candidate.candidate.name for candidate in candidates])


def _superlative(info: MetricInfo) -> str:
    return "highest" if info.direction is Direction.HIGHER else "lowest"


def _quote(candidate: RankedCandidate, info: MetricInfo) -> str:
    """Return `Vert.x: 61 µs [60, 63]`."""
    found = candidate.candidate
    return f"{found.name}: {_figures(found, info)}"


def _quote_all(candidates: Sequence[RankedCandidate], info: MetricInfo) -> str:
    """Return `Vert.x (61 µs [60, 63]) and Quarkus (63 µs [61, 66])`."""
    parts = [
        f"{found.name} ({_figures(found, info)})"
        for found in (candidate.candidate for candidate in candidates[:_MOST_NAMED])
    ]
    left = len(candidates) - len(parts)
    return join_words([*parts, f"{left} more"] if left else parts)


def _figures(candidate: Candidate, info: MetricInfo) -> str:
    """Return `61 µs [60, 63]`."""
    return show_estimate(candidate.estimate, info.unit)


def show_estimate(estimate: Estimate | None, unit: str) -> str:
    """Return an estimate as text: `61 µs [60, 63]`."""
    if estimate is None:
        return "no number"
    return format_estimate(estimate.estimate, estimate.low, estimate.high, unit)
