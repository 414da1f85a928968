"""Compare results of any runs with a baseline, label and describe them; pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from backend.core.measurement.measurements.verdicts import EXCLUDING
from backend.core.measurement.statistics.comparison import Comparison, Instrument, PairState
from backend.core.numbers import agree, join_words, name_in_sentence
from backend.core.results.cell_result import CellResult
from backend.core.results.loads import list_load_parts, name_subject
from backend.core.results.ranking.comparison_text import (
    describe_differences,
    describe_needed,
    describe_range,
    format_margin,
)
from backend.core.results.ranking.metric_words import find_words, lower_title
from backend.core.results.ranking.pairs import Comparability, ComparedEntry, Ratio, compare_results
from backend.core.units import METRICS, Metric, MetricInfo, find_common_metric

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
        *_describe_states(baseline, comparable, metric),
        *_describe_incomparable(name, _select(others, Comparability.INCOMPARABLE)),
        *_describe_excluded(_select(others, Comparability.EXCLUDED)),
        *_describe_missing(comparable, metric),
    ]


def _select(entries: Sequence[ComparedEntry], which: Comparability) -> list[ComparedEntry]:
    return [entry for entry in entries if entry.pair and entry.pair.comparability is which]


def _describe_states(
    baseline: ComparedEntry, comparable: Sequence[ComparedEntry], metric: Metric
) -> list[str]:
    """Return one sentence for each state, different results first."""
    info, name = METRICS[metric], name_in_sentence(baseline.label)
    found = [
        (name_in_sentence(entry.label), ratio)
        for entry in comparable
        if (ratio := _find_ratio(entry, metric)) is not None
    ]
    groups: Sequence[tuple[Callable[[Comparison], bool], _Describe]] = (
        (lambda each: each.is_better is True, _describe_difference),
        (lambda each: each.is_better is False, _describe_difference),
        (lambda each: each.state is PairState.EQUIVALENT, _describe_equivalent),
        (lambda each: each.state is PairState.UNDECIDED, _describe_undecided),
    )
    return [
        describe(chosen, name, info)
        for belongs, describe in groups
        if (chosen := [item for item in found if belongs(item[1].comparison)])
    ]


_Found = Sequence[tuple[str, Ratio]]
_Describe = Callable[[_Found, str, MetricInfo], str]


def _describe_difference(found: _Found, baseline: str, info: MetricInfo) -> str:
    """Return `Node.js uses 2.10× [2.00, 2.20] more CPU per request than Go.`"""
    named = [(label, ratio.comparison) for label, ratio in found]
    text = describe_differences(named, info, baseline)
    return f"{text[0].upper() + text[1:] if text.startswith('the ') else text}."


def _describe_equivalent(found: _Found, baseline: str, info: MetricInfo) -> str:
    names = join_words([label for label, _ in found])
    detectable_ratio = max(ratio.comparison.detectable_ratio for _, ratio in found)
    margin = format_margin(Instrument(detectable_ratio=detectable_ratio), is_share=info.is_share)
    title = lower_title(info.title)
    verb = agree(len(found), "is", "are")
    return f"{names} {verb} equivalent to {baseline} in {title}, within {margin}."


def _describe_undecided(found: _Found, baseline: str, info: MetricInfo) -> str:
    """Return `Go cannot be told apart yet from Node.js in boot: between 8 % faster and …`."""
    title, state = lower_title(info.title), PairState.UNDECIDED.words
    tested = [(label, ratio) for label, ratio in found if ratio.comparison.low is not None]
    few = [label for label, ratio in found if ratio.comparison.low is None]
    sentences = []
    for label, ratio in tested:
        span = describe_range(ratio.comparison, find_words(info.metric))
        known = f": {span}" if span else ""
        needed = describe_needed(ratio)
        sentences.append(
            f"{label} {state} from {baseline} in {title}{known}. {needed[0].upper()}{needed[1:]}."
        )
    if few:
        names = join_words(few)
        sentences.append(f"{names} {state} from {baseline} in {title}: too few trials.")
    return " ".join(sentences)


def _describe_excluded_baseline(baseline: ComparedEntry) -> list[str]:
    if not baseline.result.summary.excluded:
        return []
    name, reason = name_in_sentence(baseline.label), _explain_exclusion(baseline)
    return [f"The baseline, {name}, is excluded{reason}, so nothing is compared with it."]


def _explain_exclusion(entry: ComparedEntry) -> str:
    """Return the verdicts that exclude a result: ` (too many errors)`."""
    reasons = [verdict.words for verdict in entry.result.verdicts if verdict in EXCLUDING]
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
        if entry.result.summary.excluded:
            by_reason.setdefault(_explain_exclusion(entry), []).append(entry)
    return [
        f"{_join_labels(excluded)} {agree(len(excluded), 'is', 'are')} excluded{reason} and not "
        "compared."
        for reason, excluded in by_reason.items()
    ]


def _describe_missing(comparable: Sequence[ComparedEntry], metric: Metric) -> list[str]:
    missing = [entry for entry in comparable if _find_ratio(entry, metric) is None]
    if not missing:
        return []
    title = lower_title(METRICS[metric].title)
    return [f"{_join_labels(missing)} and the baseline have no common {title}."]


def _find_ratio(entry: ComparedEntry, metric: Metric) -> Ratio | None:
    return entry.pair.ratios.get(metric) if entry.pair else None


def _join_labels(entries: Sequence[ComparedEntry]) -> str:
    return join_words([name_in_sentence(entry.label) for entry in entries])


# In these traits, results of one framework may differ. A trait may have several parts.
_TRAITS: Sequence[Callable[[CellResult], Sequence[str]]] = (
    lambda result: [result.scenario.name],
    lambda result: list_load_parts(result.kind, result.summary.parameters),
    lambda result: [result.host],
    lambda result: [result.summary.runtime],
)
# The traits of a run, which follow one by one until all labels differ.
_RUN_TRAITS: Sequence[Callable[[CellResult], str]] = (
    lambda result: result.run.title,
    lambda result: f"{result.summary.at:%-d %b %Y, %H:%M} UTC",
    lambda result: result.run.slug,
)


@dataclass(frozen=True)
class ResultComparison:
    """Results compared with a baseline.

    Attributes:
        metric: the main metric, which most of the results have.
        entries: the baseline first, then the others in their order.
        sentences: the comparison in sentences, by metric.
    """

    metric: Metric
    entries: Sequence[ComparedEntry]
    sentences: Mapping[Metric, Sequence[str]]


def compare_with_baseline(results: Sequence[CellResult], baseline_id: UUID) -> ResultComparison:
    """Return each result compared with the baseline, which is one of them."""
    labels = label_results(results)
    (baseline,) = [result for result in results if result.summary.cell_id == baseline_id]
    entries = [
        ComparedEntry(
            result=result,
            label=label,
            pair=None if result is baseline else compare_results(result, baseline),
        )
        for result, label in zip(results, labels, strict=True)
    ]
    entries.sort(key=lambda entry: entry.pair is not None)
    return ResultComparison(
        metric=find_common_metric([result.estimates for result in results]),
        entries=entries,
        sentences={metric: describe_comparison(entries, metric) for metric in Metric},
    )


def label_results(results: Sequence[CellResult]) -> list[str]:
    """Return a label for each result: the framework, and the traits that distinguish its results.

    If the load and the host do not distinguish them, the title, time or slug of the run does.
    """
    return [_label(result, results) for result in results]


def _label(result: CellResult, results: Sequence[CellResult]) -> str:
    slug = result.framework.slug
    twins = [other for other in results if other.framework.slug == slug]
    if len(twins) == 1:
        return result.framework.name
    differing = [trait for trait in _TRAITS if any(trait(twin) != trait(result) for twin in twins)]
    parts = [
        part
        for trait in differing
        for part in trait(result)
        if any(part not in trait(twin) for twin in twins)
    ]
    same = [twin for twin in twins if all(trait(twin) == trait(result) for trait in differing)]
    for trait in _RUN_TRAITS:
        alike = [twin for twin in same if trait(twin) == trait(result)]
        if len(alike) < len(same):
            parts.append(trait(result))
        same = alike
    return ", ".join([result.framework.name, *parts])
