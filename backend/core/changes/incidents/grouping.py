"""Put changes into incidents: one for each build on a host, and one for each shift of a host."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy.orm import Session

from backend.core.changes import repository
from backend.core.changes.detection import MIN_SEGMENT_POINTS
from backend.core.changes.incidents import repository as incidents
from backend.core.documents import BuildPair, Builds
from backend.core.models import CellSummary, Change, HostEvent, Incident
from backend.core.statuses import IncidentKind

# The detected start of a change may be wrong by this many runs.
_SAME_RUNS = 2
# An older incident cannot be of the same build.
_CANDIDATES = 20


def compare_builds(before: Builds | None, after: Builds | None) -> dict[str, BuildPair]:
    """Return the programs whose builds differ, by slug; empty if a side is unknown."""
    if not before or not after:
        return {}
    return {
        slug: BuildPair(before=before[slug], after=after[slug])
        for slug in sorted(before.keys() & after.keys())
        if before[slug] != after[slug]
    }


def find_service_incident(session: Session, change: Change) -> Incident:
    """Return the incident to which a new change of a framework belongs; add it if there is none.

    Changes belong together if they are of the same framework and host and compare the same two
    builds of a program, unless the old build came back in between. If the builds are equal or
    unknown, they belong together if they began within two runs of each other.
    """
    builds = compare_builds(
        repository.find_builds(session, change.before_cell_id),
        repository.find_builds(session, change.after_cell_id),
    )
    known = incidents.list_newest(
        session, change.workspace_id, change.host_id, change.framework, _CANDIDATES
    )
    for incident in known:
        if _is_of_incident(session, incident, change, builds):
            incident.builds = {**incident.builds, **builds}
            incident.at = min(incident.at, change.at)
            return incident
    return incidents.add(
        session,
        Incident(
            workspace_id=change.workspace_id,
            kind=IncidentKind.SERVICE,
            host_id=change.host_id,
            framework=change.framework,
            at=change.at,
            builds=builds,
        ),
    )


def find_host_incident(session: Session, event: HostEvent) -> Incident:
    """Return the incident to which a host event belongs; add it if there is none.

    Events of several metrics belong together if they began within two runs of each other.
    """
    known = incidents.list_newest(session, event.workspace_id, event.host_id, None, _CANDIDATES)
    for incident in known:
        if _began_together(session, event, incident.at):
            incident.at = min(incident.at, event.at)
            return incident
    return incidents.add(
        session,
        Incident(
            workspace_id=event.workspace_id,
            kind=IncidentKind.HOST,
            host_id=event.host_id,
            at=event.at,
            builds={},
        ),
    )


def move_to_incident(session: Session, change: Change, incident: Incident) -> None:
    """Move a change to another incident, and delete its former incident if it is empty now."""
    former = change.incident_id
    if former == incident.id:
        return
    change.incident_id = incident.id
    session.flush()
    incidents.delete_if_empty(session, former)


def _is_of_incident(
    session: Session, incident: Incident, change: Change, builds: Mapping[str, BuildPair]
) -> bool:
    if not builds and not incident.builds:
        return _began_together(session, change, incident.at, change.framework)
    if not any(incident.builds.get(slug) == pair for slug, pair in builds.items()):
        return False
    # If the old build came back and the new one was built again, that is another incident.
    before = session.get_one(CellSummary, change.before_cell_id)
    returned = incidents.count_runs(
        session,
        change,
        _order(incident.at, change.at),
        framework=change.framework,
        image_digest=before.image_digest,
    )
    return returned < MIN_SEGMENT_POINTS


def _began_together(
    session: Session, shift: Change | HostEvent, other: datetime, framework: str | None = None
) -> bool:
    between = incidents.count_runs(session, shift, _order(shift.at, other), framework=framework)
    return between <= _SAME_RUNS


def _order(one: datetime, other: datetime) -> tuple[datetime, datetime]:
    return min(one, other), max(one, other)
