"""SQL for the queues of all bench hosts. Never commits."""

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from backend.core.access.viewer import Viewer
from backend.core.documents import Parameters
from backend.core.models import Cell, Host, Run, Trial
from backend.core.runs.status import RUN_ENDS, STAGES, TRIAL_ENDS
from backend.core.runs.visibility import is_listed


def count_waiting(session: Session, viewer: Viewer) -> dict[str, list[tuple[Parameters, int]]]:
    """Return cell parameters with the number of unfinished trials of such cells, by host name.

    Only the runs that the viewer sees count, here and below.
    """
    rows = session.execute(
        select(Host.name, Cell.parameters, func.count())
        .join(Trial, Trial.host_id == Host.id)
        .join(Cell, Cell.id == Trial.cell_id)
        .join(Run, Run.id == Trial.run_id)
        .where(Trial.status.not_in(TRIAL_ENDS), is_listed(viewer))
        .group_by(Host.name, Cell.parameters)
    )
    waiting: dict[str, list[tuple[Parameters, int]]] = {}
    for host, parameters, count in rows:
        waiting.setdefault(host, []).append((parameters, count))
    return waiting


def list_unfinished_goals(session: Session, viewer: Viewer) -> dict[str, list[Run]]:
    """Return unfinished runs with a goal, with cells, by host name."""
    query = (
        select(Host.name, Run)
        .join(Host, Host.id == Run.host_id)
        .options(selectinload(Run.cells))
        .where(Run.goal.is_not(None), Run.status.not_in(RUN_ENDS), is_listed(viewer))
    )
    goals: dict[str, list[Run]] = {}
    for host, run in session.execute(query):
        goals.setdefault(host, []).append(run)
    return goals


def list_current_starts(session: Session, viewer: Viewer) -> dict[str, datetime]:
    """Return the start time of the current trial by host name."""
    rows = session.execute(
        select(Host.name, Trial.started_at)
        .join(Trial, Trial.host_id == Host.id)
        .join(Run, Run.id == Trial.run_id)
        .where(Trial.status.in_(STAGES), is_listed(viewer))
    )
    return {host: began_at for host, began_at in rows if began_at is not None}


def list_current_heads(session: Session, viewer: Viewer) -> dict[str, Run]:
    """Return the current run by host name."""
    rows = session.execute(
        select(Host.name, Run)
        .join(Trial, Trial.host_id == Host.id)
        .join(Run, Run.id == Trial.run_id)
        .where(Trial.status.in_(STAGES), is_listed(viewer))
    )
    return dict(rows.all())
