"""Lists and counts of incidents, and decisions about them."""

from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.changes.decisions import decide, decide_incident
from backend.core.changes.incidents import listing
from backend.core.changes.incidents.listing import IncidentRow
from backend.core.changes.webhooks.service import create_webhook
from backend.core.db import new_id
from backend.core.errors import Conflict
from backend.core.models import Change, Incident, WebhookDelivery
from backend.core.people.access.viewer import INSTALLATION, PUBLIC, Viewer
from backend.core.statuses import ChangeStatus, WebhookEvent
from backend.core.units import Metric
from backend.tests.factories import first_workspace
from backend.tests.histories import History

METRICS = (Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)
OLD, NEW = {"node": "a" * 64}, {"node": "b" * 64}


@pytest.fixture
def incident(session: Session, host_id: UUID) -> IncidentRow:
    """An incident of two suspected changes."""
    history = History(session, host_id, metrics=METRICS)
    history.land(24, 10.0, OLD)
    history.land(6, 11.0, NEW)
    return the_incident(session)


def the_incident(session: Session) -> IncidentRow:
    session.flush()
    session.expire_all()
    (incident_id,) = session.scalars(select(Incident.id))
    return listing.get_incident(session, incident_id, PUBLIC)


def decide_all(session: Session, row: IncidentRow, **decision: object) -> IncidentRow:
    values = {"status": None, "note": None} | decision
    shown = {change.change.id for change in row.changes}
    decide_incident(session, row.incident.workspace_id, row.incident.id, shown, **values)  # type: ignore[arg-type]
    return the_incident(session)


def statuses(row: IncidentRow) -> list[ChangeStatus]:
    return [change.change.status for change in row.changes]


def test_an_incident_has_its_changes_and_is_open(session: Session, incident: IncidentRow) -> None:
    assert incident.status is ChangeStatus.SUSPECTED
    assert incident.is_open
    sizes = [abs(change.change.ratio - 1) for change in incident.changes]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 2
    counts = listing.count_incidents(session, PUBLIC)
    assert (counts.by_status[ChangeStatus.SUSPECTED], counts.open) == (1, 1)
    assert listing.count_open(session, PUBLIC) == 1
    assert listing.count_open(session, INSTALLATION) == 1
    assert listing.count_open(session, Viewer(incident.incident.workspace_id)) == 1
    other = Viewer(new_id())
    assert listing.count_open(session, other) == 0
    assert listing.list_incidents(session, [incident.incident.id], other) == {}


def test_a_decision_applies_to_all_undecided_changes(
    session: Session, incident: IncidentRow
) -> None:
    decide(session, incident.changes[0].change, ChangeStatus.DISMISSED, "one of them")
    mixed = the_incident(session)
    assert mixed.status is ChangeStatus.SUSPECTED
    # A dismissed change is no longer the first, even if it is the largest.
    assert statuses(mixed) == [ChangeStatus.SUSPECTED, ChangeStatus.DISMISSED]

    confirmed = decide_all(session, mixed, status=ChangeStatus.CONFIRMED, note="slow parser")
    assert statuses(confirmed) == [ChangeStatus.CONFIRMED, ChangeStatus.DISMISSED]
    assert confirmed.incident.note == "slow parser"

    reopened = decide_all(session, confirmed, status=ChangeStatus.SUSPECTED)
    assert statuses(reopened) == [ChangeStatus.SUSPECTED, ChangeStatus.SUSPECTED]
    with pytest.raises(Conflict, match="suspected already"):
        decide_all(session, reopened, status=ChangeStatus.SUSPECTED)


def test_a_confirmed_incident_is_open_until_it_is_acknowledged(
    session: Session, incident: IncidentRow
) -> None:
    with pytest.raises(Conflict, match="Only confirmed changes"):
        decide_all(session, incident, is_acknowledged=True)
    confirmed = decide_all(session, incident, status=ChangeStatus.CONFIRMED)
    assert confirmed.is_open

    acknowledged = decide_all(session, confirmed, is_acknowledged=True)
    assert (acknowledged.status, acknowledged.is_open) == (ChangeStatus.CONFIRMED, False)
    assert listing.count_open(session, PUBLIC) == 0

    assert decide_all(session, acknowledged, is_acknowledged=False).is_open
    again = decide_all(session, acknowledged, is_acknowledged=True)
    reopened = decide_all(session, again, status=ChangeStatus.SUSPECTED)
    assert reopened.is_open
    assert {change.change.acknowledged_at for change in reopened.changes} == {None}


def test_an_incident_sends_one_message_until_it_is_reopened(
    session: Session, incident: IncidentRow
) -> None:
    create_webhook(
        session,
        first_workspace(session),
        url="https://hooks.example.org/",
        events=[WebhookEvent.CHANGE_CONFIRMED],
        description="",
    )

    def count_messages() -> int:
        return len(session.scalars(select(WebhookDelivery)).all())

    first, second = (change.change.id for change in incident.changes)
    decide(session, session.get_one(Change, first), ChangeStatus.CONFIRMED, None)
    decide(session, session.get_one(Change, second), ChangeStatus.CONFIRMED, None)
    assert count_messages() == 1

    reopened = decide_all(session, the_incident(session), status=ChangeStatus.DISMISSED)
    decide_all(session, reopened, status=ChangeStatus.CONFIRMED)
    assert count_messages() == 2


def test_testing_an_incident_queues_one_run_for_two_metrics(
    session: Session, incident: IncidentRow
) -> None:
    tested = decide_all(session, incident, status=ChangeStatus.TESTING, pairs=5)
    assert tested.status is ChangeStatus.TESTING
    (run,) = {change.confirmation_run for change in tested.changes}
    assert run is not None
