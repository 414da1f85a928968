"""Decide whether the result of a scheduled run has arrived: a pure function."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from backend.core.statuses import MissReason, RunStatus, ScheduledRunStatus

# A restart of a worker takes much less.
OFFLINE_TOLERATED = timedelta(minutes=10)


@dataclass(frozen=True)
class Facts:
    """Facts about a started scheduled run."""

    status: ScheduledRunStatus
    run_status: RunStatus
    trials_failed: int
    expected_by: datetime
    host: str
    host_seen_at: datetime


@dataclass(frozen=True)
class ScheduledRunJudgement:
    """The new status of a scheduled run; `is_final` if it will not change again."""

    status: ScheduledRunStatus
    is_final: bool
    reason: MissReason | None = None
    detail: str = ""


def judge(facts: Facts, now: datetime) -> ScheduledRunJudgement | None:
    """Return the new status of a scheduled run; None if it has not changed."""
    was_missed = facts.status is ScheduledRunStatus.MISSED
    if facts.run_status is RunStatus.SUCCEEDED:
        arrived = ScheduledRunStatus.LATE if was_missed else ScheduledRunStatus.ARRIVED
        return ScheduledRunJudgement(arrived, is_final=True)
    if facts.run_status is RunStatus.CANCELLED:
        return ScheduledRunJudgement(ScheduledRunStatus.CANCELLED, is_final=True)
    if facts.run_status is RunStatus.FAILED:
        detail = f"{facts.trials_failed} of its trials failed; the run shows why."
        return ScheduledRunJudgement(ScheduledRunStatus.MISSED, True, MissReason.RUN_FAILED, detail)
    return None if was_missed else _judge_unfinished(facts, now)


def _judge_unfinished(facts: Facts, now: datetime) -> ScheduledRunJudgement | None:
    if now - facts.host_seen_at > OFFLINE_TOLERATED:
        seen = facts.host_seen_at.strftime("%Y-%m-%d %H:%M UTC")
        detail = f"{facts.host} sent its last heartbeat on {seen}; start its worker."
        return ScheduledRunJudgement(
            ScheduledRunStatus.MISSED, False, MissReason.HOST_OFFLINE, detail
        )
    if now > facts.expected_by:
        by = facts.expected_by.strftime("%Y-%m-%d %H:%M UTC")
        detail = f"The run is still {facts.run_status}; its end was expected by {by}."
        return ScheduledRunJudgement(ScheduledRunStatus.MISSED, False, MissReason.OVERDUE, detail)
    return None
