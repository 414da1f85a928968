"""The answer of a sweep: who leads at which values, and where the order changes; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from backend.core.measurement.statistics.comparison import PairState
from backend.core.numbers import format_figure, join_choices
from backend.core.results.loads import describe_parameter
from backend.core.results.ranking.candidate_ranking import RankedCandidate
from backend.core.results.ranking.comparison_text import describe_differences
from backend.core.results.ranking.headline import describe_best
from backend.core.results.ranking.metric_words import name_best
from backend.core.results.ranking.sentence import are_equivalent
from backend.core.results.run_results.answer.group import GroupAnswer, Ranked
from backend.core.results.run_results.answer.headline import (
    NO_RESULT,
    describe_following,
    describe_line,
    describe_trials,
    list_next,
    make_headline,
    show_value,
    title_of,
)
from backend.core.results.run_results.answer.load import name_swept
from backend.core.results.run_results.answer.model import AnswerLine, make_line
from backend.core.results.run_results.groups import ResultBlock

# More segments than these do not fit into a headline.
_MOST_SEGMENTS = 2
_BOTH = 2


@dataclass(frozen=True)
class SweepAnswer:
    """The answer of a sweep.

    Attributes:
        following: how far behind the next results are, if the headline does not show it.
        leaders: the frameworks that lead at all values; there may be none.
    """

    headline: str
    following: str | None
    sentences: Sequence[str]
    lines: Sequence[AnswerLine]
    leaders: Sequence[str]
    trials: str | None


@dataclass(frozen=True)
class _Segment:
    """Neighbouring values at which the same frameworks lead, by slug."""

    leaders: tuple[str, ...]
    first: str
    last: str


def answer_sweep(block: ResultBlock, groups: Sequence[GroupAnswer]) -> SweepAnswer:
    """Return the answer of a block that sweeps a parameter.

    Args:
        groups: those of the block, in its order.
    """
    labels = [name_swept(block, group.ranking.group) for group in groups]
    points = [point for point in zip(labels, groups, strict=True) if point[1].is_usable]
    lines = [
        make_line(group.ranking.group.key, label, describe_line(group), group.leading_slugs)
        for label, group in zip(labels, groups, strict=True)
    ]
    segments = _list_segments(points)
    is_alone = all(len(group.ranking.group.cells) == 1 for group in groups)
    sentences = [] if is_alone else [*_describe_order(points), *_describe_largest(points)]
    leaders = segments[0].leaders if len(segments) == 1 and not is_alone else ()
    return SweepAnswer(
        headline=_make_headline(block, points, segments, is_alone=is_alone),
        following=_describe_open(points) if leaders else None,
        sentences=sentences,
        lines=lines,
        leaders=leaders,
        trials=describe_trials([group for _, group in points]) if points else None,
    )


def _list_segments(points: Sequence[tuple[str, GroupAnswer]]) -> list[_Segment]:
    """Return the fewest segments in which at least one framework leads at every value."""
    segments: list[_Segment] = []
    for label, group in points:
        leaders = group.leading_slugs
        if segments:
            current = segments[-1]
            common = tuple(slug for slug in current.leaders if slug in leaders)
            if common or not (leaders and current.leaders):
                kept = common or current.leaders or leaders
                segments[-1] = _Segment(kept, current.first, label)
                continue
        segments.append(_Segment(leaders, label, label))
    return segments


def _make_headline(
    block: ResultBlock,
    points: Sequence[tuple[str, GroupAnswer]],
    segments: Sequence[_Segment],
    *,
    is_alone: bool,
) -> str:
    if not points:
        return NO_RESULT
    if len(points) == 1:
        return f"{make_headline(points[0][1])} at {points[0][0]}"
    if is_alone:
        return _describe_span(points)
    parameter = describe_parameter(block.parameter or "").title.lower()
    info = points[0][1].ranking.info
    if len(segments) > _MOST_SEGMENTS:
        return f"{name_best(info)}: which framework that is changes with the {parameter}"
    names = _names(points)
    if len(segments) > 1:
        first, second = segments
        before, after = (join_choices([names[slug] for slug in each.leaders]) for each in segments)
        return f"{name_best(info)}: {before} up to {first.last}, {after} from {second.first}"
    where = _name_points(block, [group for _, group in points])
    return _describe_leaders(points, segments[0], names, where)


def _name_points(block: ResultBlock, groups: Sequence[GroupAnswer]) -> str:
    """Return `at 200 and 400 req/s`, or `from 100 to 400 req/s` for more than two values."""
    first = groups[0].ranking.group.parameters[block.parameter or ""]
    last = name_swept(block, groups[-1].ranking.group)
    if len(groups) == _BOTH:
        return f"at {format_figure(first)} and {last}"
    return f"from {format_figure(first)} to {last}"


def _describe_span(points: Sequence[tuple[str, GroupAnswer]]) -> str:
    """Return the first and the last value of the only framework."""
    (first, one), (last, other) = points[0], points[-1]
    info = one.ranking.info
    before, after = (show_value(group.usable[0], info) for group in (one, other))
    name = one.usable[0][0].name_in_sentence
    return f"{info.title} of {name}: {before} at {first}, {after} at {last}"


def _describe_leaders(
    points: Sequence[tuple[str, GroupAnswer]],
    segment: _Segment,
    names: Mapping[str, str],
    where: str,
) -> str:
    """Describe the frameworks that lead at every value, such as `at 200 and 400 req/s`."""
    info = points[0][1].ranking.info
    are_alike = all(are_equivalent([item[1] for item in group.leaders]) for _, group in points)
    if not any(group.behind for _, group in points):
        state = PairState.EQUIVALENT if are_alike else PairState.UNDECIDED
        return f"All results {'are ' * are_alike}{state.words} in {title_of(info.metric)} {where}"
    leaders = [names[slug] for slug in segment.leaders]
    is_alone = all(set(group.leading_slugs) == set(segment.leaders) for _, group in points)
    return describe_best(
        leaders,
        len(names),
        info,
        where=where,
        are_alike=are_alike,
        is_alone=is_alone,
        behind=list_next([group for _, group in points]),
    )


def _describe_open(points: Sequence[tuple[str, GroupAnswer]]) -> str | None:
    """Return how far the next results are behind leaders that cannot be told apart yet."""
    groups = [group for _, group in points]
    is_open = any(not are_equivalent([item[1] for item in group.leaders]) for group in groups)
    return describe_following(groups) if is_open else None


def _names(points: Sequence[tuple[str, GroupAnswer]]) -> dict[str, str]:
    return {
        result.cell.framework.slug: result.name_in_sentence
        for _, group in points
        for result, _ in group.usable
    }


def _describe_order(points: Sequence[tuple[str, GroupAnswer]]) -> list[str]:
    """Return the first value at which a known order of two frameworks is reversed."""
    if len(points) < 2:
        return []
    names = _names(points)
    known: dict[tuple[str, str], str] = {}
    for label, group in points:
        by_slug = {result.cell.framework.slug: ranked for result, ranked in group.usable}
        for pair in combinations(sorted(by_slug), 2):
            better = _find_better(group, *(by_slug[slug] for slug in pair))
            if better is None:
                continue
            slug = pair[better]
            if known.setdefault(pair, slug) != slug:
                other = pair[1 - better]
                return [f"The order changes at {label}: {names[slug]} passes {names[other]}."]
    if not known:
        return []
    return ["The order is the same at all values, as far as the results can be told apart."]


def _find_better(group: GroupAnswer, first: RankedCandidate, second: RankedCandidate) -> int | None:
    """Return 0 or 1, whichever is better; None if this is not known."""
    if first.rank is None or second.rank is None or first.rank == second.rank:
        return None
    candidates = group.ranking.ranking.candidates
    position = next(at for at, item in enumerate(candidates) if item is second)
    if position in (*first.equivalent, *first.undecided):
        return None
    return 0 if first.rank < second.rank else 1


def _describe_largest(points: Sequence[tuple[str, GroupAnswer]]) -> list[str]:
    """Return the largest difference from the best, and the value at which it is."""
    found: list[tuple[float, str, GroupAnswer, Ranked]] = []
    for label, group in points:
        for item in group.usable:
            ranked = item[1]
            if ranked.ratio is not None and ranked.state is PairState.DIFFERENCE:
                found.append((ranked.ratio.comparison.size, label, group, item))
    if not found:
        return []
    _, label, group, (result, ranked) = max(found, key=lambda each: each[0])
    baseline = group.ranking.baseline
    if ranked.ratio is None or baseline is None:
        return []
    named = [(result.name_in_sentence, ranked.ratio.comparison)]
    difference = describe_differences(named, group.ranking.info, baseline.name_in_sentence)
    return [f"The largest difference is at {label}: {difference}."]
