"""The spans of a trial."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from backend.core.tracing import FinishedSpan
from worker.pipeline.trace import list_spans
from worker.stages.assignment import Assignment

QUEUED = datetime(2026, 11, 25, 12, tzinfo=UTC)
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SECOND_NS = 1_000_000_000


def to_ns(moment: datetime) -> int:
    return round(moment.timestamp()) * SECOND_NS


BEGIN_NS = to_ns(QUEUED + timedelta(seconds=40))


@pytest.fixture
def traced(assignment: Assignment) -> Assignment:
    return replace(assignment, queued_at=QUEUED, traceparent=PARENT)


def trace(assignment: Assignment, begin_ns: int = BEGIN_NS) -> list[FinishedSpan]:
    return list_spans(assignment, begin_ns, {"building": 2.0, "starting": 0.5}, "succeeded")


def test_the_wait_is_followed_by_the_trial_with_its_stages(traced: Assignment) -> None:
    queue, trial = trace(traced)

    assert (queue.name, queue.begin_ns, queue.end_ns) == ("queue", to_ns(QUEUED), BEGIN_NS)
    assert (trial.name, trial.begin_ns) == ("trial", BEGIN_NS)
    assert trial.end_ns == BEGIN_NS + 2.5 * SECOND_NS
    assert [(span.name, span.begin_ns, span.end_ns) for span in trial.children] == [
        ("building", BEGIN_NS, BEGIN_NS + 2 * SECOND_NS),
        ("starting", BEGIN_NS + 2 * SECOND_NS, trial.end_ns),
    ]
    assert trial.attributes["tacho.trial_id"] == str(traced.trial_id)
    assert trial.attributes["tacho.result"] == "succeeded"


def test_a_clock_behind_that_of_the_api_gives_no_negative_wait(traced: Assignment) -> None:
    behind_ns = to_ns(QUEUED) - 5 * SECOND_NS
    queue, _ = trace(traced, behind_ns)

    assert queue.begin_ns == queue.end_ns == behind_ns


@pytest.mark.parametrize("change", [{"attempt": 2}, {"traceparent": None}])
def test_another_attempt_and_a_run_without_a_trace_have_no_wait(
    traced: Assignment, change: dict[str, Any]
) -> None:
    assert [span.name for span in trace(replace(traced, **change))] == ["trial"]
