"""Changes as the API shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from backend.api.changes.schemas import (
    ChangeOut,
    ChangePointOut,
    ChangeRatio,
    ConfirmationOut,
    HistoryRatio,
    ShiftOut,
    SideOut,
)
from backend.api.views import framework_ref, scenario_ref
from backend.core.access.viewer import Viewer
from backend.core.catalog import repository as catalog
from backend.core.changes import repository
from backend.core.changes.lifecycle import needs_attention
from backend.core.changes.listing import ChangeRow, ChangeSide
from backend.core.changes.repository import SeriesPoint
from backend.core.changes.size import is_regression
from backend.core.models import Change, Framework, Scenario
from backend.core.units import METRICS

_POINTS_A_SIDE = 20


def change_list(
    session: Session,
    rows: Sequence[ChangeRow],
    viewer: Viewer,
    *,
    names: "Names | None" = None,
    points_a_side: int = _POINTS_A_SIDE,
) -> list[ChangeOut]:
    """Changes with their series around them, as far as runs of these visibilities show it.

    Args:
        names: those of the changes, if they were read already.
    """
    names = names or read_names(session, rows)
    changes = [row.change for row in rows]
    points = repository.list_around(session, changes, viewer=viewer, limit=points_a_side)
    return [
        ChangeOut(
            **dict(shift_out(row, names)),
            points=[_point_out(point, row.change) for point in points[row.change.id]],
        )
        for row in rows
    ]


@dataclass(frozen=True)
class Names:
    """The frameworks and scenarios of changes, by slug."""

    frameworks: Mapping[str, Framework]
    scenarios: Mapping[str, Scenario]


def read_names(session: Session, rows: Sequence[ChangeRow]) -> Names:
    """Return the frameworks and scenarios that these changes name."""
    frameworks = {row.change.framework for row in rows}
    scenarios = {row.change.scenario for row in rows}
    return Names(
        catalog.find_frameworks(session, frameworks, with_removed=True, names_only=True),
        catalog.find_scenarios(session, scenarios, with_removed=True, names_only=True),
    )


def shift_out(row: ChangeRow, names: Names) -> ShiftOut:
    """Return a change without the points of its series."""
    change = row.change
    info = METRICS[change.metric]
    return ShiftOut(
        id=change.id,
        incident_id=change.incident_id,
        status=change.status,
        reason=change.reason,
        note=change.note,
        is_by_hand=change.is_by_hand,
        is_open=needs_attention(change.status, is_acknowledged=change.acknowledged_at is not None),
        acknowledged_at=change.acknowledged_at,
        framework=framework_ref(names.frameworks[change.framework]),
        scenario=scenario_ref(names.scenarios[change.scenario]),
        profile=change.profile,
        kind=change.kind,
        parameters=change.parameters,
        metric=info.metric,
        unit=info.unit,
        direction=info.direction,
        is_worse=is_regression(change),
        host=change.host.name,
        runtime=change.runtime,
        at=change.at,
        history=HistoryRatio(
            ratio=change.ratio, low=change.low, high=change.high, is_adjusted=change.is_adjusted
        ),
        p_value=change.p_value,
        before=_side(row.before),
        after=_side(row.after),
        confirmation=_confirmation(change, row.confirmation_run)
        if row.is_confirmation_listed
        else None,
        host_event_id=change.host_event_id if row.is_event_listed else None,
        found_at=change.found_at,
        changed_at=change.changed_at,
    )


def _point_out(point: SeriesPoint, change: Change) -> ChangePointOut:
    return ChangePointOut(
        run_slug=point.run_slug,
        cell_id=point.cell_id,
        n=point.trials,
        at=point.at,
        estimate=point.estimate,
        low=point.low,
        high=point.high,
        is_after=point.at >= change.at,
    )


def _side(side: ChangeSide) -> SideOut:
    return SideOut(
        run_slug=side.run_slug, cell_id=side.cell_id, at=side.at, image_digest=side.image_digest
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
