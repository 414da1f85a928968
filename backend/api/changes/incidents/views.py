"""Incidents as the API shows them."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.changes.incidents.schemas import (
    IncidentItem,
    IncidentOut,
    ProgramDifferenceOut,
)
from backend.api.changes.views import change_list, shift_out
from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import run_list
from backend.core.changes.incidents.build_differences import ProgramDifference, compare_programs
from backend.core.changes.incidents.listing import IncidentRow, get_incident, list_incidents
from backend.core.changes.incidents.sentences import describe_incident, describe_next_step
from backend.core.changes.size import is_regression
from backend.core.people.access.viewer import Viewer
from backend.core.results import repository as results
from backend.core.results.environment import OF_CELL, differences
from backend.core.runs.listing import list_named
from backend.core.statuses import IncidentKind

# The chart of an incident is large.
_POINTS_A_SIDE = 60


def read_incident_items(
    session: Session, incident_ids: Sequence[UUID], viewer: Viewer
) -> dict[UUID, IncidentItem]:
    """Return incidents as in a list, by id.

    Incidents of which the viewer sees no change are left out.
    """
    found = list_incidents(session, incident_ids, viewer)
    return {key: _item_out(row) for key, row in found.items()}


def read_incident(session: Session, incident_id: UUID, viewer: Viewer) -> IncidentOut:
    """Return a whole incident; raise NotFound if the viewer sees none with this id.

    Args:
        viewer: only members of a workspace may read source code.
    """
    row = get_incident(session, incident_id, viewer)
    lead = row.changes[0]
    programs = compare_programs(session, row.incident.host_id, row.incident.builds)
    (shown,) = change_list(session, [lead], viewer, points_a_side=_POINTS_A_SIDE)
    changes = [change.change for change in row.changes]
    files = {item.program: len(item.files) for item in programs if item.is_recorded}
    return IncidentOut.of(
        _item_out(row),
        next_step=describe_next_step(row.incident, changes, files),
        shown=shown,
        changes=[shift_out(change) for change in row.changes],
        confirmation_runs=_list_confirmation_runs(session, row, viewer),
        programs=[_program_out(item, with_source=viewer.is_member) for item in programs],
        **_compare_environments(session, row),
    )


def _item_out(row: IncidentRow) -> IncidentItem:
    incident = row.incident
    changes = [change.change for change in row.changes]
    worse = sum(is_regression(change) for change in changes)
    lead = shift_out(row.changes[0])
    return IncidentItem.of(
        incident,
        status=row.status,
        is_open=row.is_open,
        headline=describe_incident(
            incident, changes, lead.framework.name, lead.scenario.name, lead.host
        ),
        framework=lead.framework if incident.kind is IncidentKind.SERVICE else None,
        host=lead.host,
        lead=lead,
        changes_total=len(changes),
        changes_worse=worse,
        changes_better=len(changes) - worse,
    )


def _list_confirmation_runs(
    session: Session, row: IncidentRow, viewer: Viewer
) -> list[RunListItem]:
    slugs = {
        change.confirmation_run
        for change in row.changes
        if change.confirmation_run is not None and change.is_confirmation_listed
    }
    if not slugs:
        return []
    found = list_named(session, slugs, viewer)
    return run_list(session, found, viewer)


def _compare_environments(session: Session, row: IncidentRow) -> dict[str, object]:
    """Return the fields about the environments before and after the largest change."""
    lead = row.changes[0]
    cells = lead.before.cell_id, lead.after.cell_id
    environments = results.list_environments(session, cells)
    before, after = (environments.get(cell, {}) for cell in cells)
    return {
        "commit_before": before.get("commit"),
        "commit_after": after.get("commit"),
        "environment": differences(before, after, OF_CELL),
    }


def _program_out(found: ProgramDifference, *, with_source: bool) -> ProgramDifferenceOut:
    shown = ProgramDifferenceOut.of(found)
    for file in shown.files if not with_source else ():
        file.diff = None
    return shown
