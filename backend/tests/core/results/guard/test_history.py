"""The history of an own service: steps between neighbours, and what confirms them."""

from datetime import UTC, datetime, timedelta

import pytest

from backend.core.measurement.statistics.guard import ChangeState
from backend.core.results.guard.document import (
    CheckCalls,
    ComparedCheck,
    GuardedLoad,
    GuardedMetric,
    GuardReport,
    HistoryPart,
    ScriptOutcome,
    ServiceVersion,
)
from backend.core.results.guard.history import CommitChange, MeasuredCommit, build_histories
from backend.core.units import Metric, RuntimeKind

AT = datetime(2026, 11, 30, tzinfo=UTC)
BEGIN, FIRST, SECOND, THIRD = "a" * 40, "b" * 40, "c" * 40, "d" * 40


def measured(
    head: str,
    low: float,
    high: float,
    *,
    base: str = BEGIN,
    day: int = 0,
    host: str = "bench-1",
    metric: Metric = Metric.CPU_US_PER_REQUEST,
    state: ChangeState = ChangeState.UNKNOWN,
    part: HistoryPart = HistoryPart.POINT,
) -> MeasuredCommit:
    """Return a guard of a commit whose only metric has an interval."""
    is_known = state is not ChangeState.UNKNOWN
    change = GuardedMetric(
        metric=metric,
        state=state,
        limit=0.03,
        pairs=5,
        low=low,
        high=high,
        ratio=(low + high) / 2 if is_known else None,
        base=100.0 if is_known else None,
        head=100.0 if is_known else None,
    )
    report = GuardReport(
        service="shop",
        base=ServiceVersion(name=base[:10], commit=base),
        head=ServiceVersion(name=head[:10], commit=head),
        loads=(GuardedLoad(load="main", engine="k6", pairs=5, changes=(change,)),),
        host=host,
        runtime=RuntimeKind.PROCESS,
        most_minutes=15,
        history=part,
    )
    return MeasuredCommit(f"{base[0]}-{head[0]}-{day}", AT + timedelta(days=day), report)


def change_of(history: list[MeasuredCommit], at: int = -1) -> CommitChange:
    [found] = build_histories(history)
    [change] = found.points[at].changes
    return change


@pytest.mark.parametrize(
    ("metric", "low", "high", "step"),
    [
        (Metric.CPU_US_PER_REQUEST, 1.05, 1.08, ChangeState.WORSE),
        (Metric.CPU_US_PER_REQUEST, 0.9, 0.95, ChangeState.BETTER),
        (Metric.THROUGHPUT_RPS, 1.05, 1.08, ChangeState.BETTER),
        (Metric.THROUGHPUT_RPS, 0.9, 0.95, ChangeState.WORSE),
        (Metric.CPU_US_PER_REQUEST, 1.01, 1.08, None),
    ],
)
def test_a_step_lies_beyond_the_interval_of_the_commit_before(
    metric: Metric, low: float, high: float, step: ChangeState | None
) -> None:
    history = [
        measured(FIRST, 0.98, 1.02, metric=metric),
        measured(SECOND, low, high, metric=metric, day=1),
    ]

    assert change_of(history, 0).step is None
    assert change_of(history).step is step


@pytest.mark.parametrize(
    ("state", "is_confirmed"),
    [(ChangeState.WORSE, True), (ChangeState.UNKNOWN, False), (ChangeState.WITHIN_LIMIT, False)],
)
def test_a_guard_of_both_commits_confirms_a_step(state: ChangeState, is_confirmed: bool) -> None:
    confirmation = measured(
        SECOND, 1.02, 1.09, base=FIRST, day=2, state=state, part=HistoryPart.CONFIRMATION
    )
    history = [measured(FIRST, 0.98, 1.02), measured(SECOND, 1.05, 1.08, day=1), confirmation]

    assert change_of(history).confirmed_by == (confirmation.slug if is_confirmed else None)


def test_a_commit_that_is_measured_again_has_its_newest_result() -> None:
    history = [
        measured(FIRST, 0.98, 1.02),
        measured(SECOND, 1.05, 1.08, day=1),
        measured(SECOND, 0.99, 1.03, day=2),
    ]

    [found] = build_histories(history)

    assert [point.slug for point in found.points] == ["a-b-0", "a-c-2"]
    assert change_of(history).step is None


def test_each_reference_and_host_has_a_history_the_newest_first() -> None:
    history = [
        measured(FIRST, 0.98, 1.02),
        measured(FIRST, 0.98, 1.02, host="bench-2", day=1),
        measured(THIRD, 1.5, 1.6, host="bench-2", day=2),
        # A commit of a history becomes the reference of the next one.
        measured(SECOND, 0.98, 1.02, base=FIRST, day=3),
    ]

    found = build_histories(history)

    assert [(item.reference.commit, item.host, len(item.points)) for item in found] == [
        (FIRST, "bench-1", 1),
        (BEGIN, "bench-2", 2),
        (BEGIN, "bench-1", 1),
    ]


def test_a_commit_with_other_responses_is_left_out() -> None:
    commit = measured(SECOND, 0.98, 1.02)
    check = ComparedCheck(name="is 200", base=CheckCalls(passes=9), head=CheckCalls(fails=9))
    broken = GuardedLoad(load="main", engine="k6", script=ScriptOutcome(trials=1, checks=(check,)))
    report = commit.report.model_copy(update={"loads": (broken,)})

    assert build_histories([MeasuredCommit("x", AT, report)]) == []


def test_versions_without_a_commit_have_no_history() -> None:
    commit = measured(FIRST, 0.98, 1.02)
    tree = commit.report.model_copy(update={"head": ServiceVersion(name="working tree")})

    assert build_histories([MeasuredCommit("x", AT, tree)]) == []
