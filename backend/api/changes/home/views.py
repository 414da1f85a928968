"""The state of the installation as the home page shows it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from backend.api.changes.home.schemas import (
    Home,
    HostQueue,
    LatestResultOut,
    NewestScheduledRun,
    ResultShiftOut,
    ScheduleState,
)
from backend.api.changes.incidents.schemas import IncidentItem
from backend.api.changes.incidents.views import read_incident_items
from backend.api.operations.hosts.states import find_state
from backend.api.runs.list_items import read_run_items
from backend.core.catalog import repository as catalog
from backend.core.changes.incidents.listing import find_open
from backend.core.changes.schedules import repository as schedules
from backend.core.changes.schedules.latest_results import (
    ResultShift,
    ScheduleResult,
    list_latest_results,
)
from backend.core.changes.schedules.repository import ScheduledRunRow
from backend.core.changes.schedules.timing import describe
from backend.core.models import Framework, Scenario, Schedule
from backend.core.people.access.viewer import Viewer
from backend.core.results.ranking.comparison_text import format_comparison
from backend.core.runs.queue.host_activity import list_host_activities
from backend.core.runs.queue.waiting import QueueEnds, find_queue_ends
from backend.core.statuses import ScheduledRunStatus
from backend.core.units import METRICS

_MOST_INCIDENTS = 5


def read_home(session: Session, viewer: Viewer) -> Home:
    """Return what the home page shows."""
    open_incidents, incidents = home_incidents(session, viewer)
    return Home(
        open_incidents=open_incidents,
        incidents=incidents,
        schedules=home_schedules(session, viewer),
        hosts=home_hosts(session, viewer),
    )


def home_incidents(session: Session, viewer: Viewer) -> tuple[int, list[IncidentItem]]:
    """Return the number of open incidents, and the largest: regressions first."""
    found = find_open(session, viewer, _MOST_INCIDENTS)
    items = read_incident_items(session, found.largest, viewer)
    # Runs may be deleted in the meantime.
    return found.total, [items[key] for key in found.largest if key in items]


def home_schedules(session: Session, viewer: Viewer) -> list[ScheduleState]:
    """Return schedules with their newest result and its difference from the one before."""
    shown = schedules.list_schedules(session, viewer)
    ids = [schedule.id for schedule in shown]
    newest = schedules.list_scheduled_runs(session, ids, 1)
    latest = list_latest_results(session, ids, viewer)
    results = _LatestResults(session, list(latest.values()), viewer)
    return [
        _schedule_out(schedule, newest[schedule.id], results.show(latest.get(schedule.id)))
        for schedule in shown
    ]


class _LatestResults:
    """Maps the newest results of all schedules to their schema."""

    def __init__(self, session: Session, latest: Sequence[ScheduleResult], viewer: Viewer) -> None:
        shifts = [shift for result in latest for shift in result.shifts]
        frameworks = {shift.framework for shift in shifts}
        scenarios = {shift.scenario for shift in shifts}
        self._frameworks: Mapping[str, Framework] = catalog.find_frameworks(
            session, frameworks, with_removed=True, names_only=True
        )
        self._scenarios: Mapping[str, Scenario] = catalog.find_scenarios(
            session, scenarios, with_removed=True, names_only=True
        )
        self._items = read_run_items(session, [result.run_id for result in latest], viewer)

    def show(self, result: ScheduleResult | None) -> LatestResultOut | None:
        # A run may be deleted in the meantime.
        if result is None or result.run_id not in self._items:
            return None
        return LatestResultOut(
            run=self._items[result.run_id],
            previous_slug=result.previous,
            compared=result.compared,
            shifts=[self._shift_out(shift) for shift in result.shifts],
        )

    def _shift_out(self, shift: ResultShift) -> ResultShiftOut:
        found = shift.found
        assert found.ratio is not None  # No main metric is a share.
        return ResultShiftOut.of(
            found,
            framework=self._frameworks[shift.framework],
            scenario=self._scenarios[shift.scenario],
            metric=shift.metric,
            metric_title=METRICS[shift.metric].title,
            is_better=bool(found.is_better),
            text=format_comparison(found),
        )


def _schedule_out(
    schedule: Schedule, newest: Sequence[ScheduledRunRow], latest: LatestResultOut | None
) -> ScheduleState:
    return ScheduleState.of(
        schedule,
        words=describe(schedule.cron),
        next_at=_start_at(schedule.next_at),
        newest=_newest_out(newest) if newest else None,
        latest=latest,
    )


def _start_at(next_at: datetime | None) -> datetime | None:
    """Return when a scheduled run starts. An overdue run starts within seconds."""
    now = datetime.now(UTC).replace(microsecond=0)
    return None if next_at is None else max(next_at, now)


def _newest_out(newest: Sequence[ScheduledRunRow]) -> NewestScheduledRun:
    """Return the newest scheduled run; of several hosts, a missed run if there is one."""
    missed = [run for run in newest if run.status is ScheduledRunStatus.MISSED]
    shown = (missed or newest)[0]
    return NewestScheduledRun.of(shown)


def home_hosts(session: Session, viewer: Viewer) -> list[HostQueue]:
    """Return bench hosts with their queues, as far as the viewer sees their runs."""
    queues = find_queue_ends(session, viewer)
    return [
        HostQueue.of(
            host,
            state=find_state(host),
            disk_shortage=host.shortage,
            current_run=queue.current,
            queued_trials=queue.last.trials,
            wait_seconds=queue.last.seconds,
        )
        for host in list_host_activities(session, viewer.workspace)
        for queue in [queues.get(host.id, QueueEnds())]
    ]
