"""Whether the results of a series are within the limits (SLOs) of a workspace; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from backend.core.changes.history.service import Series
from backend.core.changes.history_answer import show_start
from backend.core.measurement.statistics.estimate import is_open_interval
from backend.core.models import Slo
from backend.core.results.slos import applies, describe_limit, is_within
from backend.core.units import Metric


@dataclass(frozen=True)
class LimitState:
    """The state of a limit in a series.

    Attributes:
        is_within: whether the newest usable result is within the limit; None without any.
        since: time of the first usable result since which this has not changed.
        text: `Within the limit of at most 5 ms since 25 Nov 2026`.
    """

    slo: Slo
    is_within: bool | None
    since: datetime | None
    text: str


def judge_limits(
    slos: Sequence[Slo], line: Series, scenario: str, metric: Metric
) -> list[LimitState]:
    """Return the state of each limit that applies to a series.

    Results that meet no limit whatever their value, because they are excluded from ranking or are
    only bounds, do not count.
    """
    return [
        _judge(slo, line)
        for slo in slos
        if slo.metric == metric
        and applies(slo, line.framework, scenario, line.profile, line.parameters)
    ]


def _judge(slo: Slo, line: Series) -> LimitState:
    words = f"the limit of {describe_limit(slo)}"
    usable = [
        point
        for point in line.points
        if not point.is_unranked and not is_open_interval(point.low, point.high)
    ]
    if not usable:
        text = f"Not known whether it is within {words}: every result is excluded from ranking"
        return LimitState(slo, None, None, text)
    now = is_within(slo, usable[-1].estimate)
    same = list(takewhile(lambda point: is_within(slo, point.estimate) is now, reversed(usable)))
    since = same[-1].at
    start = show_start(since, usable[-1].at)
    later = "" if usable[-1] is line.points[-1] else "; newer results are excluded from ranking"
    return LimitState(
        slo, now, since, f"{'Within' if now else 'Beyond'} {words} since {start}{later}"
    )
