"""History as the API gives it."""

from collections.abc import Sequence

from backend.api.changes.history.schemas import (
    HistoryAnswerOut,
    HistoryChange,
    HistoryEvent,
    HistoryLimit,
    HistorySeries,
)
from backend.api.schemas import FrameworkRef
from backend.core.changes.history.service import EnvironmentEvent, Series
from backend.core.changes.history_answer import HistoryAnswer
from backend.core.changes.history_changes import SeenChange
from backend.core.changes.history_limits import LimitState


def show_series(
    series: Series,
    framework: FrameworkRef,
    changes: Sequence[SeenChange],
    events: Sequence[EnvironmentEvent],
    limits: Sequence[LimitState],
) -> HistorySeries:
    return HistorySeries.of(
        series,
        framework=framework,
        changes=show_changes(series, changes),
        events=[HistoryEvent.of(event, at=series.points[event.index].at) for event in events],
        limits=[HistoryLimit.of(limit) for limit in limits],
    )


def show_answer(series: Sequence[Series], answer: HistoryAnswer) -> HistoryAnswerOut:
    return HistoryAnswerOut.of(answer, framework=series[answer.series].framework)


def show_changes(series: Series, changes: Sequence[SeenChange]) -> list[HistoryChange]:
    return [
        HistoryChange.of(
            change.point,
            at=series.points[change.point.index].at,
            run_slug=series.points[change.point.index].run_slug,
            known=change.known,
        )
        for change in changes
    ]
