"""Changes with the same build are one incident, and so are those of one shift of a host."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.changes.incidents.grouping import compare_builds, move_to_incident
from backend.core.models import Change, Incident
from backend.core.statuses import IncidentKind
from backend.core.units import Metric
from backend.tests.histories import History

OLD, NEW = {"node": "a" * 64}, {"node": "b" * 64}
METRICS = (Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)
BEFORE = 24


def incidents(session: Session) -> list[Incident]:
    return list(session.scalars(select(Incident).order_by(Incident.at)))


def changes_of(session: Session, incident: Incident) -> list[Change]:
    query = select(Change).where(Change.incident_id == incident.id).order_by(Change.metric)
    return list(session.scalars(query))


def test_a_build_that_comes_back_later_is_another_incident(session: Session, host_id: UUID) -> None:
    history = History(session, host_id)
    history.land(BEFORE, 10.0, OLD)
    history.land(12, 11.0, NEW)
    history.land(12, 10.0, OLD)
    history.land(12, 11.0, NEW)

    found = incidents(session)
    slower = [incident for incident in found if incident.builds["node"]["after"] == "b" * 64]
    assert len(slower) == 2
    assert len(found) == 3


def test_shifts_within_one_build_are_one_incident_if_they_began_together(
    session: Session, host_id: UUID
) -> None:
    history = History(session, host_id, metrics=METRICS)
    history.land(BEFORE, 10.0, OLD)
    history.land(6, 11.0, OLD)

    (incident,) = incidents(session)
    assert incident.builds == {}
    assert len(changes_of(session, incident)) == 2


def test_an_incident_whose_changes_all_moved_is_deleted(session: Session, host_id: UUID) -> None:
    history = History(session, host_id)
    history.land(BEFORE, 10.0, OLD)
    history.land(6, 11.0, NEW)
    (former,) = incidents(session)
    target = Incident(
        workspace_id=former.workspace_id,
        kind=IncidentKind.HOST,
        host_id=host_id,
        at=former.at,
        builds={},
    )
    session.add(target)
    session.flush()
    (change,) = changes_of(session, former)

    move_to_incident(session, change, target)

    assert [incident.id for incident in incidents(session)] == [target.id]


def test_builds_are_compared_by_program() -> None:
    old, new = {"node": "a", "node-peer": "p", "gone": "g"}, {"node": "b", "node-peer": "p"}
    assert compare_builds(old, new) == {"node": {"before": "a", "after": "b"}}
    assert compare_builds(old, old) == compare_builds(None, new) == {}
