"""Incidents as the API shows them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.changes.views import change_list, shift_out
from backend.api.incidents.schemas import (
    ChangedValueOut,
    FileDifferenceOut,
    IncidentItem,
    IncidentOut,
    ProgramDifferenceOut,
)
from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import run_list
from backend.core.access.viewer import Viewer
from backend.core.changes.incidents.build_differences import ProgramDifference, compare_programs
from backend.core.changes.incidents.listing import IncidentRow, get_incident, list_incidents
from backend.core.changes.incidents.sentences import describe_incident, describe_next_step
from backend.core.changes.size import is_regression
from backend.core.changes.subjects import of_incident_ids
from backend.core.computed_once import ComputedOnce
from backend.core.results import repository as results
from backend.core.results.environment import OF_CELL, Difference, differences
from backend.core.runs.listing import list_named
from backend.core.statuses import IncidentKind
from backend.core.stored_documents.code_version import read_code_version
from backend.core.stored_documents.repository import read_versions

# The chart of an incident is large.
_POINTS_A_SIDE = 60


def incident_list(rows: Iterable[IncidentRow]) -> list[IncidentItem]:
    """Return incidents for a list."""
    return [IncidentItem.model_validate(_head(row)) for row in rows]


class _IncidentKey(NamedTuple):
    """An incident as a viewer sees it in lists."""

    key: str
    version: str
    variant: str


_MOST_KNOWN = 1_000
_items: ComputedOnce[_IncidentKey, IncidentItem] = ComputedOnce(_MOST_KNOWN)


def read_incident_items(
    session: Session, incident_ids: Sequence[UUID], viewer: Viewer
) -> list[IncidentItem]:
    """Return incidents as in a list, in this order. A process computes each version once.

    Incidents of which the viewer sees no change are left out.
    """
    subject = of_incident_ids(incident_ids, viewer)
    versions = read_versions(session, subject, read_code_version()) if incident_ids else {}
    id_of = {f"incident:{incident_id}": incident_id for incident_id in incident_ids}
    keys = [_IncidentKey(key, versions[key], viewer.variant) for key in id_of if key in versions]

    def compute(missing: Collection[_IncidentKey]) -> dict[_IncidentKey, IncidentItem]:
        key_of = {id_of[key.key]: key for key in missing}
        rows = list_incidents(session, list(key_of), viewer)
        return {key_of[item.id]: item for item in incident_list(rows.values())}

    found = _items.read(keys, compute)
    # Runs may be deleted in the meantime.
    return [found[key] for key in keys if key in found]


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
    return IncidentOut.model_validate(
        _head(row)
        | {
            "next_step": describe_next_step(row.incident, changes, files),
            "shown": shown,
            "changes": [shift_out(change) for change in row.changes],
            "confirmation_runs": _list_confirmation_runs(session, row, viewer),
            "programs": [_program_out(item, with_source=viewer.is_member) for item in programs],
        }
        | _compare_environments(session, row)
    )


def _head(row: IncidentRow) -> dict[str, object]:
    incident = row.incident
    changes = [change.change for change in row.changes]
    worse = sum(is_regression(change) for change in changes)
    lead = shift_out(row.changes[0])
    return {
        "id": incident.id,
        "kind": incident.kind,
        "status": row.status,
        "is_open": row.is_open,
        "headline": describe_incident(
            incident, changes, lead.framework.name, lead.scenario.name, lead.host
        ),
        "framework": lead.framework if incident.kind is IncidentKind.SERVICE else None,
        "host": lead.host,
        "at": incident.at,
        "found_at": incident.found_at,
        "note": incident.note,
        "lead": lead,
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
