"""GET /home."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from uuid import UUID

from fastapi import Response
from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.changes.incidents import IncidentItem, read_incident_items
from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.hosts.schemas import HostState
from backend.api.operations.hosts.states import find_state
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.runs.list_items import read_run_items
from backend.api.runs.schemas import RunListItem
from backend.api.schemas import FrameworkRef, ScenarioRef
from backend.core.bodies import Schema
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
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.ranking.comparison_text import format_comparison
from backend.core.runs.queue.host_activity import list_host_activities
from backend.core.runs.queue.waiting import QueueEnds, find_queue_ends
from backend.core.statuses import MissReason, ScheduledRunStatus
from backend.core.units import METRICS, Metric, RuntimeKind


class ResultShiftOut(Schema):
    """A result that differs from the result of the run before."""

    framework: FrameworkRef
    scenario: ScenarioRef
    metric: Metric
    metric_title: str = Field(examples=["CPU per request"])
    is_better: bool
    text: str = Field(
        description="The ratio with its interval, new divided by old.",
        examples=["1.08× [1.05, 1.11]"],
    )
    ratio: float
    low: float | None
    high: float | None


class LatestResultOut(Schema):
    """The newest result of a schedule, compared with the result before it."""

    run: RunListItem
    previous_slug: str | None = Field(description="Null if there is no earlier run.")
    compared: int = Field(
        description="Number of results that were measured under the same conditions in both runs."
    )
    shifts: list[ResultShiftOut] = Field(
        description="Results that differ (Holm-corrected at 5 %), the largest difference first."
    )


class NewestScheduledRun(Schema):
    """The newest start time of a schedule, and whether its result arrived."""

    due_at: datetime
    status: ScheduledRunStatus
    reason: MissReason | None


class ScheduleState(Schema):
    id: UUID
    name: str
    words: str = Field(examples=["At 02:00 every day"])
    host: str = Field(
        description="The host of its runs. With several hosts: their names, or `each host`."
    )
    next_at: datetime | None = Field(description="Null while the schedule is paused.")
    newest: NewestScheduledRun | None = Field(description="Null before the first start time.")
    latest: LatestResultOut | None = Field(description="Null before the first result.")


class CurrentRun(Schema):
    slug: str
    title: str


class HostQueue(Schema):
    """A bench host with its queue."""

    name: str
    state: HostState
    runtime: RuntimeKind
    seen_at: datetime
    disk_shortage: str | None = Field(
        None,
        description="Which disk of the host or database has too little free space, so that its "
        "runs wait. Null if none.",
    )
    is_usable: bool = Field(description="Whether runs of the caller's workspace may use the host.")
    current_run: CurrentRun | None
    queued_trials: int = Field(description="Trials that have not ended.")
    wait_seconds: float = Field(
        description="Expected time until a run that is requested now starts, without builds."
    )


class Home(Schema):
    open_incidents: int
    incidents: list[IncidentItem] = Field(
        description="The largest open incidents: regressions first, at most five."
    )
    schedules: list[ScheduleState] = Field(description="By name.")
    hosts: list[HostQueue]


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


router = NounRouter(tags=["home"], dependencies=[needs(Permission.OPEN)])


@router.get("/home", response_model=Home, responses=problems(422) | NOT_MODIFIED)
async def get_home(responder: ResponderDep) -> Response:
    """Return open incidents, the newest result of each schedule, and the queues of hosts."""
    return await responder.respond(read_home)
