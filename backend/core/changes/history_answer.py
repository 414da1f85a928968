"""Answer whether a framework has become faster or slower, from the changes of its history; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import prod
from uuid import UUID

from backend.core.changes.detection import MIN_POINTS, Sensitivity
from backend.core.changes.history.service import EnvironmentEvent, Series
from backend.core.changes.history_changes import SeenChange
from backend.core.numbers import count_of, format_figure, format_ratio, join_first, name_in_sentence
from backend.core.results.loads import name_subject
from backend.core.results.ranking.metric_words import find_words, lower_title
from backend.core.statuses import ChangeStatus
from backend.core.units import METRICS, Direction, Metric, MetricInfo

_CERTAINTY = {
    ChangeStatus.CONFIRMED: "It was confirmed by hand.",
    ChangeStatus.TESTING: "A confirmation run of both builds is not finished yet.",
    ChangeStatus.SUSPECTED: "No confirmation run has confirmed it yet.",
}
# The framework is not the cause of a change with these statuses.
_WITHOUT_CAUSE = (ChangeStatus.DISMISSED, ChangeStatus.HOST_DRIFT)
_NAMED_SUBJECTS = 3
# An event this near to a change may have caused it.
_NEAR_POINTS = 2
_PER_CENT = "\u202f%"
# Smaller p-values are shown as this power of ten.
_MOST_EXPONENT = 12


@dataclass(frozen=True)
class HistoryAnswer:
    """The answer of a history about one framework.

    Attributes:
        series: position of the series that the answer is about, the longest of the framework.
        is_better: whether the level after the last shift is better. None if no level shift is
            found, or if there are too few points.
        since: time of the first point of the current level.
        change_id: the stored change, if there is one.
    """

    series: int
    is_better: bool | None
    headline: str
    sentences: Sequence[str]
    since: datetime | None
    change_id: UUID | None


def answer_history(
    series: Sequence[Series],
    changes: Sequence[Sequence[SeenChange]],
    events: Sequence[Sequence[EnvironmentEvent]],
    names: Mapping[str, str],
    metric: Metric,
    sensitivity: Sensitivity,
) -> list[HistoryAnswer]:
    """Return one answer for each framework with points, in the order of the series.

    Args:
        changes, events: of each series.
        names: of the frameworks, by slug.
    """
    longest: dict[str, int] = {}
    for index, line in enumerate(series):
        known = longest.setdefault(line.framework, index)
        if len(line.points) > len(series[known].points):
            longest[line.framework] = index
    return [
        _answer(
            index,
            series[index],
            changes[index],
            events[index],
            name_in_sentence(names[slug]),
            metric,
            sensitivity,
        )
        for slug, index in longest.items()
    ]


def _answer(
    index: int,
    line: Series,
    changes: Sequence[SeenChange],
    events: Sequence[EnvironmentEvent],
    name: str,
    metric: Metric,
    sensitivity: Sensitivity,
) -> HistoryAnswer:
    info = METRICS[metric]
    counted = [point for point in line.points if not point.excluded]
    own = [seen for seen in changes if _find_status(seen) not in _WITHOUT_CAUSE]
    if not own:
        headline, sentences = _describe_steady(line, changes, name, info, sensitivity)
        return HistoryAnswer(index, None, headline, sentences, None, None)
    last = own[-1]
    since = line.points[last.point.index].at
    is_up = last.point.ratio > 1
    is_slower = is_up == (info.direction is Direction.LOWER)
    shift = _describe_shift(last, info, name, is_up=is_up, is_slower=is_slower)
    sentences = [
        f"{info.title} is at {_show_ratio(last)} of the level before.",
        _describe_certainty(last),
        *_describe_cause(last, events),
        *_describe_earlier(own),
        f"{count_of(len(counted), 'usable result')} on {line.host}.",
    ]
    return HistoryAnswer(
        series=index,
        is_better=not is_slower,
        headline=f"{shift} since {show_start(since, counted[-1].at)}",
        sentences=sentences,
        since=since,
        change_id=last.known.id if last.known else None,
    )


def _describe_steady(
    line: Series,
    changes: Sequence[SeenChange],
    name: str,
    info: MetricInfo,
    sensitivity: Sensitivity,
) -> tuple[str, list[str]]:
    """Return headline and sentences about a series without a change of the framework."""
    counted = [point for point in line.points if not point.excluded]
    where = f"on {line.host}"
    if not counted:
        headline = f"Every result of {name} {where} is excluded"
        return headline, ["A check failed in each run. Open a run for the reason."]
    if len(counted) < MIN_POINTS:
        headline = f"Not known yet: {name} has {count_of(len(counted), 'usable result')} {where}"
        return headline, [f"The search for level shifts needs at least {MIN_POINTS}."]
    title = lower_title(info.title)
    first = _show_date(counted[0].at)
    headline = f"No level shift found in {title} of {name} since {first}"
    least = format_figure(round(100 * (sensitivity.min_ratio - 1), 1))
    sentences = [
        f"{count_of(len(counted), 'usable result')} {where} show no level shift at "
        f"p ≤ {_show_p(sensitivity.p_value)}. Shifts below {least}{_PER_CENT} are not reported.",
    ]
    drifts = [seen for seen in changes if _find_status(seen) is ChangeStatus.HOST_DRIFT]
    if drifts:
        at = _show_date(line.points[drifts[-1].point.index].at)
        sentences.append(
            f"The shift to {_show_ratio(drifts[-1])} of {at} is host drift: the builds do not "
            "explain it."
        )
    return headline, sentences


def _describe_shift(
    seen: SeenChange, info: MetricInfo, name: str, *, is_up: bool, is_slower: bool
) -> str:
    """Return `Node.js has been slower in latency p50`, or with `(worse)` how a value changed.

    Only a confirmed change is stated as a fact.
    """
    has_been = "has been" if _find_status(seen) is ChangeStatus.CONFIRMED else "may have been"
    words = find_words(info.metric)
    if words.is_framework:
        return f"{name} {has_been} {words.adjective(is_more=is_up)} in {lower_title(info.title)}"
    judged = "worse" if is_slower else "better"
    return f"{info.title} of {name} {has_been} {words.adjective(is_more=is_up)} ({judged})"


def _find_status(seen: SeenChange) -> ChangeStatus:
    """Return the status of a change. Nobody has tested a change that is not stored."""
    return seen.known.status if seen.known else ChangeStatus.SUSPECTED


def _describe_certainty(seen: SeenChange) -> str:
    tested = seen.known
    if tested and tested.status is ChangeStatus.CONFIRMED and tested.confirmation_ratio is not None:
        ratio = format_ratio(
            tested.confirmation_ratio, tested.confirmation_low, tested.confirmation_high
        )
        certainty = f"A confirmation run of both builds confirmed it and measured {ratio}."
    else:
        certainty = _CERTAINTY[_find_status(seen)]
    sign = "<" if seen.point.p_value < 10**-_MOST_EXPONENT else "="
    adjusted = " The shift that all services of the runs share is subtracted."
    return (
        f"{certainty} p {sign} {_show_p(seen.point.p_value)}."
        f"{adjusted if seen.point.is_adjusted else ''}"
    )


def _describe_cause(seen: SeenChange, events: Sequence[EnvironmentEvent]) -> list[str]:
    near = [event for event in events if abs(event.index - seen.point.index) <= _NEAR_POINTS]
    subjects = list(
        dict.fromkeys(
            name_subject(difference.subject) for event in near for difference in event.differences
        )
    )
    if not subjects:
        return []
    return [f"Changed at about the same time: {join_first(subjects, _NAMED_SUBJECTS)}."]


def _describe_earlier(own: Sequence[SeenChange]) -> list[str]:
    if len(own) == 1:
        return []
    whole = prod(seen.point.ratio for seen in own)
    return [
        f"Together with {count_of(len(own) - 1, 'earlier shift')}, the level is at "
        f"{format_ratio(whole, None, None)} of the first."
    ]


def _show_ratio(seen: SeenChange) -> str:
    return format_ratio(seen.point.ratio, seen.point.low, seen.point.high)


def show_start(at: datetime, last: datetime) -> str:
    """Return the date, or the time if the last point is of the same day."""
    is_same_day = at.astimezone(UTC).date() == last.astimezone(UTC).date()
    return f"{at.astimezone(UTC):%H:%M} UTC on {_show_date(at)}" if is_same_day else _show_date(at)


def _show_date(at: datetime) -> str:
    return f"{at.day} {at:%b %Y}"


def _show_p(p_value: float) -> str:
    """Return a p-value with one digit: `0.03` or `3 · 10⁻⁵`."""
    if p_value >= 1e-3:
        return f"{p_value:.1g}"
    shown = max(p_value, 10**-_MOST_EXPONENT)
    digit, _, exponent = f"{shown:.0e}".partition("e-")
    raised = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(place)] for place in exponent.lstrip("0"))
    return f"{'' if digit == '1' else f'{digit} · '}10⁻{raised}"
