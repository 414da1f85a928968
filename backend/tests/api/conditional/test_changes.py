"""Changes never show a run that has become private, also to a viewer who saw it before."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.models import (
    CellSummary,
    Change,
    HostEvent,
    Run,
)
from backend.core.statuses import Visibility
from backend.tests.answers import document, problem
from backend.tests.api.conditional.test_documents import revalidate
from backend.tests.factories import ask_run, first_workspace
from backend.tests.histories import History

CHANGES = "/api/v1/changes"
BUILDS = ({"node": "a" * 64}, {"node": "b" * 64})
KINDS = ["list", "change"]

Act = Callable[[Session, Change], object]


def find_change(host_id: UUID) -> UUID:
    """Return the change of a host on which node × hello became 8 % slower.

    The run of its host event is not one of its series.
    """
    with unit_of_work() as session:
        history = History(session, host_id, visibility="public")
        history.land(24, 10.0, BUILDS[0])
        history.land(6, 10.8, BUILDS[1])
        change = session.scalars(select(Change)).one()
        event = HostEvent(
            workspace_id=first_workspace(session),
            host_id=host_id,
            run_id=ask_run(session, visibility="public").id,
            metric=change.metric,
            at=change.at,
            ratio=1.08,
            series_shifted=3,
            series_total=3,
        )
        session.add(event)
        session.flush()
        change.host_event_id = event.id
        return change.id


def path_of(kind: str, change_id: UUID) -> str:
    return {"list": CHANGES, "change": f"{CHANGES}/{change_id}"}[kind]


def act_on(change_id: UUID, act: Act) -> None:
    with unit_of_work() as session:
        act(session, session.get_one(Change, change_id))


def hide(run_id: Callable[[Session, Change], object]) -> Act:
    """Return what makes this run private."""

    def act(session: Session, change: Change) -> None:
        own = Run.id == run_id(session, change)
        session.execute(update(Run).where(own).values(visibility=Visibility.PRIVATE))

    return act


def run_of(session: Session, cell_id: UUID) -> UUID:
    return session.get_one(CellSummary, cell_id).run_id


def newest_run(session: Session, _: Change) -> object:
    return session.scalars(select(CellSummary.run_id).order_by(CellSummary.at.desc())).first()


def event_run(session: Session, change: Change) -> object:
    return session.get_one(HostEvent, change.host_event_id).run_id


# Each hides a run, and tests the change after that.
HIDDEN: dict[str, tuple[Act, Callable[[dict[str, Any]], object]]] = {
    "a point": (hide(newest_run), lambda shown: len(shown["points"]) == 25),
    "a confirmation run": (
        hide(lambda _, change: change.confirmation_run_id),
        lambda shown: shown["confirmation"] is None,
    ),
    "a host event": (hide(event_run), lambda shown: shown["host_event_id"] is None),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", HIDDEN)
def test_a_change_does_not_show_what_has_become_private(
    visitor: TestClient, host_id: UUID, kind: str, what: str
) -> None:
    change_id = find_change(host_id)
    path = path_of(kind, change_id)
    act, is_hidden = HIDDEN[what]
    first = visitor.get(path)

    act_on(change_id, act)

    second = revalidate(visitor, path, first)
    assert second.status_code == 200
    shown = document(visitor.get(path))
    assert shown == second.json() != first.json()
    assert is_hidden(shown["items"][0] if kind == "list" else shown)


@pytest.mark.parametrize("side", ["before_cell_id", "after_cell_id"])
def test_a_change_of_a_run_that_becomes_private_is_hidden(
    client: TestClient, visitor: TestClient, host_id: UUID, side: str
) -> None:
    change_id = find_change(host_id)
    shown = {kind: visitor.get(path_of(kind, change_id)) for kind in KINDS}
    mine = {kind: client.get(path_of(kind, change_id)) for kind in KINDS}

    act_on(change_id, hide(lambda session, change: run_of(session, getattr(change, side))))

    for known in (shown, mine):
        assert document(revalidate(visitor, CHANGES, known["list"]))["items"] == []
        problem(revalidate(visitor, f"{CHANGES}/{change_id}", known["change"]), 404, "not_found")
    assert len(document(client.get(CHANGES))["items"]) == 1
    document(client.get(f"{CHANGES}/{change_id}"))
