"""Describe a comparison in sentences that claim no more than its statistics allow; pure."""

from collections.abc import Sequence

from backend.core.measurements.verdicts import EXCLUDING
from backend.core.numbers import format_ratio, join_words
from backend.core.ranking.pairs import Comparability, ComparedEntry
from backend.core.ranking.sentence import lower_title
from backend.core.results.loads import name_subject
from backend.core.statistics.comparison import Comparison, Word
from backend.core.units import METRICS, Metric, Verdict

_ORDER = (Word.FASTER, Word.SLOWER, Word.EQUIVALENT, Word.INCONCLUSIVE)
# Further differences are not named.
_MOST_SUBJECTS = 3


def describe_comparison(entries: Sequence[ComparedEntry], metric: Metric) -> list[str]:
    """Return one to four sentences about one metric.

    Args:
        entries: the baseline first.
    """
    baseline, *others = entries
    if not others:
        return [
            f"Only one result is selected. Add another to compare with {baseline.label}.",
        ]
    comparable = _select(others, Comparability.COMPARABLE)
    return [
        *_describe_excluded_baseline(baseline),
        *_describe_words(baseline, comparable, metric),
        *_describe_incomparable(_select(others, Comparability.INCOMPARABLE)),
        *_describe_excluded(_select(others, Comparability.EXCLUDED)),
        *_describe_missing(comparable, metric),
    ]


def _select(entries: Sequence[ComparedEntry], which: Comparability) -> list[ComparedEntry]:
    return [entry for entry in entries if entry.pair and entry.pair.comparability is which]


def _describe_words(
    baseline: ComparedEntry, comparable: Sequence[ComparedEntry], metric: Metric
) -> list[str]:
    parts = []
    for word in _ORDER:
        quoted = [
            f"{entry.label} at {format_ratio(found.ratio, found.low, found.high)}"
            for entry in comparable
            if (found := _find_comparison(entry, metric)) and found.word is word
        ]
        if quoted:
            parts.append(f"{join_words(quoted)} {'is' if len(quoted) == 1 else 'are'} {word}")
    if not parts:
        return []
    return [f"{METRICS[metric].title}, compared with {baseline.label}: {'; '.join(parts)}."]


def _describe_excluded_baseline(baseline: ComparedEntry) -> list[str]:
    cell = baseline.result.cell
    if not cell.excluded:
        return []
    reasons = [
        verdict["verdict"].replace("_", " ")
        for verdict in cell.verdicts
        if Verdict(verdict["verdict"]) in EXCLUDING
    ]
    why = f" ({join_words(reasons)})" if reasons else ""
    return [
        f"The baseline, {baseline.label}, is excluded{why}, so nothing is compared with it.",
    ]


def _describe_incomparable(entries: Sequence[ComparedEntry]) -> list[str]:
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
        f"{_join_labels(entries)} cannot be compared with it because of a different "
        f"{join_words(subjects[:_MOST_SUBJECTS])}{more}."
    ]


def _describe_excluded(entries: Sequence[ComparedEntry]) -> list[str]:
    excluded = [entry for entry in entries if entry.result.cell.excluded]
    if not excluded:
        return []
    verb = "is" if len(excluded) == 1 else "are"
    return [f"{_join_labels(excluded)} {verb} excluded and not compared."]


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
    return join_words([entry.label for entry in entries])
