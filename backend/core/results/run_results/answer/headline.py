"""Headlines and sentences about the ranking of one group; pure."""

from collections.abc import Sequence

from backend.core.measurement.statistics.comparison import Comparison, PairState
from backend.core.numbers import format_estimate, join_choices, join_words
from backend.core.results.ranking.comparison_text import format_percent, format_sizes
from backend.core.results.ranking.headline import MOST_NAMED, describe_best, find_next
from backend.core.results.ranking.metric_words import find_words, lower_title
from backend.core.results.ranking.sentence import are_equivalent, describe_compared
from backend.core.results.run_results.answer.group import GroupAnswer, Ranked, list_names
from backend.core.units import METRICS, Metric, MetricInfo

NO_RESULT = "No usable result"
_MOST_SENTENCES = 2


def make_headline(group: GroupAnswer) -> str:
    """Return the best result of a group by its metric, and how far the next is behind."""
    info = group.ranking.info
    if not group.usable:
        return NO_RESULT
    name = group.usable[0][0].name_in_sentence
    if len(group.ranking.group.cells) == 1:
        return f"{info.title} of {name}: {show_value(group.usable[0], info)}"
    if not group.is_usable:
        return f"Only {name} has a usable result"
    if group.behind or len(group.leaders) == 1:
        return describe_best(
            list_names(group.leaders),
            len(group.usable),
            info,
            are_alike=are_equivalent([ranked for _, ranked in group.leaders]),
            behind=list_next([group]),
        )
    return _describe_alike(group, lower_title(info.title))


def _describe_alike(group: GroupAnswer, title: str) -> str:
    """Describe the results if none is known to be better than another."""
    leaders = group.leaders
    names = list_names(leaders or group.usable)
    subject = join_words(names) if len(names) <= MOST_NAMED else f"All {len(names)} results"
    if leaders and are_equivalent([ranked for _, ranked in leaders]):
        return f"{subject} are equivalent in {title}"
    return f"{subject} {PairState.UNDECIDED.words} in {title}"


def show_value(item: Ranked, info: MetricInfo) -> str:
    """Return the estimate of a result: `61 µs`, or `at least 1 100 req/s`."""
    estimate = item[1].candidate.estimate
    if estimate is None:
        return "no result"
    return format_estimate(estimate.estimate, None, None, info.unit, is_bound=estimate.is_bound)


def list_sentences(group: GroupAnswer) -> list[str]:
    """Return the result of a group in at most two sentences, its trials, and the host's limit."""
    if not group.is_usable:
        return []
    sentences = describe_compared(
        group.ranking.ranking, group.ranking.metric, has_headline=bool(group.behind)
    )
    detectable = describe_detectable(group.ranking.ranking.detectable_ratio)
    return [*sentences[:_MOST_SENTENCES], describe_trials([group]), *detectable]


def describe_detectable(ratio: float) -> list[str]:
    """Return which differences a calibrated host can detect; nothing for another host."""
    if ratio <= 1:
        return []
    return [f"This host detects differences of {format_percent(ratio)} and more."]


def describe_trials(groups: Sequence[GroupAnswer]) -> str:
    """Return how many trials the usable results have: `Each result has 5 trials.`"""
    counts = [
        ranked.candidate.estimate.n
        for group in groups
        for _, ranked in group.usable
        if ranked.candidate.estimate
    ]
    fewest, most = min(counts), max(counts)
    if len(counts) == 1:
        return f"The result has {most} trials."
    if fewest == most:
        return f"Each result has {most} trials."
    return f"Each result has {fewest} to {most} trials."


def describe_line(group: GroupAnswer) -> str:
    """Return the answer of a group in one short line: `Vert.x: 61 µs; Node.js 1.54×`."""
    info = group.ranking.info
    if not group.is_usable:
        return f"{make_headline(group)}."
    leaders = group.leaders
    if not leaders:
        return f"{make_headline(group)}."
    if not group.behind and len(group.usable) > 1:
        is_alike = are_equivalent([ranked for _, ranked in leaders])
        state = PairState.EQUIVALENT if is_alike else PairState.UNDECIDED
        return f"{state.words.capitalize()}: {_show_span(leaders, info)}."
    figures = f"{_name_leaders(group)}: {_show_span(leaders, info)}"
    following = describe_next(group)
    return f"{figures}; {following}." if following else f"{figures}."


def _show_span(items: Sequence[Ranked], info: MetricInfo) -> str:
    """Return the first and the last value: `61 µs to 63 µs`, or one value if they look alike."""
    shown = dict.fromkeys(show_value(item, info) for item in (items[0], items[-1]))
    return " to ".join(shown)


def _name_leaders(group: GroupAnswer) -> str:
    names = list_names(group.leaders)
    if len(names) > MOST_NAMED:
        return f"{len(names)} of {len(group.usable)} results"
    is_alike = are_equivalent([ranked for _, ranked in group.leaders])
    return join_words(names) if is_alike else join_choices(names)


def list_next(groups: Sequence[GroupAnswer]) -> list[tuple[str, Comparison]]:
    """Return the best result behind the leaders of each group, compared with the best."""
    found = (find_next([ranked for _, ranked in group.usable]) for group in groups)
    return [following for following in found if following is not None]


def describe_next(group: GroupAnswer) -> str | None:
    """Return the first result behind the leaders with its difference: `Node.js 1.54× more`."""
    return describe_following([group])


def describe_following(groups: Sequence[GroupAnswer]) -> str | None:
    """Return the differences of the results behind the leaders: `Node.js 1.54 to 2.10× more`.

    A group in which all results share the lead has none.
    """
    found = list_next(groups)
    if not found:
        return None
    names = {name for name, _ in found}
    name = names.pop() if len(names) == 1 else "the next results"
    words = find_words(groups[0].ranking.metric)
    is_more = found[0][1].is_more
    return f"{name} {format_sizes([each for _, each in found], words, is_more=is_more)}"


def summarise(group: GroupAnswer) -> str:
    """Return headline and next result in one line, for lists."""
    headline = make_headline(group)
    # Of leaders that cannot be told apart yet, the headline has no lead.
    is_open = group.is_usable and not are_equivalent([ranked for _, ranked in group.leaders])
    following = describe_next(group) if is_open else None
    return f"{headline}; next: {following}" if following else headline


def title_of(metric: Metric) -> str:
    """Return the title of a metric for the middle of a sentence."""
    return lower_title(METRICS[metric].title)
