"""History as the API gives it."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from backend.api.changes.history.schemas import (
    DetectorTest,
    HistoryAnswerOut,
    HistoryChange,
    HistoryDifference,
    HistoryEvent,
    HistoryLoadOut,
    HistoryPoint,
    HistorySeries,
    KnownChange,
)
from backend.api.schemas import FrameworkRef
from backend.core.changes.history.service import EnvironmentEvent, HistoryLoad, Series
from backend.core.changes.history_answer import HistoryAnswer
from backend.core.changes.history_changes import SeenChange
from backend.core.changes.self_test import SelfTest

_POINTS = TypeAdapter(list[HistoryPoint])


def show_series(
    series: Series,
    framework: FrameworkRef,
    changes: Sequence[SeenChange],
    events: Sequence[EnvironmentEvent],
) -> HistorySeries:
    return HistorySeries(
        framework=framework,
        host=series.host,
        runtime=series.runtime,
        profile=series.profile,
        parameters=series.parameters,
        points=_POINTS.validate_python(series.points, from_attributes=True),
        changes=show_changes(series, changes),
        events=[_show_event(series, event) for event in events],
    )


def show_load(load: HistoryLoad) -> HistoryLoadOut:
    return HistoryLoadOut(
        key=load.key,
        profile=load.row.profile,
        kind=load.row.kind,
        parameters=load.parameters,
        points=load.row.points,
        at=load.row.at,
    )


def show_answer(series: Sequence[Series], answer: HistoryAnswer) -> HistoryAnswerOut:
    return HistoryAnswerOut(
        framework=series[answer.series].framework,
        series=answer.series,
        is_better=answer.is_better,
        headline=answer.headline,
        sentences=list(answer.sentences),
        since=answer.since,
        change_id=answer.change_id,
    )


def show_changes(series: Series, changes: Sequence[SeenChange]) -> list[HistoryChange]:
    return [_show_change(series, change) for change in changes]


def _show_change(series: Series, change: SeenChange) -> HistoryChange:
    point, found, known = series.points[change.point.index], change.point, change.known
    return HistoryChange(
        index=found.index,
        at=point.at,
        run_slug=point.run_slug,
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        p_value=found.p_value,
        is_adjusted=found.is_adjusted,
        known=None if known is None else KnownChange(id=known.id, status=known.status),
    )


def show_test(test: SelfTest | None) -> DetectorTest | None:
    if test is None:
        return None
    return DetectorTest(
        ratio=test.ratio,
        injections=test.injections,
        found=test.found,
        shuffles=test.shuffles,
        alarms=test.alarms,
    )


def _show_event(series: Series, event: EnvironmentEvent) -> HistoryEvent:
    return HistoryEvent(
        index=event.index,
        at=series.points[event.index].at,
        differences=[
            HistoryDifference(
                subject=difference.subject, before=difference.one, after=difference.other
            )
            for difference in event.differences
        ],
    )
