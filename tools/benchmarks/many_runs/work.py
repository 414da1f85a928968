"""Data around runs: schedules, incidents, limits, and the queues of the hosts."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
from sqlalchemy import delete, select, text
from sqlalchemy.orm import Session

from backend.core.catalog.manifest import FrameworkManifest
from backend.core.changes.series import key_of
from backend.core.db import new_id
from backend.core.documents import EACH, CellRequest, RunRequest
from backend.core.models import (
    Cell,
    CellSummary,
    Change,
    Framework,
    Host,
    HostEvent,
    Incident,
    Run,
    Scenario,
    Schedule,
    Slo,
    Trial,
    User,
    Webhook,
    Workspace,
)
from backend.core.runs.status import RUN_ENDS, TRIAL_ENDS
from backend.core.statuses import ChangeStatus, IncidentKind, Visibility, WebhookEvent
from backend.core.units import Metric, ProfileKind
from tools.benchmarks.many_runs.copies import disable_triggers
from tools.benchmarks.many_runs.size import QUEUED_PER_HOST, Size
from tools.benchmarks.many_runs.templates import Templates, draw_pairs_at_once
from tools.benchmarks.scale import SeededPair, choose_pairs, draw_run
from tools.benchmarks.seed_scale import copy_rows

_METRICS = (Metric.CPU_US_PER_REQUEST, Metric.LATENCY_P99_MS, Metric.MEMORY_PEAK_BYTES)
_OPEN_INCIDENTS = 12
_HOST_EVENTS = 40
_LARGEST_SHIFT = 0.2
_MOST_TRIALS = 5
_DELIVERIES = """
INSERT INTO webhook_delivery (id, webhook_id, event, body, status, due_at, attempts, log,
  created_at)
SELECT gen_random_uuid(), :webhook, 'run.finished', jsonb_build_object('run', slug)::text,
  'delivered', finished_at, 1, '[]', finished_at
FROM run WHERE workspace_id = :workspace AND seconds_removed_at IS NULL
  AND finished_at IS NOT NULL
"""
_SCHEDULED_RUNS = """
INSERT INTO scheduled_run (id, schedule_id, due_at, host_id, run_id, status, detail, skipped,
  is_watched, created_at)
SELECT gen_random_uuid(), (:schedules)[1 + copy.schedule], copy.at, copy.host_id, copy.run_id,
  'arrived', '', 0, false, copy.at
FROM scale_copy AS copy WHERE copy.schedule IS NOT NULL
"""
# A run, and the earlier run of the same series.
_NEIGHBOURS = """
SELECT before_run, run_id FROM (
  SELECT copy.run_id, copy.at,
    lag(copy.run_id) OVER (PARTITION BY copy.template, copy.host_id, copy.workspace_id
      ORDER BY copy.number) AS before_run
  FROM scale_copy AS copy
  JOIN run AS old ON old.id = copy.template
  WHERE old.status = 'succeeded' AND old.purpose = 'comparison'
) AS pair WHERE before_run IS NOT NULL ORDER BY at
"""


def add_schedules(
    session: Session, hosts: Sequence[Host], workspace_id: UUID, templates: Templates
) -> None:
    """Store the schedules and their scheduled runs: the first on each host, others on one."""
    ids = []
    for number, template in enumerate(templates.scheduled):
        cells = session.scalars(select(Cell).where(Cell.run_id == template).order_by(Cell.position))
        request = RunRequest(
            cells=[_request_cell(session, cell) for cell in cells.all()],
            trials=5,
            host=None if number == 0 else hosts[number % len(hosts)].name,
            hosts=EACH if number == 0 else None,
            visibility=Visibility.PUBLIC,
        )
        schedule = Schedule(
            id=new_id(),
            workspace_id=workspace_id,
            name=f"Nightly {number:02}",
            cron=f"{number} 2 * * *",
            time_zone="UTC",
            request=request,
            # None starts while the pages are measured.
            next_at=datetime.now(UTC) + timedelta(days=1),
        )
        session.add(schedule)
        ids.append(schedule.id)
    session.flush()
    disable_triggers(session)
    session.execute(text(_SCHEDULED_RUNS), {"schedules": ids})


def _request_cell(session: Session, cell: Cell) -> CellRequest:
    framework = session.get_one(Framework, cell.framework_id)
    scenario = session.get_one(Scenario, cell.scenario_id)
    return CellRequest(framework.slug, scenario.slug, cell.profile, dict(cell.parameters))


def add_incidents(session: Session, size: Size) -> None:
    """Store incidents with three changes each; the newest ones are open."""
    rng = np.random.default_rng(5)
    pairs = session.execute(text(_NEIGHBOURS)).all()
    chosen = [pairs[place] for place in np.linspace(0, len(pairs) - 1, size.incidents).astype(int)]
    for number, (before_run, after_run) in enumerate(chosen):
        before, after = _first_cells(session, before_run), _first_cells(session, after_run)
        is_open = number >= size.incidents - _OPEN_INCIDENTS
        incident = Incident(
            id=new_id(),
            workspace_id=after.workspace_id,
            kind=IncidentKind.SERVICE,
            host_id=after.host_id,
            framework=after.framework,
            at=after.at,
            announced_at=after.at,
            found_at=after.at,
        )
        session.add(incident)
        session.flush()
        status = ChangeStatus.CONFIRMED
        if is_open:
            status = (ChangeStatus.SUSPECTED, ChangeStatus.CONFIRMED)[number % 2]
        elif number % 2:
            status = ChangeStatus.DISMISSED
        for metric in _METRICS:
            ratio = float(1 + rng.uniform(-_LARGEST_SHIFT, _LARGEST_SHIFT))
            session.add(
                Change(
                    workspace_id=after.workspace_id,
                    series_digest=key_of(after, metric).digest,
                    framework=after.framework,
                    scenario=after.scenario,
                    profile=after.profile,
                    kind=after.kind,
                    parameters=after.parameters,
                    metric=metric,
                    runtime=after.runtime,
                    host_id=after.host_id,
                    host_digest=after.host_digest,
                    harness_digest=after.harness_digest,
                    scenario_digest=after.scenario_digest,
                    at=after.at,
                    before_cell_id=before.cell_id,
                    after_cell_id=after.cell_id,
                    ratio=ratio,
                    low=ratio * 0.97,
                    high=ratio * 1.03,
                    p_value=0.001,
                    status=status,
                    reason="The level of the series shifted.",
                    acknowledged_at=None if is_open else after.at,
                    incident_id=incident.id,
                    found_at=after.at,
                    changed_at=after.at,
                )
            )
    _add_host_events(session, chosen)


def _is_simple(pair: SeededPair) -> bool:
    """Return whether only one service runs, under a set rate."""
    manifest = FrameworkManifest.model_validate(pair.framework.manifest)
    implemented = manifest.scenarios[pair.scenario.slug]
    has_others = bool(implemented.backing_services or implemented.peers)
    return pair.kind == ProfileKind.RATE and not has_others


def _first_cells(session: Session, run_id: UUID) -> CellSummary:
    query = select(CellSummary).join(Cell, Cell.id == CellSummary.cell_id)
    query = query.where(CellSummary.run_id == run_id).order_by(Cell.position).limit(1)
    return session.scalars(query).one()


def _add_host_events(session: Session, pairs: Sequence[tuple[UUID, UUID]]) -> None:
    for _, run_id in pairs[:: max(1, len(pairs) // _HOST_EVENTS)]:
        cell = _first_cells(session, run_id)
        session.add(
            HostEvent(
                workspace_id=cell.workspace_id,
                host_id=cell.host_id,
                run_id=run_id,
                metric=Metric.LATENCY_P99_MS,
                at=cell.at,
                ratio=1.1,
                series_shifted=5,
                series_total=6,
                found_at=cell.at,
            )
        )


def add_limits_and_webhooks(session: Session, workspace_id: UUID) -> None:
    """Store SLOs, and a webhook that is switched off, with the messages that it received."""
    for scenario in ("hello", "articles", "slow-upstream"):
        session.add(
            Slo(
                workspace_id=workspace_id,
                scenario=scenario,
                metric=Metric.LATENCY_P99_MS,
                limit=100,
            )
        )
    webhook = Webhook(
        id=new_id(),
        workspace_id=workspace_id,
        url="https://example.org/hook",
        description="Finished runs",
        events=[WebhookEvent.RUN_FINISHED],
        secret="none",  # noqa: S106  nothing is sent
        enabled=False,
    )
    session.add(webhook)
    session.flush()
    session.execute(text(_DELIVERIES), {"webhook": webhook.id, "workspace": workspace_id})


def remove_queue(session: Session) -> None:
    """Delete the runs that have not ended, which an earlier measurement left.

    The dispatcher deletes ended trials of deleted runs. Tacho itself deletes no other runs.
    """
    session.execute(delete(Trial).where(Trial.status.not_in(TRIAL_ENDS)))
    session.execute(delete(Run).where(Run.status.not_in(RUN_ENDS)))


def add_queue(session: Session) -> None:
    """Queue runs for each host. They are the newest runs, and their loads have a set rate.

    The first run of each host has few trials, so that runs end while pages are measured.
    """
    hosts = session.scalars(select(Host).order_by(Host.name)).all()
    workspaces = session.scalars(select(Workspace.id).order_by(Workspace.created_at)).all()
    people = session.scalars(select(User.email).order_by(User.email)).all()
    rng = np.random.default_rng(6)
    pairs = [pair for pair in draw_pairs_at_once(session, rng) if _is_simple(pair)]
    count = QUEUED_PER_HOST * len(hosts)
    begin = datetime.now(UTC) - timedelta(hours=2)
    drawn = []
    for number in range(count):
        host, turn = hosts[number % len(hosts)], number // len(hosts)
        trials = 1 + number % _MOST_TRIALS if turn == 0 else _MOST_TRIALS
        row = draw_run(
            rng,
            host,
            choose_pairs(rng, pairs, 10 * number + 1),
            number,
            begin + number * timedelta(seconds=20),
            trials,
        )
        drawn.append(row)
    first, *others = workspaces
    waiting = {"status": "queued", "started_at": None, "finished_at": None}
    runs = []
    for number, row in enumerate(drawn):
        is_first = number % 3 != 0
        # Followers of other workspaces may open it.
        visibility = Visibility.PRIVATE if is_first and number % 5 == 0 else Visibility.PUBLIC
        runs.append(
            row.run
            | waiting
            | {
                "finalized_at": None,
                "visibility": visibility,
                "workspace_id": first if is_first else others[number % len(others)],
                "requested_by": people[number % len(people)],
            }
        )
    copy_rows(session, Run, runs)
    copy_rows(session, Cell, [cell for row in drawn for cell in row.cells])
    kept = ("id", "run_id", "cell_id", "host_id", "repetition", "position")
    copy_rows(
        session,
        Trial,
        [
            {name: trial[name] for name in kept} | {"status": "queued"}
            for row in drawn
            for trial in row.trials
        ],
    )
