"""Changes are stored one by one, and computed again when something that they show changes."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.models import (
    CellMetric,
    CellSummary,
    Change,
    Framework,
    Host,
    HostEvent,
    Run,
    Scenario,
)
from backend.core.statuses import TokenScope, Visibility
from backend.tests.accounts import add_token, add_workspace
from backend.tests.answers import document, problem
from backend.tests.api.conditional.test_documents import revalidate
from backend.tests.factories import ask_run, first_workspace
from backend.tests.histories import History

CHANGES = "/api/v1/changes"
BUILDS = ({"node": "a" * 64}, {"node": "b" * 64})
KINDS = ["list", "change"]

Act = Callable[[Session, Change], object]


def find_change(host_id: UUID, visibility: str = "public") -> UUID:
    """Return the change of a host on which node × hello became 8 % slower.

    The run of its host event is not one of its series.
    """
    with unit_of_work() as session:
        history = History(session, host_id, visibility=visibility)
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


def add_point(session: Session, change: Change) -> None:
    later = datetime(2026, 12, 24, tzinfo=UTC)
    History(session, change.host_id, first=later).add(10.8, BUILDS[1])


def widen(session: Session, change: Change) -> None:
    own = CellMetric.cell_id == change.after_cell_id
    session.execute(update(CellMetric).where(own).values(high=99.0))


# Each event, and a test of the change after it.
CHANGED: dict[str, tuple[Act, Callable[[dict[str, Any]], object]]] = {
    "the change": (
        lambda _, change: setattr(change, "reason", "Another reason."),
        lambda shown: shown["reason"] == "Another reason.",
    ),
    "a new point": (add_point, lambda shown: len(shown["points"]) == 27),
    "a metric": (widen, lambda shown: 99.0 in [point["high"] for point in shown["points"]]),
    "a hidden point": (hide(newest_run), lambda shown: len(shown["points"]) == 25),
    "a hidden confirmation run": (
        hide(lambda _, change: change.confirmation_run_id),
        lambda shown: shown["confirmation"] is None,
    ),
    "a hidden host event": (hide(event_run), lambda shown: shown["host_event_id"] is None),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", CHANGED)
def test_what_a_change_shows_is_never_old(
    visitor: TestClient, host_id: UUID, kind: str, what: str
) -> None:
    change_id = find_change(host_id)
    path = path_of(kind, change_id)
    act, has_changed = CHANGED[what]
    first = visitor.get(path)

    act_on(change_id, act)

    second = revalidate(visitor, path, first)
    assert second.status_code == 200
    shown = document(visitor.get(path))
    assert shown == second.json() != first.json()
    assert has_changed(shown["items"][0] if kind == "list" else shown)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table", [Framework, Scenario, Host])
def test_a_new_name_shows_at_once(
    client: TestClient, host_id: UUID, kind: str, table: type[Framework | Scenario | Host]
) -> None:
    path = path_of(kind, find_change(host_id))
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


@pytest.mark.parametrize("kind", KINDS)
def test_a_tag_of_another_viewer_is_of_no_use(client: TestClient, host_id: UUID, kind: str) -> None:
    with unit_of_work() as session:
        ours = add_token(session, None, TokenScope.READ)
        other = add_workspace(session)
        theirs = add_token(session, None, TokenScope.READ, workspace=other.slug)
    path = path_of(kind, find_change(host_id, "private"))
    first = client.get(path, headers=ours)
    tag = {"If-None-Match": first.headers["etag"]}

    assert client.get(path, headers=ours | tag).status_code == 304
    refused = client.get(path, headers=theirs | tag)
    if kind == "list":
        assert document(refused)["items"] == []
    else:
        problem(refused, 404, "not_found")


@pytest.mark.parametrize("tag", ["*", 'W/"d41d8cd98f00b204e9800998ecf8427e-public"'])
def test_a_missing_change_is_never_known(visitor: TestClient, host_id: UUID, tag: str) -> None:
    missing = f"{CHANGES}/{UUID(int=1)}"
    problem(visitor.get(missing, headers={"If-None-Match": tag}), 404, "not_found")
