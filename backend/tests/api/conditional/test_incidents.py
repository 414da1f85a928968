"""Incidents never show a run that has become private, also to a viewer who saw it before."""

from collections.abc import Callable
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
    Incident,
    Run,
)
from backend.core.statuses import RunStatus, Visibility
from backend.core.units import Metric
from backend.tests.answers import document, problem
from backend.tests.api.conditional.test_documents import revalidate
from backend.tests.factories import ask_run, first_workspace
from backend.tests.histories import History

INCIDENTS = "/api/v1/incidents"
BUILDS = ({"node": "a" * 64}, {"node": "b" * 64})
METRICS = (Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)
KINDS = ["list", "incident"]

Act = Callable[[Session, Incident, Change], object]


def find_incident(host_id: UUID) -> UUID:
    """Return an incident of two changes whose confirmation run and host event are public.

    The sides of the smaller change, and the run of the host event, are runs of their own.
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
        return lead.incident_id


def list_changes(session: Session) -> list[Change]:
    """Return all changes, the largest first."""
    return sorted(session.scalars(select(Change)), key=lambda change: -change.ratio)


def path_of(kind: str, incident_id: UUID) -> str:
    return {"list": INCIDENTS, "incident": f"{INCIDENTS}/{incident_id}"}[kind]


def act_on(incident_id: UUID, act: Act) -> None:
    with unit_of_work() as session:
        act(session, session.get_one(Incident, incident_id), list_changes(session)[0])


def hide(run_id: Callable[[Session, Change], object]) -> Act:
    """Return what makes this run private."""

    def act(session: Session, _: Incident, lead: Change) -> None:
        own = Run.id == run_id(session, lead)
        session.execute(update(Run).where(own).values(visibility=Visibility.PRIVATE))

    return act


def event_run(session: Session, lead: Change) -> object:
    return session.get_one(HostEvent, lead.host_event_id).run_id


def run_before_smaller(session: Session, _: Change) -> object:
    smaller = list_changes(session)[1]
    return session.get_one(CellSummary, smaller.before_cell_id).run_id


def run_after_smaller(session: Session, _: Change) -> object:
    smaller = list_changes(session)[1]
    return session.get_one(CellSummary, smaller.after_cell_id).run_id


# Each hides a run, and tests the head of the incident after that.
HIDDEN: dict[str, tuple[Act, Callable[[dict[str, Any]], object]]] = {
    "a run before": (hide(run_before_smaller), lambda shown: shown["changes_total"] == 1),
    "a run after": (hide(run_after_smaller), lambda shown: shown["changes_total"] == 1),
    "a confirmation run": (
        hide(lambda _, lead: lead.confirmation_run_id),
        lambda shown: shown["lead"]["confirmation"] is None,
    ),
    "a host event": (hide(event_run), lambda shown: not shown["lead"]["host_event_id"]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", HIDDEN)
def test_an_incident_does_not_show_what_has_become_private(
    visitor: TestClient, host_id: UUID, kind: str, what: str
) -> None:
    incident_id = find_incident(host_id)
    path = path_of(kind, incident_id)
    act, is_hidden = HIDDEN[what]
    first = visitor.get(path)

    act_on(incident_id, act)

    second = revalidate(visitor, path, first)
    assert second.status_code == 200
    shown = document(visitor.get(path))
    assert shown == second.json() != first.json()
    assert is_hidden(shown["items"][0] if kind == "list" else shown)


def test_an_incident_of_runs_that_become_private_is_hidden(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    incident_id = find_incident(host_id)
    known = [
        {kind: asker.get(path_of(kind, incident_id)) for kind in KINDS}
        for asker in (visitor, client)
    ]

    with unit_of_work() as session:
        session.execute(update(Run).values(visibility=Visibility.PRIVATE))

    for responses in known:
        listed = revalidate(visitor, INCIDENTS, responses["list"])
        assert document(listed)["items"] == []
        refused = revalidate(visitor, path_of("incident", incident_id), responses["incident"])
        problem(refused, 404, "not_found")
    document(client.get(path_of("incident", incident_id)))


def test_a_list_is_filtered(client: TestClient, visitor: TestClient, host_id: UUID) -> None:
    incident_id = find_incident(host_id)

    def count(asker: TestClient = client, **filters: str | bool) -> int:
        return len(document(asker.get(INCIDENTS, params=filters))["items"])

    assert count(status="testing", framework="node", host="bench-01", open=True) == 1
    assert count(framework="fastapi") == count(host="bench-02") == count(open=False) == 0
    act_on(incident_id, lambda _, __, lead: setattr(lead, "status", "confirmed"))
    assert (count(status="testing"), count(status="confirmed")) == (1, 0)
    # A visitor does not see the change that is still tested.
    act_on(incident_id, hide(run_before_smaller))
    assert (count(status="testing"), count(status="confirmed")) == (1, 0)
    assert (count(visitor, status="testing"), count(visitor, status="confirmed")) == (0, 1)
    act_on(incident_id, lambda _, __, lead: setattr(lead, "acknowledged_at", lead.at))
    assert (count(open=True), count(open=False)) == (1, 0)
    assert (count(visitor, open=True), count(visitor, open=False)) == (0, 1)
