"""Changes and incidents never show a run that has become private."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.models import (
    CellSummary,
    Change,
    HostEvent,
    Run,
)
from backend.core.statuses import RunStatus, Visibility
from backend.core.units import Metric
from backend.tests.answers import document, problem
from backend.tests.factories import ask_run, first_workspace
from backend.tests.histories import History

INCIDENTS = "/api/v1/incidents"
BUILDS = ({"node": "a" * 64}, {"node": "b" * 64})
METRICS = (Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)
CHANGES = "/api/v1/changes"

Shown = dict[str, Any]
FindRun = Callable[[Session, Change], object]


def find_incident(host_id: UUID) -> tuple[UUID, UUID]:
    """Return an incident and the larger of its two changes.

    Confirmation run and host event are public. The sides of the smaller change, and the run of the
    host event, are runs of their own.
    """
    with unit_of_work() as session:
        history = History(session, host_id, metrics=METRICS, visibility="public")
        history.land(24, 10.0, BUILDS[0])
        history.land(6, 11.0, BUILDS[1])
        lead, smaller = list_changes(session)
        lead.ratio *= 1.01
        session.execute(
            update(Run)
            .where(Run.id == lead.confirmation_run_id)
            .values(status=RunStatus.CANCELLED, finalized_at=func.now())
        )
        event = HostEvent(
            workspace_id=first_workspace(session),
            host_id=host_id,
            run_id=ask_run(session, visibility="public").id,
            metric=lead.metric,
            at=lead.at,
            ratio=1.08,
            series_shifted=3,
            series_total=3,
        )
        session.add(event)
        session.flush()
        lead.host_event_id = event.id
        cells = session.scalars(select(CellSummary.cell_id).order_by(CellSummary.at)).all()
        smaller.before_cell_id, smaller.after_cell_id = cells[0], cells[-1]
        return lead.incident_id, lead.id


def list_changes(session: Session) -> list[Change]:
    """Return all changes, the largest first."""
    return sorted(session.scalars(select(Change)), key=lambda change: -change.ratio)


def hide_run(find_run: FindRun) -> None:
    with unit_of_work() as session:
        own = Run.id == find_run(session, list_changes(session)[0])
        session.execute(update(Run).where(own).values(visibility=Visibility.PRIVATE))


def change_lead(**values: object) -> None:
    with unit_of_work() as session:
        lead = list_changes(session)[0]
        for name, value in values.items():
            setattr(lead, name, value)


def find_run_of(session: Session, cell_id: UUID) -> UUID:
    return session.get_one(CellSummary, cell_id).run_id


def event_run(session: Session, lead: Change) -> object:
    return session.get_one(HostEvent, lead.host_event_id).run_id


def run_before_smaller(session: Session, _: Change) -> object:
    return find_run_of(session, list_changes(session)[1].before_cell_id)


def run_after_smaller(session: Session, _: Change) -> object:
    return find_run_of(session, list_changes(session)[1].after_cell_id)


# The names of runs that are hidden, and how a change and its incident look then.
HIDDEN: dict[str, tuple[FindRun, Callable[[Shown], object], Callable[[Shown], object]]] = {
    "a run before": (
        run_before_smaller,
        lambda change: len(change["points"]) == 26,
        lambda incident: incident["changes_total"] == 1,
    ),
    "a point and a run after": (
        run_after_smaller,
        lambda change: len(change["points"]) == 25,
        lambda incident: incident["changes_total"] == 1,
    ),
    "a confirmation run": (
        lambda _, lead: lead.confirmation_run_id,
        lambda change: change["confirmation"] is None,
        lambda incident: incident["lead"]["confirmation"] is None,
    ),
    "a host event": (
        event_run,
        lambda change: change["host_event_id"] is None,
        lambda incident: incident["lead"]["host_event_id"] is None,
    ),
}


@pytest.mark.parametrize("what", HIDDEN)
def test_a_change_does_not_show_what_has_become_private(
    visitor: TestClient, host_id: UUID, what: str
) -> None:
    incident_id, change_id = find_incident(host_id)
    find_run, is_hidden_in_change, is_hidden_in_incident = HIDDEN[what]

    hide_run(find_run)

    change = document(visitor.get(f"{CHANGES}/{change_id}"))
    assert change in document(visitor.get(CHANGES))["items"]
    assert is_hidden_in_change(change)
    (listed,) = document(visitor.get(INCIDENTS))["items"]
    for incident in (listed, document(visitor.get(f"{INCIDENTS}/{incident_id}"))):
        assert is_hidden_in_incident(incident)


@pytest.mark.parametrize("side", ["before_cell_id", "after_cell_id"])
def test_a_change_of_a_run_that_becomes_private_is_hidden(
    client: TestClient, visitor: TestClient, host_id: UUID, side: str
) -> None:
    incident_id, change_id = find_incident(host_id)

    hide_run(lambda session, lead: find_run_of(session, getattr(lead, side)))

    problem(visitor.get(f"{CHANGES}/{change_id}"), 404, "not_found")
    listed = {item["id"] for item in document(visitor.get(CHANGES))["items"]}
    assert str(change_id) not in listed
    assert len(document(client.get(CHANGES))["items"]) == 2
    document(client.get(f"{CHANGES}/{change_id}"))

    with unit_of_work() as session:
        session.execute(update(Run).values(visibility=Visibility.PRIVATE))

    assert document(visitor.get(CHANGES))["items"] == []
    assert document(visitor.get(INCIDENTS))["items"] == []
    problem(visitor.get(f"{INCIDENTS}/{incident_id}"), 404, "not_found")
    document(client.get(f"{INCIDENTS}/{incident_id}"))


def test_a_list_is_filtered(client: TestClient, visitor: TestClient, host_id: UUID) -> None:
    find_incident(host_id)

    def count(asker: TestClient = client, **filters: str | bool) -> int:
        return len(document(asker.get(INCIDENTS, params=filters))["items"])

    assert count(status="testing", framework="node", host="bench-01", open=True) == 1
    assert count(framework="fastapi") == count(host="bench-02") == count(open=False) == 0
    change_lead(status="confirmed")
    assert (count(status="testing"), count(status="confirmed")) == (1, 0)
    # A visitor does not see the change that is still tested.
    hide_run(run_before_smaller)
    assert (count(status="testing"), count(status="confirmed")) == (1, 0)
    assert (count(visitor, status="testing"), count(visitor, status="confirmed")) == (0, 1)
    change_lead(acknowledged_at=datetime.now(UTC))
    assert (count(open=True), count(open=False)) == (1, 0)
    assert (count(visitor, open=True), count(visitor, open=False)) == (0, 1)
