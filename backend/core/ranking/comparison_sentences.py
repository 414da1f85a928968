"""Describe a comparison in sentences that claim no more than its statistics allow; pure."""

from collections.abc import Callable, Mapping, Sequence

from backend.core.measurements.verdicts import EXCLUDING
from backend.core.numbers import join_words, name_in_sentence
from backend.core.ranking.comparison_text import (
    describe_points,
    format_comparison,
    format_margin,
)
from backend.core.ranking.pairs import Comparability, ComparedEntry
from backend.core.ranking.sentence import TIMED_UNITS, lower_title
from backend.core.results.loads import name_subject
from backend.core.statistics.comparison import Comparison, Instrument, Word
from backend.core.units import METRICS, Direction, Metric, MetricInfo, Verdict

_ORDER = (Word.FASTER, Word.SLOWER, Word.EQUIVALENT, Word.INCONCLUSIVE)
# Further differences are not named.
_MOST_SUBJECTS = 3


def describe_comparison(entries: Sequence[ComparedEntry], metric: Metric) -> list[str]:
    """Return sentences about one metric. The first is the headline.

    Args:
        entries: the baseline first.
    """
    baseline, *others = entries
    name = name_in_sentence(baseline.label)
    if not others:
        return [
            f"Only one result is selected. Add another to compare with {name}.",
        ]
    comparable = _select(others, Comparability.COMPARABLE)
    return [
        *_describe_excluded_baseline(baseline),
        *_describe_words(baseline, comparable, metric),
        *_describe_incomparable(name, _select(others, Comparability.INCOMPARABLE)),
        *_describe_excluded(_select(others, Comparability.EXCLUDED)),
        *_describe_missing(comparable, metric),
    ]


def _select(entries: Sequence[ComparedEntry], which: Comparability) -> list[ComparedEntry]:
    return [entry for entry in entries if entry.pair and entry.pair.comparability is which]


def _describe_words(
    baseline: ComparedEntry, comparable: Sequence[ComparedEntry], metric: Metric
) -> list[str]:
    """Return one sentence for each outcome, different results first."""
    info, name = METRICS[metric], name_in_sentence(baseline.label)
    sentences = []
    for word in _ORDER:
        found = [
            (name_in_sentence(entry.label), comparison)
            for entry in comparable
            if (comparison := _find_comparison(entry, metric)) and comparison.word is word
        ]
        if found:
            sentences.append(_DESCRIBE[word](found, name, info))
    return sentences


_Found = Sequence[tuple[str, Comparison]]


def _describe_better(found: _Found, baseline: str, info: MetricInfo) -> str:
    """Return `Go needs 0.50× [0.48, 0.52] as much CPU per request as Node.js.`"""
    is_lower = info.direction is Direction.LOWER
    return _describe_difference(found, baseline, info, "less" if is_lower else "more")


def _describe_worse(found: _Found, baseline: str, info: MetricInfo) -> str:
    """Return `Node.js needs 2.10× [2.00, 2.20] as much CPU per request as Go.`"""
    is_lower = info.direction is Direction.LOWER
    return _describe_difference(found, baseline, info, "more" if is_lower else "less")


def _describe_difference(found: _Found, baseline: str, info: MetricInfo, word: str) -> str:
    if info.is_share:
        points = [f"{label} has {describe_points(comparison)}" for label, comparison in found]
        return f"{join_words(points)} {lower_title(info.title)} than {baseline}."
    title, is_inverted = lower_title(info.title), word == "less"
    if info.unit in TIMED_UNITS or info.unit == "req/s":
        is_better = (word == "less") == (info.direction is Direction.LOWER)
        verb, end = "is", f"{'faster' if is_better else 'slower'} than {baseline} by {title}"
    elif info.direction is Direction.LOWER:
        verb, end, is_inverted = "needs", f"as much {title} as {baseline}", False
    else:
        verb, end = "has", f"{word} {title} than {baseline}"
    (first, factor), *others = [
        (label, _format_factor(comparison, is_inverted=is_inverted)) for label, comparison in found
    ]
    parts = [f"{first} {verb} {factor}", *(f"{label} {factor}" for label, factor in others)]
    return f"{join_words(parts)} {end}."


def _format_factor(comparison: Comparison, *, is_inverted: bool) -> str:
    """Return how many times more or less than the baseline: `2.10× [2.00, 2.20]`."""
    return format_comparison(comparison.invert() if is_inverted else comparison)


def _describe_equivalent(found: _Found, baseline: str, info: MetricInfo) -> str:
    names = join_words([label for label, _ in found])
    detectable_ratio = max(comparison.detectable_ratio for _, comparison in found)
    margin = format_margin(Instrument(detectable_ratio=detectable_ratio), is_share=info.is_share)
    title = lower_title(info.title)
    return f"{names} {_be(found)} equivalent to {baseline} in {title}, within {margin}."


def _describe_inconclusive(found: _Found, baseline: str, info: MetricInfo) -> str:
    title = lower_title(info.title)
    tested = [f"{label} ({ratio})" for label, ratio in _quote_tested(found)]
    few = [label for label, comparison in found if comparison.low is None]
    sentences = []
    if tested:
        verb = "shows" if len(tested) == 1 else "show"
        names = join_words(tested)
        sentences.append(f"{names} {verb} no significant difference from {baseline} in {title}.")
    if few:
        names = join_words(few)
        sentences.append(f"{names} {_be(few)} inconclusive in {title}: too few trials.")
    return " ".join(sentences)


def _quote_tested(found: _Found) -> list[tuple[str, str]]:
    return [
        (label, format_comparison(comparison))
        for label, comparison in found
        if comparison.low is not None
    ]


_DESCRIBE: Mapping[Word, Callable[[_Found, str, MetricInfo], str]] = {
    Word.FASTER: _describe_better,
    Word.SLOWER: _describe_worse,
    Word.EQUIVALENT: _describe_equivalent,
    Word.INCONCLUSIVE: _describe_inconclusive,
}


def _describe_excluded_baseline(baseline: ComparedEntry) -> list[str]:
    if not baseline.result.cell.excluded:
        return []
    name, reason = name_in_sentence(baseline.label), _explain_exclusion(baseline)
    return [f"The baseline, {name}, is excluded{reason}, so nothing is compared with it."]


def _explain_exclusion(entry: ComparedEntry) -> str:
    """Return the verdicts that exclude a result: ` (too many errors)`."""
    reasons = [
        verdict.words
        for verdict in (Verdict(warning["verdict"]) for warning in entry.result.cell.verdicts)
        if verdict in EXCLUDING
    ]
    return f" ({join_words(reasons)})" if reasons else ""


def _describe_incomparable(baseline: str, entries: Sequence[ComparedEntry]) -> list[str]:
    if not entries:
        return []
    subjects = list(
        dict.fromkeys(
            name_subject(difference.subject)
            for entry in entries
            if entry.pair
            for difference in entry.pair.differences
        )
    )
    more = " and more" if len(subjects) > _MOST_SUBJECTS else ""
    return [
        f"{_join_labels(entries)} cannot be compared with {baseline} because of a different "
        f"{join_words(subjects[:_MOST_SUBJECTS])}{more}."
    ]


def _describe_excluded(entries: Sequence[ComparedEntry]) -> list[str]:
    """Return one sentence for each reason."""
    by_reason: dict[str, list[ComparedEntry]] = {}
    for entry in entries:
        if entry.result.cell.excluded:
            by_reason.setdefault(_explain_exclusion(entry), []).append(entry)
    return [
        f"{_join_labels(excluded)} {_be(excluded)} excluded{reason} and not compared."
        for reason, excluded in by_reason.items()
    ]


def _be(items: Sequence[object]) -> str:
    return "is" if len(items) == 1 else "are"


def _describe_missing(comparable: Sequence[ComparedEntry], metric: Metric) -> list[str]:
    missing = [entry for entry in comparable if _find_comparison(entry, metric) is None]
    if not missing:
        return []
    title = lower_title(METRICS[metric].title)
    return [f"{_join_labels(missing)} and the baseline have no common {title}."]


def _find_comparison(entry: ComparedEntry, metric: Metric) -> Comparison | None:
    ratio = entry.pair.ratios.get(metric) if entry.pair else None
    return ratio.comparison if ratio else None


def _join_labels(entries: Sequence[ComparedEntry]) -> str:
    return join_words([name_in_sentence(entry.label) for entry in entries])
