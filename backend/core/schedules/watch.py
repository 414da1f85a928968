"""Whether the result that a schedule promised has arrived: a pure function."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from backend.core.runs.status import RunStatus

# A worker that restarts is back long before.
OFFLINE_TOLERATED = timedelta(minutes=10)


class ScheduledRunStatus(StrEnum):
    """WAITING until the run ends or is given up; LATE is what arrived after it was missed."""

    WAITING = "waiting"
    ARRIVED = "arrived"
    LATE = "late"
    MISSED = "missed"
    CANCELLED = "cancelled"


class MissReason(StrEnum):
    """Why a result did not arrive."""

    REFUSED = "refused"
    PREVIOUS_UNFINISHED = "previous_unfinished"
    TACHO_DOWN = "tacho_down"
    HOST_OFFLINE = "host_offline"
    OVERDUE = "overdue"
    RUN_FAILED = "run_failed"


@dataclass(frozen=True)
class Facts:
    """What is known of a started scheduled run."""

    status: ScheduledRunStatus
    run_status: RunStatus
    trials_failed: int
    expected_by: datetime
    host: str
    host_seen_at: datetime


@dataclass(frozen=True)
class ScheduledRunJudgement:
    """What becomes of it; `is_final` when nothing more is to come."""

    status: ScheduledRunStatus
    is_final: bool
    reason: MissReason | None = None
    detail: str = ""


def judge(facts: Facts, now: datetime) -> ScheduledRunJudgement | None:
    """None while there is nothing to say that was not said."""
    was_missed = facts.status is ScheduledRunStatus.MISSED
    if facts.run_status is RunStatus.SUCCEEDED:
        arrived = ScheduledRunStatus.LATE if was_missed else ScheduledRunStatus.ARRIVED
        return ScheduledRunJudgement(arrived, is_final=True)
    if facts.run_status is RunStatus.CANCELLED:
        return ScheduledRunJudgement(ScheduledRunStatus.CANCELLED, is_final=True)
    if facts.run_status is RunStatus.FAILED:
        detail = f"{facts.trials_failed} of its trials failed; the run says why."
        return ScheduledRunJudgement(ScheduledRunStatus.MISSED, True, MissReason.RUN_FAILED, detail)
    return None if was_missed else _judge_unfinished(facts, now)


def _judge_unfinished(facts: Facts, now: datetime) -> ScheduledRunJudgement | None:
    if now - facts.host_seen_at > OFFLINE_TOLERATED:
        seen = facts.host_seen_at.strftime("%Y-%m-%d %H:%M UTC")
        detail = f"{facts.host} was last heard of on {seen}; start its worker."
        return ScheduledRunJudgement(
            ScheduledRunStatus.MISSED, False, MissReason.HOST_OFFLINE, detail
        )
    if now > facts.expected_by:
        by = facts.expected_by.strftime("%Y-%m-%d %H:%M UTC")
        detail = f"The run is {facts.run_status} still; its end was expected by {by}."
        return ScheduledRunJudgement(ScheduledRunStatus.MISSED, False, MissReason.OVERDUE, detail)
    return None
