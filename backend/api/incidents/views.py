"""Incidents as the API shows them."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy.orm import Session

from backend.api.changes.views import Names, change_list, read_names, shift_out
from backend.api.incidents.schemas import (
    ChangedValueOut,
    FileDifferenceOut,
    IncidentItem,
    IncidentOut,
    ProgramDifferenceOut,
)
from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import run_list
from backend.api.views import framework_ref
from backend.core.access.viewer import Viewer
from backend.core.changes.incidents.build_differences import ProgramDifference, compare_programs
from backend.core.changes.incidents.listing import IncidentRow
from backend.core.changes.incidents.sentences import describe_incident, describe_next_step
from backend.core.changes.size import is_regression
from backend.core.results import repository as results
from backend.core.results.environment import OF_CELL, Difference, differences
from backend.core.runs.listing import list_named
from backend.core.statuses import IncidentKind

# The chart of an incident is large.
_POINTS_A_SIDE = 60


def incident_list(session: Session, rows: Sequence[IncidentRow]) -> list[IncidentItem]:
    """Return incidents for a list."""
    names = read_names(session, [change for row in rows for change in row.changes])
    return [IncidentItem.model_validate(_head(row, names)) for row in rows]


def incident_out(session: Session, row: IncidentRow, viewer: Viewer) -> IncidentOut:
    """Return a whole incident.

    Args:
        viewer: only members of a workspace may read source code.
    """
    names = read_names(session, row.changes)
    lead = row.changes[0]
    programs = compare_programs(session, row.incident.host_id, row.incident.builds)
    (shown,) = change_list(session, [lead], viewer, names=names, points_a_side=_POINTS_A_SIDE)
    changes = [change.change for change in row.changes]
    files = {item.program: len(item.files) for item in programs if item.is_recorded}
    return IncidentOut.model_validate(
        _head(row, names)
        | {
            "next_step": describe_next_step(row.incident, changes, files),
            "shown": shown,
            "changes": [shift_out(change, names) for change in row.changes],
            "confirmation_runs": _list_confirmation_runs(session, row, viewer),
            "programs": [_program_out(item, with_source=viewer.is_member) for item in programs],
        }
        | _compare_environments(session, row)
    )


def _head(row: IncidentRow, names: Names) -> dict[str, object]:
    incident = row.incident
    changes = [change.change for change in row.changes]
    worse = sum(is_regression(change) for change in changes)
    framework = framework_ref(names.frameworks[changes[0].framework])
    scenario = names.scenarios[changes[0].scenario].name
    host = incident.host.name
    return {
        "id": incident.id,
        "kind": incident.kind,
        "status": row.status,
        "is_open": row.is_open,
        "headline": describe_incident(incident, changes, framework.name, scenario, host),
        "framework": framework if incident.kind is IncidentKind.SERVICE else None,
        "host": host,
        "at": incident.at,
        "found_at": incident.found_at,
        "note": incident.note,
        "lead": shift_out(row.changes[0], names),
        "changes_total": len(changes),
        "changes_worse": worse,
        "changes_better": len(changes) - worse,
    }


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
        "environment": [_difference_out(item) for item in differences(before, after, OF_CELL)],
    }


def _program_out(found: ProgramDifference, *, with_source: bool) -> ProgramDifferenceOut:
    return ProgramDifferenceOut(
        program=found.program,
        before=found.before,
        after=found.after,
        is_recorded=found.is_recorded,
        versions=[_difference_out(item) for item in found.versions],
        files=[
            FileDifferenceOut(**asdict(file) | ({} if with_source else {"diff": None}))
            for file in found.files
        ],
    )


def _difference_out(found: Difference) -> ChangedValueOut:
    return ChangedValueOut(subject=found.subject, before=found.one, after=found.other)
