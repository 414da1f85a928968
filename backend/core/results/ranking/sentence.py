"""Describe a ranking in sentences that claim no more than its statistics allow; pure."""

from collections.abc import Sequence

from backend.core.measurement.statistics.comparison import PairState
from backend.core.measurement.statistics.estimate import MIN_INTERVAL_TRIALS, Estimate
from backend.core.numbers import agree, count_of, format_estimate, join_first, join_words
from backend.core.results.ranking.candidate_ranking import (
    Candidate,
    CandidateRanking,
    Eligibility,
    RankedCandidate,
)
from backend.core.results.ranking.comparison_text import (
    describe_differences,
    describe_needed,
    describe_range,
    describe_trials_needed,
    format_margin,
    format_percent,
)
from backend.core.results.ranking.metric_words import (
    MetricWords,
    find_words,
    lower_title,
    name_best,
)
from backend.core.results.ranking.pairs import Method, Ratio
from backend.core.units import METRICS, Metric, MetricInfo

# Further names are counted.
_MOST_NAMED = 4
# With so few trials, t intervals are very wide.
_FEW_TRIALS = 3
# The ranges of so many results are named. Those of more are summarised.
_MOST_RANGES = 2


def describe_ranking(
    ranking: CandidateRanking, metric: Metric, *, has_headline: bool = False
) -> list[str]:
    """Return one to seven sentences: the best result, the differences, what the host can detect,
    and the excluded results.
    """
    compared = _list_compared(ranking)
    has_interval = len(compared) == 1 or bool(compared and compared[0].rank)
    return [
        *describe_compared(ranking, metric, has_headline=has_headline),
        *_describe_host(ranking, METRICS[metric]),
        *(_describe_few(ranking, compared) if has_interval else []),
        *_describe_left_out(ranking, bool(compared)),
    ]


def describe_compared(
    ranking: CandidateRanking, metric: Metric, *, has_headline: bool = False
) -> list[str]:
    """Return the sentences about the results that are not excluded.

    Args:
        has_headline: whether a headline above names the best result and the metric.
    """
    info = METRICS[metric]
    compared = _list_compared(ranking)
    if not compared:
        return [f"No usable result for {lower_title(info.title)}."]
    if len(compared) == 1:
        return [f"{info.title} of {_quote(compared[0], info)}."]
    if compared[0].rank is None:
        return [*_describe_unranked(compared, info), *_describe_not_testable(compared)]
    return _describe_ranked(ranking, compared, info, has_headline=has_headline)


def _list_compared(ranking: CandidateRanking) -> list[RankedCandidate]:
    return [
        candidate
        for candidate in (ranking.candidates[position] for position in ranking.order)
        if candidate.candidate.eligibility <= Eligibility.NOT_TESTABLE
    ]


def _describe_unranked(compared: Sequence[RankedCandidate], info: MetricInfo) -> list[str]:
    """Describe results without any rank: at most one of them can be tested."""
    if compared[0].candidate.eligibility is Eligibility.ELIGIBLE:
        return [
            f"{info.title} of {_quote(compared[0], info)}.",
            "No other result can be compared with it.",
        ]
    if not all(candidate.candidate.lacks_interval for candidate in compared):
        return []
    return [f"{name_best(info)}: {_quote(compared[0], info)}."]


def _describe_ranked(
    ranking: CandidateRanking,
    compared: Sequence[RankedCandidate],
    info: MetricInfo,
    *,
    has_headline: bool,
) -> list[str]:
    title, words = lower_title(info.title), find_words(info.metric)
    firsts = [candidate for candidate in compared if candidate.rank == 1]
    behind = [candidate for candidate in compared if (candidate.rank or 0) > 1]
    if len(firsts) == 1:
        first = firsts[0].candidate
        sentence = first.name if has_headline else f"{first.name} {words.one} {words.best}"
        sentence += f": {_figures(first, info)}"
    elif are_equivalent(firsts):
        margin = format_margin(ranking.instrument, is_share=info.is_share)
        sentence = f"{_quote_all(firsts, info)} are equivalent in {title}, within {margin}"
        sentence += ", and no other result is better" if behind else ""
    else:
        sentence = f"{_quote_all(firsts, info)} {PairState.UNDECIDED.words}"
        sentence += f", and one of them {words.one} {words.best}" if behind else f" in {title}"
        sentence += _describe_undecided(firsts, words)
    sentences = [f"{sentence}."]
    if behind:
        sentences.append(f"{_describe_behind(behind, ranking, info)}.")
    return [*sentences, *_describe_not_testable(compared)]


def _describe_undecided(firsts: Sequence[RankedCandidate], words: MetricWords) -> str:
    """Return the range that is still possible for each result, and what would decide.

    `: Quarkus is between 8 % cheaper and 86 % costlier than Vert.x. About 12 trials each would
    decide`
    """
    best = next((each.candidate.name for each in firsts if each.ratio is None), None)
    pairs = [
        (each.candidate.name, each.ratio)
        for each in firsts
        if each.ratio is not None and each.state is PairState.UNDECIDED
    ]
    if best is None or not pairs:
        return ""
    ranges = [
        f"that of {name} is {span} that of {best}"
        if span.endswith("×")
        else f"{name} is {span} than {best}"
        for name, ratio in pairs
        if (span := describe_range(ratio.comparison, words)) is not None
    ]
    needed = _find_most_needed([ratio for _, ratio in pairs])
    shown = f": {'; '.join(ranges)}" if 0 < len(ranges) <= _MOST_RANGES else ""
    return f"{shown}. {needed[0].upper()}{needed[1:]}"


def _find_most_needed(ratios: Sequence[Ratio]) -> str:
    """Return what would decide all of these pairs."""
    if any(ratio.method is Method.STEPS for ratio in ratios):
        return describe_needed(next(ratio for ratio in ratios if ratio.method is Method.STEPS))
    needed = [ratio.comparison.trials_needed for ratio in ratios]
    known = [trials for trials in needed if trials is not None]
    return describe_trials_needed(max(known) if len(known) == len(needed) else None)


def _describe_not_testable(compared: Sequence[RankedCandidate]) -> list[str]:
    unranked = [candidate.candidate for candidate in compared if candidate.rank is None]
    few = [
        candidate.name for candidate in unranked if candidate.values and candidate.lacks_interval
    ]
    zeros = [
        candidate.name
        for candidate in unranked
        if candidate.values
        and not candidate.lacks_interval
        and candidate.eligibility is Eligibility.NOT_TESTABLE
    ]
    sentences = []
    if few:
        count = len(few)
        trials = f"{MIN_INTERVAL_TRIALS} trials{agree(count, '', ' each')}"
        sentences.append(
            f"{join_words(few)} {agree(count, 'has', 'have')} fewer than {trials}, so "
            f"{agree(count, 'it', 'they')} cannot be told apart yet from the others."
        )
    if zeros:
        verb = agree(len(zeros), "has", "have")
        sentences.append(
            f"{join_words(zeros)} {verb} a trial with the value 0, which has no ratio to another "
            "value and therefore no rank."
        )
    return sentences


def are_equivalent(firsts: Sequence[RankedCandidate]) -> bool:
    """Return whether all results that share the first rank are equivalent to the baseline."""
    others = [candidate for candidate in firsts if candidate.ratio is not None]
    return len(others) == len(firsts) - 1 and all(
        other.state is PairState.EQUIVALENT for other in others
    )


def _describe_behind(
    behind: Sequence[RankedCandidate], ranking: CandidateRanking, info: MetricInfo
) -> str:
    """Return `Spring MVC is 1.80× [1.70, 1.90] and Node.js 2.10× [2.00, 2.20] slower`."""
    baseline = None if ranking.baseline is None else ranking.candidates[ranking.baseline]
    found = [
        (candidate.candidate.name, candidate.ratio.comparison)
        for candidate in behind
        if candidate.ratio is not None
    ]
    if baseline is None or baseline.rank != 1 or len(found) < len(behind):
        names = join_words([candidate.candidate.name for candidate in behind])
        return f"{names} {agree(len(behind), 'ranks', 'rank')} lower"
    text = describe_differences(found, info)
    return text[0].upper() + text[1:] if text.startswith("that of") else text


def _describe_few(ranking: CandidateRanking, compared: Sequence[RankedCandidate]) -> list[str]:
    if ranking.is_sequential:
        # Such a run has as many trials as its ranking needs.
        return []
    estimates = [candidate.candidate.estimate for candidate in compared]
    fewest = min(estimate.n for estimate in estimates if estimate)
    if fewest > _FEW_TRIALS or (len(compared) > 1 and fewest < MIN_INTERVAL_TRIALS):
        return []
    each = " each" if len(compared) > 1 else ""
    trials = f"{count_of(fewest, 'trial')}{each}"
    return [f"Only {trials}: treat this as a hint. Five are recommended."]


def _describe_host(ranking: CandidateRanking, info: MetricInfo) -> list[str]:
    if ranking.detectable_ratio <= 1 or info.is_share:
        return []
    smallest = format_percent(ranking.detectable_ratio)
    return [f"Differences above {smallest} are detectable on this host."]


def _describe_left_out(ranking: CandidateRanking, some_compared: bool) -> list[str]:
    candidates = [ranked.candidate for ranked in ranking.candidates]
    by_reason: dict[str, list[str]] = {}
    for candidate in candidates:
        if candidate.excluded_by:
            reason = join_words(candidate.excluded_by)
            by_reason.setdefault(reason, []).append(candidate.name)
    sentences = [
        f"{join_words(names)} {agree(len(names), 'is', 'are')} excluded from ranking: {reason}."
        for reason, names in by_reason.items()
    ]
    failed = [candidate for candidate in candidates if candidate.trials_failed]
    if failed:
        first, *others = failed
        counts = [f"{count_of(first.trials_failed, 'trial')} of {first.name}"]
        counts += [f"{candidate.trials_failed} of {candidate.name}" for candidate in others]
        sentences.append(f"{join_words(counts)} failed.")
    missing = [
        candidate.name
        for candidate in candidates
        if candidate.estimate is None and not candidate.excluded_by
    ]
    if some_compared and missing:
        sentences.append(f"{join_words(missing)} {agree(len(missing), 'has', 'have')} no result.")
    return sentences


def _quote(candidate: RankedCandidate, info: MetricInfo) -> str:
    """Return `Vert.x: 61 µs [60, 63]`."""
    found = candidate.candidate
    return f"{found.name}: {_figures(found, info)}"


def _quote_all(candidates: Sequence[RankedCandidate], info: MetricInfo) -> str:
    """Return `Vert.x (61 µs [60, 63]) and Quarkus (63 µs [61, 66])`."""
    parts = [_add_figures(candidate.candidate, info) for candidate in candidates]
    return join_first(parts, _MOST_NAMED)


def _add_figures(candidate: Candidate, info: MetricInfo) -> str:
    """Return `Vert.x (61 µs [60, 63])`, with one pair of brackets if the name has brackets too."""
    name, figures = candidate.name, _figures(candidate, info)
    return f"{name[:-1]}; {figures})" if name.endswith(")") else f"{name} ({figures})"


def _figures(candidate: Candidate, info: MetricInfo) -> str:
    """Return `61 µs [60, 63]`."""
    return show_estimate(candidate.estimate, info.unit)


def show_estimate(estimate: Estimate | None, unit: str) -> str:
    """Return an estimate as text: `61 µs [60, 63]`, or the values if they are few: `61, 64 µs`."""
    if estimate is None:
        return "no number"
    figures = (estimate.estimate, estimate.low, estimate.high, unit, estimate.values)
    return format_estimate(*figures, is_bound=estimate.is_bound)
