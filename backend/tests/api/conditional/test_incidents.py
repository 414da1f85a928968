"""Incidents are stored one by one, and computed again when something that they show changes."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.models import (
    BuildSource,
    CellSummary,
    Change,
    Framework,
    Host,
    HostEvent,
    Incident,
    Run,
)
from backend.core.statuses import RunStatus, TokenScope, Visibility
from backend.core.units import Metric
from backend.tests.accounts import add_token, add_workspace
from backend.tests.answers import document, problem
from backend.tests.api.conditional.test_changes import add_point
from backend.tests.api.conditional.test_documents import revalidate
from backend.tests.factories import ask_run, first_workspace
from backend.tests.histories import History

INCIDENTS = "/api/v1/incidents"
BUILDS = ({"node": "a" * 64}, {"node": "b" * 64})
METRICS = (Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)
KINDS = ["list", "incident"]

Act = Callable[[Session, Incident, Change], object]


def find_incident(host_id: UUID, visibility: str = "public") -> UUID:
    """Return an incident of two changes whose confirmation run and host event are public.

    The sides of the smaller change, and the run of the host event, are runs of their own.
    """
    with unit_of_work() as session:
        history = History(session, host_id, metrics=METRICS, visibility=visibility)
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


def set_build(session: Session, _: Incident, lead: Change) -> None:
    own = CellSummary.cell_id == lead.after_cell_id
    session.execute(update(CellSummary).where(own).values(image_digest="c" * 64))


# Each event, and a test of the head of the incident after it.
CHANGED: dict[str, tuple[Act, Callable[[dict[str, Any]], object]]] = {
    "the incident": (
        lambda _, incident, __: setattr(incident, "note", "slow parser"),
        lambda shown: shown["note"] == "slow parser",
    ),
    "a change": (
        lambda _, __, lead: setattr(lead, "reason", "Another reason."),
        lambda shown: shown["lead"]["reason"] == "Another reason.",
    ),
    "a build": (set_build, lambda shown: shown["lead"]["after"]["image_digest"] == "c" * 64),
    "a hidden run before": (hide(run_before_smaller), lambda shown: shown["changes_total"] == 1),
    "a hidden run after": (hide(run_after_smaller), lambda shown: shown["changes_total"] == 1),
    "a hidden confirmation run": (
        hide(lambda _, lead: lead.confirmation_run_id),
        lambda shown: shown["lead"]["confirmation"] is None,
    ),
    "a hidden host event": (hide(event_run), lambda shown: not shown["lead"]["host_event_id"]),
}


def add_sources(session: Session, incident: Incident, _: Change) -> None:
    for builds in BUILDS:
        session.add(
            BuildSource(
                host_id=incident.host_id,
                digest=builds["node"],
                program="node",
                versions={"runtime": builds["node"]},
                files=[],
            )
        )


def rename_test(session: Session, _: Incident, lead: Change) -> None:
    own = Run.id == lead.confirmation_run_id
    session.execute(update(Run).where(own).values(title="Another title"))


# The same for values that only the whole incident shows.
CHANGED_WHOLE: dict[str, tuple[Act, Callable[[dict[str, Any]], object]]] = {
    "a new point": (
        lambda session, _, lead: add_point(session, lead),
        lambda shown: len(shown["shown"]["points"]) == 31,
    ),
    "sources": (add_sources, lambda shown: shown["programs"][0]["is_recorded"]),
    "a title": (
        rename_test,
        lambda shown: shown["confirmation_runs"][0]["title"] == "Another title",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", CHANGED)
def test_what_an_incident_shows_is_never_old(
    visitor: TestClient, host_id: UUID, kind: str, what: str
) -> None:
    act, has_changed = CHANGED[what]
    shown = read_changed(visitor, host_id, kind, act)
    assert has_changed(shown["items"][0] if kind == "list" else shown)


@pytest.mark.parametrize("what", CHANGED_WHOLE)
def test_what_a_whole_incident_shows_is_never_old(
    visitor: TestClient, host_id: UUID, what: str
) -> None:
    act, has_changed = CHANGED_WHOLE[what]
    assert has_changed(read_changed(visitor, host_id, "incident", act))


def read_changed(asker: TestClient, host_id: UUID, kind: str, act: Act) -> dict[str, Any]:
    """Return what is shown after something happened to an incident that was already shown."""
    incident_id = find_incident(host_id)
    path = path_of(kind, incident_id)
    first = asker.get(path)

    act_on(incident_id, act)

    second = revalidate(asker, path, first)
    assert second.status_code == 200
    shown = document(asker.get(path))
    assert shown == second.json() != first.json()
    return shown


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table", [Framework, Host])
def test_a_new_name_shows_at_once(
    client: TestClient, host_id: UUID, kind: str, table: type[Framework | Host]
) -> None:
    path = path_of(kind, find_incident(host_id))
    first = client.get(path)
    with unit_of_work() as session:
        names = dict(session.execute(select(table.id, table.name)).all())
        session.execute(update(table).values(name=table.name + " renamed"))
    try:
        assert " renamed" in revalidate(client, path, first).text
    finally:
        with unit_of_work() as session:
            for row_id, name in names.items():
                session.execute(update(table).where(table.id == row_id).values(name=name))


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


@pytest.mark.parametrize("kind", KINDS)
def test_a_tag_of_another_viewer_is_of_no_use(client: TestClient, host_id: UUID, kind: str) -> None:
    with unit_of_work() as session:
        ours = add_token(session, None, TokenScope.READ)
        other = add_workspace(session)
        theirs = add_token(session, None, TokenScope.READ, workspace=other.slug)
    path = path_of(kind, find_incident(host_id, "private"))
    tag = {"If-None-Match": client.get(path, headers=ours).headers["etag"]}

    assert client.get(path, headers=ours | tag).status_code == 304
    refused = client.get(path, headers=theirs | tag)
    if kind == "list":
        assert document(refused)["items"] == []
    else:
        problem(refused, 404, "not_found")


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
