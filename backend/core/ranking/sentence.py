"""Describe a ranking in sentences that claim no more than its statistics allow; pure."""

from collections.abc import Sequence

from backend.core.numbers import format_figure, format_interval, format_value, join_words
from backend.core.ranking.candidate_ranking import Candidate, CandidateRanking, RankedCandidate
from backend.core.statistics.comparison import Word
from backend.core.units import METRICS, Direction

# More names than this are only counted.
_MOST_NAMED = 4
# With so few trials, t intervals are very wide.
_FEW_TRIALS = 3
_TIMED_UNITS = {"ms", "s"}


def describe_ranking(ranking: CandidateRanking) -> list[str]:
    """Return one to five sentences: the best result, the differences, and the excluded results."""
    ranked = [
        ranking.candidates[position]
        for position in ranking.order
        if _is_counted(ranking.candidates[position])
    ]
    title = lower_title(METRICS[ranking.metric].title)
    if not ranked:
        sentences = [f"No usable result for {title}."]
    elif len(ranked) == 1:
        sentences = [f"{_title(ranking)} of {_quote(ranked[0], ranking)}."]
        sentences += _describe_few(ranked)
    elif ranked[0].rank is None:
        sentences = [
            f"{_superlative(ranking).capitalize()} {title}: {_quote(ranked[0], ranking)}.",
            "With one trial each there are no intervals, so the results cannot be compared.",
        ]
    else:
        sentences = [*_describe_first(ranking, ranked), *_describe_few(ranked)]
    return [*sentences, *_describe_left_out(ranking, bool(ranked))]


def lower_title(title: str) -> str:
    """`Latency p99` → `latency p99`, but `CPU per request` stays."""
    return title[0].lower() + title[1:] if title[1:2].islower() else title


def _describe_first(ranking: CandidateRanking, ranked: Sequence[RankedCandidate]) -> list[str]:
    title = lower_title(_title(ranking))
    superlative = _superlative(ranking)
    firsts = [one for one in ranked if one.rank == 1]
    behind = [one for one in ranked if one.rank is not None and one.rank > 1]
    open_ones = [one for one in ranked if one.rank is None]
    if len(firsts) == 1:
        said = f"{_name(firsts[0])} has the {superlative} {title}: {_figures(firsts[0], ranking)}"
    elif behind:
        said = f"{_quote_all(firsts, ranking)} tie for the {superlative} {title}"
        if not _are_equivalent(firsts):
            said += ", with no significant difference"
    elif _are_equivalent(firsts):
        said = f"{_quote_all(firsts, ranking)} are equivalent in {title}"
    else:
        said = f"{_quote_all(firsts, ranking)} show no significant difference in {title}"
    sentences = [f"{said}."]
    if behind:
        sentences.append(f"{_describe_behind(behind, ranking)}.")
    if open_ones:
        sentences.append(
            f"{_names(open_ones)} has only one trial, so its result is inconclusive."
            if len(open_ones) == 1
            else f"{_names(open_ones)} have only one trial each, so their results are inconclusive."
        )
    return sentences


def _are_equivalent(firsts: Sequence[RankedCandidate]) -> bool:
    others = [one for one in firsts if one.ratio is not None]
    return len(others) == len(firsts) - 1 and all(
        one.ratio is not None and one.ratio.comparison.word is Word.EQUIVALENT for one in others
    )


def _describe_behind(behind: Sequence[RankedCandidate], ranking: CandidateRanking) -> str:
    """`Spring MVC is 1.8× [1.7, 1.9] slower and Node.js 2.1× [2, 2.2]`, over the baseline."""
    info = METRICS[ranking.metric]
    baseline = ranking.candidates[ranking.baseline] if ranking.baseline is not None else None
    if baseline is None or baseline.rank != 1:
        return f"{_names(behind)} {'ranks' if len(behind) == 1 else 'rank'} lower"
    is_speed = info.unit in _TIMED_UNITS or info.unit == "req/s"
    verb, end = ("is", " slower") if is_speed else ("has", "")
    if not is_speed and info.direction is Direction.LOWER:
        verb, end = "needs", " as much"
    parts: list[str] = []
    for one in behind[:_MOST_NAMED]:
        factor = _factor(one, info.direction)
        said = f"{verb} {factor}{end}" if not parts else f"{factor}"
        parts.append(f"{_name(one)} {said}")
    left = len(behind) - len(parts)
    if left:
        parts.append(f"{left} more {'rank' if left > 1 else 'ranks'} lower")
    return join_words(parts)


def _factor(one: RankedCandidate, direction: Direction) -> str:
    """How many times worse than the baseline, with the interval."""
    if one.ratio is None:
        return "worse"
    found = one.ratio.comparison
    ratio, low, high = found.ratio, found.low, found.high
    if direction is Direction.HIGHER and low is not None and high is not None:
        ratio, low, high = 1 / ratio, 1 / high, 1 / low
    if low is None or high is None:
        return f"{format_figure(ratio)}×"
    return f"{format_figure(ratio)}× [{format_figure(low)}, {format_figure(high)}]"


def _describe_few(ranked: Sequence[RankedCandidate]) -> list[str]:
    fewest = min(one.candidate.estimate.n for one in ranked if one.candidate.estimate)
    if fewest > _FEW_TRIALS:
        return []
    noun = "trial" if fewest == 1 else "trials"
    each = " each" if len(ranked) > 1 else ""
    return [f"Only {fewest} {noun}{each}: treat this as a hint. Five are recommended."]


def _describe_left_out(ranking: CandidateRanking, some_ranked: bool) -> list[str]:
    candidates = [one.candidate for one in ranking.candidates]
    by_reason: dict[str, list[str]] = {}
    for one in candidates:
        if one.excluded_by:
            by_reason.setdefault(join_words([*one.excluded_by]), []).append(one.name)
    sentences = [
        f"{join_words(names)} {'is' if len(names) == 1 else 'are'} excluded from ranking: {why}."
        for why, names in by_reason.items()
    ]
    failed = [one for one in candidates if one.trials_failed]
    if failed:
        first, *others = failed
        noun = "trial" if first.trials_failed == 1 else "trials"
        said = [f"{first.trials_failed} {noun} of {first.name}"]
        said += [f"{one.trials_failed} of {one.name}" for one in others]
        sentences.append(f"{join_words(said)} failed.")
    missing = [one.name for one in candidates if one.estimate is None and not one.excluded_by]
    if some_ranked and missing:
        verb = "has" if len(missing) == 1 else "have"
        sentences.append(f"{join_words(missing)} {verb} no result.")
    return sentences


def _is_counted(one: RankedCandidate) -> bool:
    return one.candidate.estimate is not None and not one.candidate.excluded_by


def _name(one: RankedCandidate) -> str:
    return one.candidate.name


def _names(many: Sequence[RankedCandidate]) -> str:
    return join_words([_name(one) for one in many])


def _title(ranking: CandidateRanking) -> str:
    return METRICS[ranking.metric].title


def _superlative(ranking: CandidateRanking) -> str:
    return "highest" if METRICS[ranking.metric].direction is Direction.HIGHER else "lowest"


def _quote(one: RankedCandidate, ranking: CandidateRanking) -> str:
    return f"{_name(one)}: {_figures(one, ranking)}"


def _quote_all(many: Sequence[RankedCandidate], ranking: CandidateRanking) -> str:
    """`Vert.x (61 µs [60, 63]) and Quarkus (63 µs [61, 66])`: each number beside its name."""
    said = [f"{_name(one)} ({_figures(one, ranking)})" for one in many[:_MOST_NAMED]]
    left = len(many) - len(said)
    return join_words([*said, f"{left} more"] if left else said)


def _figures(one: RankedCandidate, ranking: CandidateRanking) -> str:
    """`61 µs [60, 63]`."""
    return quote_estimate(one.candidate, METRICS[ranking.metric].unit)


def quote_estimate(one: Candidate, unit: str) -> str:
    """`61 µs [60, 63]`, as far as there is an interval."""
    found = one.estimate
    if found is None:
        return "no number"
    shown = format_value(found.estimate, unit)
    if found.low is None or found.high is None:
        return shown
    return f"{shown} {format_interval(found.estimate, found.low, found.high, unit)}"
