"""/audit: owners read and export the audit log of their workspace."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.api.people.audit import AuditSuffix, list_parts
from backend.core.db import new_session, unit_of_work
from backend.core.models import AuditEvent, Membership, User
from backend.core.people.audit.repository import AuditFilter
from backend.core.statuses import Role
from backend.tests.accounts import add_member, add_token, add_workspace, get_workspace, sign_in
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS, body
from backend.tests.factories import add_host

AUDIT = "/api/v1/audit"
INSTALLATION_AUDIT = "/api/v1/installation-audit"


@pytest.fixture
def ada(client: TestClient) -> dict[str, str]:
    """The headers of an owner of the first workspace, which has a host."""
    with unit_of_work() as session:
        add_host(session)
        return sign_in(session, add_member(session))


def add_entries(session: Session, *actors: str, **changes: Any) -> None:
    """Add entries of the first workspace, a minute apart, the newest last."""
    workspace_id = get_workspace(session).id
    now = datetime.now(UTC)
    session.add_all(
        AuditEvent(
            workspace_id=workspace_id,
            at=now - timedelta(minutes=len(actors) - index),
            actor=actor,
            action=changes.get("action", "run.created"),
            subject_type="run",
            subject_id="k3v9q2mx4d",
            before=None,
            after=changes.get("after", {"title": "Nightly"}),
        )
        for index, actor in enumerate(actors)
    )


def read(client: TestClient, headers: dict[str, str], **query: Any) -> list[dict[str, Any]]:
    page = document(client.get(AUDIT, params=query, headers=headers))
    items: list[dict[str, Any]] = page["items"]
    return items


def test_a_change_names_person_token_and_address_and_reading_leaves_no_entry(
    client: TestClient, ada: dict[str, str]
) -> None:
    with unit_of_work() as session:
        person = session.scalars(select(User)).one()
        personal = add_token(session, person, name="Laptop")
        shared = add_token(session, None, name="CI")
    runs = []
    for headers in (ada, personal, shared):
        run = client.post(RUNS, json=body(title="Nightly"), headers=headers)
        runs.append(document(run, 202))
        document(client.get(RUNS, headers=headers))

    created = read(client, ada, action="run.created")
    assert [entry["actor"] for entry in created] == [
        "CI",
        "ada@example.org (Laptop)",
        "ada@example.org",
    ]
    assert {entry["address"] for entry in created} == {"127.0.0.1"}
    assert len(read(client, ada)) == 3
    newest = created[0]
    assert (newest["subject_type"], newest["subject_id"]) == ("run", runs[-1]["id"])
    assert newest["after"]["title"] == "Nightly"


def test_a_request_that_fails_or_shows_another_workspace_leaves_no_entry(
    client: TestClient, ada: dict[str, str]
) -> None:
    wrong = body({"framework": "nodejs", "scenario": "hello"})
    assert client.post(RUNS, json=wrong, headers=ada).status_code == 422
    with unit_of_work() as session:
        other = add_workspace(session)
        person = session.scalars(select(User)).one()
        session.add(Membership(workspace_id=other.id, user_id=person.id, role=Role.OWNER))

    shown = client.patch("/api/v1/session", json={"workspace": "other"}, headers=ada)

    assert document(shown)["workspace"]["slug"] == "other"
    assert read(client, ada) == []
    document(client.patch("/api/v1/session", json={"workspace": "main"}, headers=ada))
    assert read(client, ada) == []


def test_entries_are_filtered_and_paged(client: TestClient, ada: dict[str, str]) -> None:
    with unit_of_work() as session:
        add_entries(session, "bo@example.org", "ada@example.org", "bo@example.org (CI)")
        add_entries(session, "100%", action="slo.created")

    assert len(read(client, ada, actor="BO@")) == 2
    assert [each["actor"] for each in read(client, ada, actor="%")] == ["100%"]
    assert len(read(client, ada, action="slo.created")) == 1
    assert len(read(client, ada, subject="run")) == 4
    assert len(read(client, ada, subject="k3v9q2mx4d")) == 4
    assert read(client, ada, subject="slo") == []
    since = (datetime.now(UTC) - timedelta(seconds=90)).isoformat()
    assert len(read(client, ada, since=since)) == 2
    assert len(read(client, ada, until=since)) == 2
    first = document(client.get(AUDIT, params={"limit": 3}, headers=ada))
    second = document(client.get(AUDIT, params={"cursor": first["next"]}, headers=ada))
    ids = [each["id"] for each in (*first["items"], *second["items"])]
    assert ids == [each["id"] for each in read(client, ada)]
    assert second["next"] is None


def test_only_owners_read_the_log_of_their_own_workspace(
    client: TestClient, visitor: TestClient, ada: dict[str, str]
) -> None:
    with unit_of_work() as session:
        add_entries(session, "ada@example.org")
        add_workspace(session)
        bo = sign_in(session, add_member(session, "bo@example.org", Role.MAINTAINER))
        eve = sign_in(session, add_member(session, "eve@example.org", workspace="other"))

    assert len(read(client, ada)) == 1
    assert read(client, eve) == []
    for path in (AUDIT, f"{AUDIT}.csv", f"{AUDIT}.json"):
        problem(client.get(path, headers=bo), 403, "forbidden")
        problem(visitor.get(path), 401, "unauthorized")


def test_operators_read_the_log_of_the_installation(
    client: TestClient, ada: dict[str, str]
) -> None:
    with unit_of_work() as session:
        cy = sign_in(session, add_member(session, "cy@example.org", is_operator=True))
    made = document(client.post("/api/v1/workspaces", json={"name": "Web"}, headers=cy), 201)
    inside = cy | {"Tacho-Workspace": made["slug"]}
    client.post("/api/v1/invitations", json={"role": "viewer"}, headers=inside)
    [invited, joined] = read(client, inside)
    assert (invited["action"], joined["action"]) == ("one_time_link.created", "membership.created")
    client.delete(f"/api/v1/workspaces/{made['slug']}", headers=cy)

    entries = document(client.get(INSTALLATION_AUDIT, headers=cy))["items"]

    assert [each["action"] for each in entries] == [
        "workspace.deleted",
        "one_time_link.created",
        "membership.created",
        "workspace.created",
    ]
    problem(client.get(INSTALLATION_AUDIT, headers=ada), 403, "forbidden")


def test_the_csv_file_is_safe_in_spreadsheets(client: TestClient, ada: dict[str, str]) -> None:
    with unit_of_work() as session:
        add_entries(session, "=HYPERLINK(1)", "+1", "-1", "@a", 'plain, "quoted"')

    answer = client.get(f"{AUDIT}.csv", headers=ada)

    assert answer.headers["content-type"].startswith("text/csv")
    assert 'filename="tacho-audit.csv"' in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["actor"] for row in rows] == [
        'plain, "quoted"',
        "'@a",
        "'-1",
        "'+1",
        "'=HYPERLINK(1)",
    ]
    assert json.loads(rows[0]["after"]) == {"title": "Nightly"}
    assert rows[0]["before"] == ""


def test_the_json_file_has_the_filtered_entries(client: TestClient, ada: dict[str, str]) -> None:
    with unit_of_work() as session:
        add_entries(session, "ada@example.org", "bo@example.org", "ada@example.org")

    answer = client.get(f"{AUDIT}.json", params={"actor": "ada"}, headers=ada)

    assert answer.json()["items"] == read(client, ada, actor="ada")
    nobody = client.get(f"{AUDIT}.json", params={"actor": "nobody"}, headers=ada)
    assert nobody.json() == {"items": []}


def test_an_export_is_read_in_pieces_up_to_its_limit(
    client: TestClient, ada: dict[str, str]
) -> None:
    with unit_of_work() as session:
        add_entries(session, *("ada@example.org" for _ in range(2_500)))
        wanted = AuditFilter(workspace_id=get_workspace(session).id)

    for most in (1, 2_500, 3_000):
        with new_session() as session:
            whole = "".join(part(session) for part in list_parts(wanted, AuditSuffix.JSON, most))
            rows = "".join(part(session) for part in list_parts(wanted, AuditSuffix.CSV, most))

        entries = json.loads(whole)["items"]
        times = [entry["at"] for entry in entries]
        assert len(times) == min(most, 2_500)
        assert times == sorted(times, reverse=True)
        assert len(rows.splitlines()) == 1 + len(times)


def test_a_time_is_a_date_with_time_and_zone(client: TestClient, ada: dict[str, str]) -> None:
    for given in ("0.5", "1795201234", "2026-11-23", "yesterday", "2026-11-23T10:00:00"):
        assert "until" in faults(client.get(AUDIT, params={"until": given}, headers=ada))
