"""The monitoring of scheduled results."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from backend.core.changes.schedules.watch import Facts, judge
from backend.core.statuses import MissReason, RunStatus, ScheduledRunStatus

NOW = datetime(2026, 11, 21, 3, tzinfo=UTC)
FINE = Facts(
    status=ScheduledRunStatus.WAITING,
    run_status=RunStatus.RUNNING,
    trials_failed=0,
    expected_by=NOW + timedelta(minutes=1),
    host="bench-01",
    host_seen_at=NOW - timedelta(seconds=10),
)


@pytest.mark.parametrize(
    ("before", "ended", "after"),
    [
        (ScheduledRunStatus.WAITING, RunStatus.SUCCEEDED, ScheduledRunStatus.ARRIVED),
        (ScheduledRunStatus.MISSED, RunStatus.SUCCEEDED, ScheduledRunStatus.LATE),
        (ScheduledRunStatus.WAITING, RunStatus.CANCELLED, ScheduledRunStatus.CANCELLED),
        (ScheduledRunStatus.WAITING, RunStatus.FAILED, ScheduledRunStatus.MISSED),
        (ScheduledRunStatus.MISSED, RunStatus.FAILED, ScheduledRunStatus.MISSED),
    ],
)
def test_an_end_is_final(
    before: ScheduledRunStatus, ended: RunStatus, after: ScheduledRunStatus
) -> None:
    judgement = judge(replace(FINE, status=before, run_status=ended, trials_failed=2), NOW)

    assert judgement is not None
    assert (judgement.status, judgement.is_final) == (after, True)
    if ended is RunStatus.FAILED:
        assert judgement.reason is MissReason.RUN_FAILED
        assert judgement.detail.startswith("2 of its trials failed")
