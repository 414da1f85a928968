"""An installation in which hidden runs are part of everything.

They are parents of reruns, calibrations, confirmation runs, host events, scheduled runs, studies
and the current trial. A stored guard is there too.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.changes.schedules.service import create_schedule
from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import Change, HostEvent, Run, RunGroup, Schedule, ScheduledRun
from backend.core.results import snapshots
from backend.core.results.guard.document import (
    GuardedLoad,
    GuardOrder,
    GuardReport,
    HistoryPart,
    ServiceVersion,
)
from backend.core.results.guard.requests import request_guard, store_source
from backend.core.results.guard.service import store_guard
from backend.core.runs import repository, service
from backend.core.runs.live.event_stream import RunStream, publish
from backend.core.runs.live.events import EndEvent
from backend.core.runs.slug import new_slug
from backend.core.statuses import RunStatus, StudyVariant, Visibility
from backend.core.units import Metric, Purpose, RuntimeKind
from backend.tests.factories import (
    HOST,
    add_host,
    ask_run,
    claim_next,
    first_workspace,
    succeed_next,
)
from backend.tests.histories import History
from backend.tests.openapi import openapi_document

HIDDEN = (Visibility.UNLISTED, Visibility.PRIVATE)
NULL = CellRequest("null-server", "hello", "rate-quick", {"rate_rps": 1000})
BUILDS = ({"node": "a" * 64}, {"node": "b" * 64})
STUDY = "jvm-backend-services"
GUARD_REPORT = GuardReport(
    service="shop",
    base=ServiceVersion(name="main", commit="a" * 40, title="Secret commit"),
    head=ServiceVersion(name="fix", commit="b" * 40),
    loads=(GuardedLoad(load="Secret load", engine="Tacho's sender"),),
    host="Secret runner",
    runtime=RuntimeKind.PROCESS,
    most_minutes=15,
    history=HistoryPart.POINT,
)
QUERIES: Mapping[str, Any] = {
    "framework": "node",
    "frameworks": "node,go-nethttp",
    "scenario": "hello",
    "host": HOST,
    "since": "2020-01-01T00:00:00Z",
    "sort": "longest",
    "cron": "0 2 * * *",
    "limit": 100,
    "service": GUARD_REPORT.service,
}
_GETS: Mapping[str, Any] = {
    path: methods["get"]
    for path, methods in openapi_document()["paths"].items()
    if "get" in methods
}
OPERATIONS = {path: get["x-permission"] for path, get in _GETS.items()}


@dataclass
class Known:
    """The public objects, and the runs that must stay hidden."""

    hidden: list[Run] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)
    queries: dict[str, Any] = field(default_factory=dict)

    def list_traces(self) -> dict[str, str]:
        """The texts that would reveal a hidden run, with their meaning."""
        traces: dict[str, str] = {}
        for run in self.hidden:
            name = f"{run.visibility} {run.purpose} {run.title!r}"
            traces |= {str(run.id): f"id of {name}", run.slug: f"slug of {name}"}
            traces |= {str(cell.id): f"cell of {name}" for cell in run.cells}
            traces |= {str(trial.id): f"trial of {name}" for trial in run.trials}
        return traces


def add_known() -> Known:
    """Add a host, public runs and hidden runs, and return what there is."""
    found = Known()
    with unit_of_work() as session:
        host_id = add_host(session).id
        ids = [run_id for visibility in HIDDEN for run_id in _hide(session, host_id, visibility)]
        public = _publish(session, host_id, found)
        ids += _link_hidden(session, host_id, public)
        # The last step, so that the host measures a hidden run while others wait.
        waiting = [
            ask_run(session, visibility=item, title=f"Secret wait {item}") for item in HIDDEN
        ]
        claim_next(session, host_id)
        found.paths["group"] = _group(session, [public, *waiting])
        found.paths["queued"] = ask_run(session, visibility="public", title="Waits").slug
        ids += [run.id for run in waiting]
        session.flush()
        found.hidden = [repository.get_run(session, str(run_id)) for run_id in ids]
        comparison = snapshots.save(session, first_workspace(session), {"saved": True}, [public])
        found.paths["comparison_hash"] = comparison
        found.paths["guard"] = store_guard(session, first_workspace(session), GUARD_REPORT).slug
        found.paths |= _request_guard(session)
        of_unlisted = select(Schedule.id).where(Schedule.name.contains("unlisted"))
        found.paths["schedule_id"] = str(session.scalars(of_unlisted).one())
    publish(RunStream(HOST, public.id), EndEvent(status=RunStatus.SUCCEEDED))
    return found


def _request_guard(session: Session) -> dict[str, str]:
    """Request a guard of the first workspace, and return the names in its paths."""
    digest = hashlib.sha256(b"files").hexdigest()
    store_source(session, first_workspace(session), digest, b"files")
    order = GuardOrder(
        service="orders",
        base=GUARD_REPORT.base,
        head=GUARD_REPORT.head,
        base_source=digest,
        head_source=digest,
        seed=1,
        on=HOST,
    )
    guard = request_guard(session, first_workspace(session), order, [RuntimeKind.PROCESS])
    return {"guard_id": str(guard.id), "digest": digest}


def url_of(path: str, names: Mapping[str, str]) -> str:
    """Return the address of an operation with these names in its path."""
    slugs = {
        "frameworks": "node",
        "scenarios": "hello",
        "studies": STUDY,
        "guards": names.get("guard", "nothing"),
    }
    noun = path.removeprefix("/api/v1/").partition("/")[0]
    return path.format(**{**names, "slug": slugs.get(noun, "")})


def select_queries(path: str, queries: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the parameters that an operation declares; none for a page."""
    declared = {
        parameter["name"]
        for parameter in _GETS.get(path, {}).get("parameters", [])
        if parameter["in"] == "query"
    }
    return {name: value for name, value in queries.items() if name in declared}


def _group(session: Any, runs: list[Run]) -> str:
    """Put public and private runs into one group, and return its slug."""
    grouped = [run for run in runs if run.visibility != Visibility.UNLISTED]
    group = RunGroup(
        slug=new_slug(), workspace_id=first_workspace(session), request_digest="of a test"
    )
    repository.add_group(session, group, grouped)
    return group.slug


def _hide(session: Any, host_id: UUID, visibility: Visibility) -> list[UUID]:
    """Create ended runs of every kind with this visibility, newer than all public runs."""
    ended = ask_run(session, visibility=visibility, title=f"Secret {visibility}")
    succeed_next(session, host_id)
    study = RunRequest(
        cells=[CellRequest("node", "hello")],
        trials=1,
        title=f"Secret study {visibility}",
        visibility=visibility,
        study=(STUDY, StudyVariant.QUICK),
    )
    reproduced = service.create_run(session, first_workspace(session), study)
    succeed_next(session, host_id)
    calibration = service.create_run(
        session,
        first_workspace(session),
        RunRequest(
            cells=[NULL],
            trials=1,
            title=f"Secret calibration {visibility}",
            visibility=visibility,
            purpose=Purpose.CALIBRATION,
        ),
    )
    succeed_next(session, host_id)
    return [ended.id, reproduced.id, calibration.id]


def _publish(session: Any, host_id: UUID, found: Known) -> Run:
    """Create public runs with a change between them. One of them is a rerun of a hidden run."""
    history = History(session, host_id)
    history.land(24, 10.0, BUILDS[0])
    history.land(6, 10.8, BUILDS[1])
    for confirmation in session.scalars(select(Run).where(Run.purpose == Purpose.CONFIRMATION)):
        service.cancel_run(session, repository.get_run(session, str(confirmation.id)))
    public = ask_run(session, visibility="public", title="Known")
    trial = succeed_next(session, host_id)
    (change,) = session.scalars(select(Change)).all()
    found.paths |= {
        "run_id": public.slug,
        "trial_id": str(trial.id),
        "cell_id": str(trial.cell_id),
        "change_id": str(change.id),
        "incident_id": str(change.incident_id),
        "name": HOST,
        "metric": "latency_p50_ms",
        "suffix": "json",
        "framework": "node",
        "scenario": "hello",
        "webhook_id": str(UUID(int=1)),
    }
    found.queries = {**QUERIES, "cells": [str(trial.cell_id)]}
    return public


def _link_hidden(session: Any, host_id: UUID, public: Run) -> list[UUID]:
    """Make public rows refer to hidden runs in every possible column."""
    (change,) = session.scalars(select(Change)).all()
    confirmation = session.get_one(Run, change.confirmation_run_id)
    confirmation.visibility, confirmation.title = "unlisted", "Secret confirmation"
    secret = session.scalars(select(Run).where(Run.title == "Secret unlisted")).one()
    public.rerun_of_id = secret.id
    event = HostEvent(
        workspace_id=first_workspace(session),
        host_id=host_id,
        run_id=secret.id,
        metric=Metric.LATENCY_P50_MS,
        at=datetime(2026, 11, 1, tzinfo=UTC),
        ratio=1.2,
        series_shifted=2,
        series_total=2,
    )
    session.add(event)
    session.flush()
    change.host_event_id = event.id
    schedules = [
        create_schedule(
            session,
            first_workspace(session),
            name=f"{visibility} schedule",
            cron="0 2 * * *",
            time_zone="UTC",
            request=RunRequest([CellRequest("node", "hello")], 1, host=HOST, visibility=visibility),
        )
        for visibility in (Visibility.PUBLIC, Visibility.UNLISTED)
    ]
    session.add_all(
        ScheduledRun(
            schedule_id=schedule.id,
            due_at=datetime(2026, 11, 1 + at, tzinfo=UTC),
            run_id=run_id,
            status="missed" if run_id is None else "arrived",
            reason="previous_unfinished" if run_id is None else None,
            detail=f"Run {secret.slug} had not ended.",
            is_watched=False,
        )
        for schedule in schedules
        for at, run_id in enumerate((secret.id, None))
    )
    return [confirmation.id]
