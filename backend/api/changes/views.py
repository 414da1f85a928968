"""Changes as the API shows them."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.changes.schemas import (
    ChangeOut,
    ChangePointOut,
    ChangeRatio,
    ConfirmationOut,
    ShiftOut,
)
from backend.api.schemas import FrameworkRef, ScenarioRef
from backend.core.changes import listing, repository
from backend.core.changes.lifecycle import needs_attention
from backend.core.changes.listing import ChangeRow
from backend.core.changes.size import is_regression
from backend.core.models import Change
from backend.core.people.access.viewer import Viewer
from backend.core.units import METRICS

_POINTS_A_SIDE = 20


def change_list(
    session: Session,
    rows: Sequence[ChangeRow],
    viewer: Viewer,
    *,
    points_a_side: int = _POINTS_A_SIDE,
) -> list[ChangeOut]:
    """Return changes with the points around them that the viewer sees."""
    changes = [row.change for row in rows]
    points = repository.list_around(session, changes, viewer=viewer, limit=points_a_side)
    return [
        ChangeOut(
            **dict(shift_out(row)),
            points=[
                ChangePointOut.of(point, is_after=point.at >= row.change.at)
                for point in points[row.change.id]
            ],
        )
        for row in rows
    ]


def read_change(session: Session, viewer: Viewer, change_id: UUID) -> ChangeOut:
    """Return a change; raise NotFound if the viewer sees none with this id."""
    return change_list(session, [listing.get_change(session, change_id, viewer)], viewer)[0]


def shift_out(row: ChangeRow) -> ShiftOut:
    """Return a change without the points of its series."""
    change = row.change
    info = METRICS[change.metric]
    return ShiftOut.of(
        change,
        is_open=needs_attention(change.status, is_acknowledged=change.acknowledged_at is not None),
        framework=FrameworkRef(
            slug=change.framework, name=row.framework_name, colour=row.framework_colour
        ),
        scenario=ScenarioRef(slug=change.scenario, name=row.scenario_name),
        unit=info.unit,
        direction=info.direction,
        is_worse=is_regression(change),
        host=row.host_name,
        history=change,
        before=row.before,
        after=row.after,
        confirmation=_confirmation(change, row.confirmation_run)
        if row.is_confirmation_listed
        else None,
        host_event_id=change.host_event_id if row.is_event_listed else None,
    )


def _confirmation(change: Change, run_slug: str | None) -> ConfirmationOut | None:
    if run_slug is None and change.confirmation_pairs is None:
        return None
    found = None
    if change.confirmation_ratio is not None:
        found = ChangeRatio(
            ratio=change.confirmation_ratio,
            low=change.confirmation_low,
            high=change.confirmation_high,
        )
    return ConfirmationOut(run_slug=run_slug, pairs=change.confirmation_pairs, found=found)
