"""Starts due schedules and checks the runs that they started."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.changes.schedules import repository, service
from backend.core.db import unit_of_work
from backend.core.log_context import log_fields
from backend.core.people.access.actor import TACHO
from backend.core.people.audit.recording import set_actor
from backend.core.tracing import trace_span

_log = logging.getLogger(__name__)


def tick() -> None:
    """Process each schedule and each scheduled run in its own transaction."""
    now = datetime.now(UTC)
    with unit_of_work() as session:
        due = repository.list_due(session, now)
        watched = repository.list_watched(session)
    for schedule_id in due:
        with trace_span("schedule", attributes={"tacho.schedule_id": str(schedule_id)}):
            _alone(service.start_due, schedule_id, now)
    for scheduled_run_id, run_id in watched:
        with log_fields(**({} if run_id is None else {"run_id": str(run_id)})):
            _alone(service.watch, scheduled_run_id, now)


def _alone(act: Callable[[Session, UUID, datetime], object], item_id: UUID, now: datetime) -> None:
    try:
        with unit_of_work() as session:
            set_actor(session, TACHO)
            act(session, item_id, now)
    except Exception:  # noqa: BLE001  a task's edge: others must go on
        _log.exception("%s of %s; the next tick tries again", act.__name__, item_id)
