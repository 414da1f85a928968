"""Changes between two runs, for tests that need no history to find them in."""

from typing import Any

from sqlalchemy.orm import Session

from backend.core.changes.incidents.grouping import find_service_incident
from backend.core.changes.series import key_of
from backend.core.models import CellSummary, Change, Run
from backend.core.statuses import ChangeStatus
from backend.core.units import Metric


def add_change(session: Session, before: Run, after: Run, **values: Any) -> Change:
    """Store a confirmed change between the first results of two ended runs, and its incident."""
    summary = session.get_one(CellSummary, after.cells[0].id)
    key = key_of(summary, Metric.LATENCY_P50_MS)
    change = Change(
        **vars(key),
        series_digest=key.digest,
        kind=summary.kind,
        at=after.created_at,
        before_cell_id=before.cells[0].id,
        after_cell_id=summary.cell_id,
        ratio=1.08,
        low=1.05,
        high=1.1,
        p_value=0.001,
        status=ChangeStatus.CONFIRMED,
        reason="The new build is slower.",
        **values,
    )
    change.incident_id = find_service_incident(session, change).id
    session.add(change)
    session.flush()
    return change
