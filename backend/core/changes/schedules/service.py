"""Create, change and pause schedules, start due runs, and monitor their results."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog.repository import find_host
from backend.core.changes.schedules import repository
from backend.core.changes.schedules.timing import check_timing, count_times, find_latest, list_times
from backend.core.changes.schedules.watch import Facts, judge
from backend.core.changes.webhooks.service import describe_run, describe_schedule, emit
from backend.core.documents import RunRequest
from backend.core.errors import Conflict, InvalidRequest, TachoError
from backend.core.models import Run, Schedule, ScheduledRun
from backend.core.runs import groups
from backend.core.runs import repository as runs
from backend.core.runs.progress import expected_trial_seconds
from backend.core.runs.queue import repository as queues
from backend.core.runs.service import create_run
from backend.core.runs.trials import repository as trials
from backend.core.statuses import (
    MissReason,
    ScheduledRunStatus,
    TrialStatus,
    WebhookEvent,
)

MAX_SCHEDULES = 100
# Allows for builds, restarts and other runs on the host.
_MARGIN = timedelta(minutes=15)
_MARGIN_FACTOR = 2


def create_schedule(
    session: Session,
    workspace_id: UUID,
    *,
    name: str,
    cron: str,
    time_zone: str,
    request: RunRequest,
) -> Schedule:
    """Create a schedule; all its runs use the same hosts.

    Raises:
        InvalidRequest: the timing or the run is not valid.
        TooLarge, Unavailable: as for the run itself.
        Conflict: there are MAX_SCHEDULES already.
    """
    check_timing(cron, time_zone)
    if repository.count_schedules(session, workspace_id) >= MAX_SCHEDULES:
        raise Conflict(f"There are {MAX_SCHEDULES} schedules already; delete one first.")
    schedule = Schedule(
        workspace_id=workspace_id,
        name=name,
        cron=cron,
        time_zone=time_zone,
        request=_pin(session, workspace_id, request),
        next_at=_next_time(cron, time_zone),
    )
    session.add(schedule)
    session.flush()
    return schedule


def change_schedule(
    session: Session,
    workspace_id: UUID,
    schedule_id: UUID,
    *,
    name: str | None = None,
    cron: str | None = None,
    time_zone: str | None = None,
    request: RunRequest | None = None,
    enabled: bool | None = None,
) -> Schedule:
    """Change the given values; `enabled` pauses or resumes.

    Raises:
        NotFound: there is no such schedule.
        InvalidRequest, TooLarge, Unavailable: as for create_schedule.
    """
    schedule = repository.lock_schedule(session, workspace_id, schedule_id)
    was_enabled = schedule.next_at is not None
    if name is not None:
        schedule.name = name
    if request is not None:
        schedule.request = _pin(session, workspace_id, request)
    if cron is not None or time_zone is not None:
        schedule.cron = schedule.cron if cron is None else cron
        schedule.time_zone = schedule.time_zone if time_zone is None else time_zone
        check_timing(schedule.cron, schedule.time_zone)
    is_enabled = was_enabled if enabled is None else enabled
    timing_changed = cron is not None or time_zone is not None
    if not is_enabled:
        schedule.next_at = None
    elif timing_changed or not was_enabled:
        # Start times that passed during a pause are skipped.
        schedule.next_at = _next_time(schedule.cron, schedule.time_zone)
    session.flush()
    return schedule


def start_due(session: Session, schedule_id: UUID, now: datetime) -> Sequence[ScheduledRun]:
    """Start the runs of a due schedule once, no matter how many start times have passed.

    Each host gets a run, and the runs of several hosts form a group. If a run cannot be started,
    its scheduled run counts as missed.

    Returns:
        A scheduled run for each host; nothing if another process has just started the schedule.
    """
    schedule = repository.claim_due(session, schedule_id, now)
    if schedule is None or schedule.next_at is None:
        return []
    latest = find_latest(schedule.cron, schedule.time_zone, now)
    due_at = max(latest, schedule.next_at)
    skipped = count_times(schedule.cron, schedule.time_zone, schedule.next_at, due_at)
    schedule.next_at = list_times(schedule.cron, schedule.time_zone, now, 1)[0]
    try:
        hosts = _list_hosts(session, schedule)
    except TachoError as error:
        scheduled_run = _begin(session, schedule, due_at, None)
        _miss(session, schedule, scheduled_run, MissReason.REFUSED, error.detail)
        started = [scheduled_run]
    else:
        started = [_begin(session, schedule, due_at, host) for host in hosts]
    if skipped:
        started[0].skipped = skipped
        detail = (
            f"{skipped} earlier start times passed while Tacho was down; only this run was started."
        )
        _announce_miss(session, schedule, started[0], MissReason.TACHO_DOWN, detail)
    waiting = [scheduled_run for scheduled_run in started if scheduled_run.reason is None]
    _start(session, schedule, waiting)
    return started


def start_now(session: Session, workspace_id: UUID, schedule_id: UUID) -> Run:
    """Start a schedule's runs now, and return the first. Their results are monitored too.

    Raises:
        Conflict: the previous run has not ended on any host.
        NotFound, and as create_run: no run could be started.
    """
    schedule = repository.lock_schedule(session, workspace_id, schedule_id)
    now = datetime.now(UTC)
    hosts = _list_hosts(session, schedule)
    started, refusals = _start(
        session, schedule, [_begin(session, schedule, now, host) for host in hosts]
    )
    if not started:
        raise refusals[0]
    return started[0]


def watch(session: Session, scheduled_run_id: UUID, now: datetime) -> None:
    """Store whether the result of a scheduled run has arrived; send a webhook if it has not."""
    scheduled_run = repository.claim_watched(session, scheduled_run_id)
    if scheduled_run is None or scheduled_run.run is None or scheduled_run.expected_by is None:
        return
    run = scheduled_run.run
    failed = trials.count_trials(session, [run.id])[run.id].get(TrialStatus.FAILED, 0)
    facts = Facts(
        status=scheduled_run.status,
        run_status=run.status,
        trials_failed=failed,
        expected_by=scheduled_run.expected_by,
        host=run.host.name,
        host_seen_at=run.host.seen_at,
    )
    judgement = judge(facts, now)
    if judgement is None:
        return
    scheduled_run.is_watched = not judgement.is_final
    if judgement.reason is None:
        scheduled_run.status = judgement.status
    elif facts.status is ScheduledRunStatus.MISSED:
        # The webhook was sent already; only the reason has changed.
        scheduled_run.reason, scheduled_run.detail = judgement.reason, judgement.detail
    else:
        is_watched = scheduled_run.is_watched
        _miss(session, scheduled_run.schedule, scheduled_run, judgement.reason, judgement.detail)
        scheduled_run.is_watched = is_watched


def _pin(session: Session, workspace_id: UUID, request: RunRequest) -> RunRequest:
    try:
        return groups.check_runs(session, workspace_id, request)
    except InvalidRequest as error:
        faults = [{**problem, "field": f"run.{problem['field']}"} for problem in error.problems]
        raise InvalidRequest(f"run.{error.detail}", faults) from error


def _next_time(cron: str, time_zone: str) -> datetime:
    return list_times(cron, time_zone, datetime.now(UTC), 1)[0]


def _list_hosts(session: Session, schedule: Schedule) -> Sequence[str]:
    """Return the names of the hosts of a schedule at this time; raise as groups.choose_hosts."""
    request = schedule.request
    if request.host is not None:
        return [request.host]
    return groups.choose_hosts(session, schedule.workspace_id, request)


def _begin(
    session: Session, schedule: Schedule, due_at: datetime, host_name: str | None
) -> ScheduledRun:
    host = None if host_name is None else find_host(session, host_name)
    scheduled_run = ScheduledRun(
        schedule_id=schedule.id,
        due_at=due_at,
        host=host,
        status=ScheduledRunStatus.WAITING,
        is_watched=False,
    )
    session.add(scheduled_run)
    session.flush()
    return scheduled_run


def _start(
    session: Session, schedule: Schedule, scheduled_runs: Sequence[ScheduledRun]
) -> tuple[list[Run], list[TachoError]]:
    """Start the run of each scheduled run; those that cannot be started are missed.

    Returns:
        The runs, and why others were not started.
    """
    request = replace(schedule.request, title=schedule.request.title or schedule.name)
    started: list[Run] = []
    refusals: list[TachoError] = []
    for scheduled_run in scheduled_runs:
        host = request.host if scheduled_run.host is None else scheduled_run.host.name
        assert host is not None
        unfinished = repository.find_unfinished(session, schedule.id, host)
        reason = MissReason.PREVIOUS_UNFINISHED if unfinished else MissReason.REFUSED
        try:
            if unfinished is not None:
                raise Conflict(
                    f"Its run {unfinished.slug} on {host} has not ended, so no new run was started."
                    " Wait for it, or cancel it."
                )
            # It writes nothing if it raises.
            run = _create_run(session, schedule.workspace_id, request, host)
        except TachoError as error:
            _miss(session, schedule, scheduled_run, reason, error.detail)
            refusals.append(error)
        else:
            _attach(session, scheduled_run, run)
            started.append(run)
    if request.hosts is not None and started:
        groups.form_group(session, request, started)
    session.flush()
    return started, refusals


def _create_run(session: Session, workspace_id: UUID, request: RunRequest, host: str) -> Run:
    if request.hosts is None:
        return create_run(session, workspace_id, request)
    return groups.create_run_on(session, workspace_id, request, host)


def _attach(session: Session, scheduled_run: ScheduledRun, run: Run) -> None:
    """Monitor a run that was just queued."""
    waiting = queues.count_unfinished_alike(session, run.host_id)
    seconds = sum(count * expected_trial_seconds(parameters) for parameters, count in waiting)
    if run.goal is not None:
        # Further trials may follow, up to this limit.
        seconds += run.goal.max_minutes * 60
    foreseen = timedelta(seconds=seconds)
    scheduled_run.run_id = run.id
    run.is_scheduled = True
    scheduled_run.is_watched = True
    scheduled_run.expected_by = datetime.now(UTC) + _MARGIN_FACTOR * foreseen + _MARGIN


def _miss(
    session: Session,
    schedule: Schedule,
    scheduled_run: ScheduledRun,
    reason: MissReason,
    detail: str,
) -> None:
    scheduled_run.status = ScheduledRunStatus.MISSED
    scheduled_run.reason, scheduled_run.detail = reason, detail
    _announce_miss(session, schedule, scheduled_run, reason, detail)


def _announce_miss(
    session: Session,
    schedule: Schedule,
    scheduled_run: ScheduledRun,
    reason: MissReason,
    detail: str,
) -> None:
    run_id = scheduled_run.run_id
    run = None if run_id is None else runs.get_run(session, str(run_id))
    payload: Mapping[str, object] = {
        "schedule": describe_schedule(schedule),
        "scheduled_run": {
            "id": scheduled_run.id,
            "due_at": scheduled_run.due_at.isoformat(),
            "reason": reason,
            "detail": detail,
            "host": None if scheduled_run.host is None else scheduled_run.host.name,
        },
        "run": run and describe_run(run),
    }
    text = f"{schedule.name}: {detail}"
    emit(session, schedule.workspace_id, WebhookEvent.SCHEDULE_MISSED, text, payload)
