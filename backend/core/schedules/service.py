"""What can be done with schedules: make, change, pause, start what is due, watch over it."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.errors import Conflict, InvalidRequest, TachoError
from backend.core.models import Occurrence, Run, Schedule
from backend.core.runs import repository as runs
from backend.core.runs import service as run_service
from backend.core.runs.announcement import describe_run
from backend.core.runs.progress import expected_trial_seconds
from backend.core.runs.service import NewCell, NewRun
from backend.core.runs.status import RunStatus, TrialStatus
from backend.core.schedules import repository
from backend.core.schedules.timing import check_timing, count_times, find_latest, list_times
from backend.core.schedules.watch import Facts, MissReason, OccurrenceStatus, judge
from backend.core.units import Purpose
from backend.core.webhooks.events import WebhookEvent
from backend.core.webhooks.service import emit

MAX_SCHEDULES = 100
# Builds, restarts and other people's runs that come between.
_MARGIN = timedelta(minutes=15)
_MARGIN_FACTOR = 2


def create_schedule(
    session: Session, *, name: str, cron: str, time_zone: str, asked: NewRun
) -> Schedule:
    """Ask for a run by the clock from now on, always on the same host.

    Raises:
        InvalidRequest: timing or run; TooLarge, Unavailable: as for the run itself.
        Conflict: there are MAX_SCHEDULES already.
    """
    check_timing(cron, time_zone)
    if repository.count_schedules(session) >= MAX_SCHEDULES:
        raise Conflict(f"There are {MAX_SCHEDULES} schedules already; delete one first.")
    schedule = Schedule(
        name=name,
        cron=cron,
        time_zone=time_zone,
        request=_pin(session, asked),
        next_at=_next_time(cron, time_zone),
    )
    session.add(schedule)
    session.flush()
    return schedule


def change_schedule(
    session: Session,
    schedule_id: UUID,
    *,
    name: str | None = None,
    cron: str | None = None,
    time_zone: str | None = None,
    asked: NewRun | None = None,
    enabled: bool | None = None,
) -> Schedule:
    """Change what is given; `enabled` pauses and resumes. Raises as create_schedule, NotFound."""
    schedule = repository.lock_schedule(session, schedule_id)
    was_enabled = schedule.next_at is not None
    if name is not None:
        schedule.name = name
    if asked is not None:
        schedule.request = _pin(session, asked)
    if cron is not None or time_zone is not None:
        schedule.cron = schedule.cron if cron is None else cron
        schedule.time_zone = schedule.time_zone if time_zone is None else time_zone
        check_timing(schedule.cron, schedule.time_zone)
    is_enabled = was_enabled if enabled is None else enabled
    timing_changed = cron is not None or time_zone is not None
    if not is_enabled:
        schedule.next_at = None
    elif timing_changed or not was_enabled:
        # What came and went during a pause was not wanted.
        schedule.next_at = _next_time(schedule.cron, schedule.time_zone)
    session.flush()
    return schedule


def read_request(schedule: Schedule) -> NewRun:
    """The run that a schedule asks for."""
    stored = dict(schedule.request)
    cells = [NewCell(**cell) for cell in stored.pop("cells")]
    return NewRun(cells=cells, purpose=Purpose(stored.pop("purpose")), **stored)


def start_due(session: Session, schedule_id: UUID, now: datetime) -> Occurrence | None:
    """Start a schedule whose time has come, once, however many times came and went.

    None when another has just done so. A run that cannot be started is a missed occurrence.
    """
    schedule = repository.claim_due(session, schedule_id, now)
    if schedule is None or schedule.next_at is None:
        return None
    latest = find_latest(schedule.cron, schedule.time_zone, now)
    due_at = max(latest, schedule.next_at)
    skipped = count_times(schedule.cron, schedule.time_zone, schedule.next_at, due_at)
    schedule.next_at = list_times(schedule.cron, schedule.time_zone, now, 1)[0]
    occurrence = _begin(session, schedule, due_at)
    if skipped:
        occurrence.skipped = skipped
        detail = f"{skipped} earlier times came and went while Tacho was down; this one was run."
        _announce_miss(session, schedule, occurrence, MissReason.TACHO_DOWN, detail)
    unfinished = repository.find_unfinished(session, schedule.id)
    if unfinished is not None:
        detail = f"Its run {unfinished.slug} has not ended, so no other was started."
        _miss(session, schedule, occurrence, MissReason.PREVIOUS_UNFINISHED, detail)
        return occurrence
    try:
        _attach(session, occurrence, _start(session, schedule))
    except TachoError as error:
        # create_run writes nothing when it refuses.
        _miss(session, schedule, occurrence, MissReason.REFUSED, error.detail)
    session.flush()
    return occurrence


def start_now(session: Session, schedule_id: UUID) -> Run:
    """Start a schedule's run out of turn, watched like the others.

    Raises:
        Conflict: its run has not ended; NotFound, and as create_run.
    """
    schedule = repository.lock_schedule(session, schedule_id)
    unfinished = repository.find_unfinished(session, schedule.id)
    if unfinished is not None:
        raise Conflict(f"Its run {unfinished.slug} has not ended; wait for it, or cancel it.")
    run = _start(session, schedule)
    _attach(session, _begin(session, schedule, datetime.now(UTC)), run)
    session.flush()
    return run


def watch(session: Session, occurrence_id: UUID, now: datetime) -> None:
    """Write down whether a promised result has arrived, and tell when it has not."""
    occurrence = repository.claim_watched(session, occurrence_id)
    if occurrence is None or occurrence.run is None or occurrence.expected_by is None:
        return
    run = occurrence.run
    failed = runs.count_trials(session, [run.id])[run.id].get(TrialStatus.FAILED, 0)
    facts = Facts(
        status=OccurrenceStatus(occurrence.status),
        run_status=RunStatus(run.status),
        trials_failed=failed,
        expected_by=occurrence.expected_by,
        host=run.host.name,
        host_seen_at=run.host.seen_at,
    )
    judgement = judge(facts, now)
    if judgement is None:
        return
    occurrence.is_watched = not judgement.is_final
    if judgement.reason is None:
        occurrence.status = judgement.status
    elif facts.status is OccurrenceStatus.MISSED:
        # Told already; only the reason is better known now.
        occurrence.reason, occurrence.detail = judgement.reason, judgement.detail
    else:
        is_watched = occurrence.is_watched
        _miss(session, occurrence.schedule, occurrence, judgement.reason, judgement.detail)
        occurrence.is_watched = is_watched


def _pin(session: Session, asked: NewRun) -> dict[str, Any]:
    try:
        host = run_service.check_run(session, asked)
    except InvalidRequest as error:
        faults = [
            {**one, "field": f"run.{one['field']}"} for one in error.fields.get("problems", [])
        ]
        raise InvalidRequest(f"run.{error.detail}", faults) from error
    return asdict(replace(asked, host=host.name))


def _next_time(cron: str, time_zone: str) -> datetime:
    return list_times(cron, time_zone, datetime.now(UTC), 1)[0]


def _begin(session: Session, schedule: Schedule, due_at: datetime) -> Occurrence:
    occurrence = Occurrence(
        schedule_id=schedule.id, due_at=due_at, status=OccurrenceStatus.WAITING, is_watched=False
    )
    session.add(occurrence)
    session.flush()
    return occurrence


def _start(session: Session, schedule: Schedule) -> Run:
    asked = read_request(schedule)
    run, _ = run_service.create_run(session, replace(asked, title=asked.title or schedule.name))
    return run


def _attach(session: Session, occurrence: Occurrence, run: Run) -> None:
    """Watch over a run that was just queued."""
    waiting = runs.count_unfinished_alike(session, run.host_id)
    seconds = sum(count * expected_trial_seconds(parameters) for parameters, count in waiting)
    foreseen = timedelta(seconds=seconds)
    occurrence.run_id = run.id
    occurrence.is_watched = True
    occurrence.expected_by = datetime.now(UTC) + _MARGIN_FACTOR * foreseen + _MARGIN


def _miss(
    session: Session, schedule: Schedule, occurrence: Occurrence, reason: MissReason, detail: str
) -> None:
    occurrence.status = OccurrenceStatus.MISSED
    occurrence.reason, occurrence.detail = reason, detail
    _announce_miss(session, schedule, occurrence, reason, detail)


def _announce_miss(
    session: Session, schedule: Schedule, occurrence: Occurrence, reason: MissReason, detail: str
) -> None:
    run = None if occurrence.run_id is None else runs.get_run(session, str(occurrence.run_id))
    payload: Mapping[str, Any] = {
        "schedule": {
            "id": schedule.id,
            "name": schedule.name,
            "host": schedule.request["host"],
            "page": f"/schedules/{schedule.id}",
        },
        "occurrence": {
            "id": occurrence.id,
            "due_at": occurrence.due_at.isoformat(),
            "reason": reason,
            "detail": detail,
        },
        "run": run and describe_run(run),
    }
    emit(session, WebhookEvent.SCHEDULE_MISSED, payload)
