"""/workspaces, /members and /invitations: who belongs to a workspace."""

from datetime import UTC, datetime

from fastapi.testclient import TestClient
from sqlalchemy import select

from backend.core.db import unit_of_work
from backend.core.models import OneTimeLink
from backend.core.people.access.keys import hash_key
from backend.core.statuses import Role, TokenScope
from backend.tests.accounts import add_member, add_token, add_user, add_workspace, sign_in
from backend.tests.answers import document, faults, problem

WORKSPACES = "/api/v1/workspaces"
MEMBERS = "/api/v1/members"
INVITATIONS = "/api/v1/invitations"


def test_an_owner_changes_roles_and_removes_members(client: TestClient) -> None:
    with unit_of_work() as session:
        ada = sign_in(session, add_member(session, "ada@example.org"))
        bo_id = add_member(session, "bo@example.org", Role.MEMBER).id
        bo = sign_in(session, bo_id)

    shown = document(client.get(MEMBERS, headers=bo))["items"]
    assert [(each["name"], each["role"]) for each in shown] == [("Ada", "owner"), ("Bo", "member")]
    path = f"{MEMBERS}/{bo_id}"
    changed = document(client.patch(path, json={"role": "viewer"}, headers=ada))
    assert changed["role"] == "viewer"
    assert document(client.get(MEMBERS, headers=bo))["items"][1]["role"] == "viewer"
    assert client.delete(path, headers=ada).status_code == 204
    problem(client.get(MEMBERS, headers=bo), 403, "forbidden")
    problem(client.patch(path, json={"role": "viewer"}, headers=ada), 404, "not_found")


def test_the_last_owner_stays(client: TestClient) -> None:
    with unit_of_work() as session:
        ada_id = add_member(session).id
        ada = sign_in(session, ada_id)

    for answer in (
        client.delete("/api/v1/membership", headers=ada),
        client.delete(f"{MEMBERS}/{ada_id}", headers=ada),
        client.patch(f"{MEMBERS}/{ada_id}", json={"role": "member"}, headers=ada),
    ):
        assert "last owner" in problem(answer, 409, "conflict")["detail"]


def test_a_member_leaves(client: TestClient) -> None:
    with unit_of_work() as session:
        add_member(session, "ada@example.org")
        bo_id = add_member(session, "bo@example.org", Role.VIEWER).id
        bo, token = sign_in(session, bo_id), add_token(session, bo_id, TokenScope.READ)

    problem(client.delete("/api/v1/membership", headers=token), 403, "forbidden")
    assert client.get(MEMBERS, headers=token).status_code == 200
    assert client.delete("/api/v1/membership", headers=bo).status_code == 204
    refused = problem(client.get(MEMBERS, headers=token), 401, "unauthorized")
    assert "was revoked on" in refused["detail"]


def test_members_of_another_workspace_are_hidden(client: TestClient) -> None:
    with unit_of_work() as session:
        add_workspace(session)
        ada = sign_in(session, add_member(session))
        stranger_id = add_member(session, "eve@example.org", workspace="other").id

    other = ada | {"Tacho-Workspace": "other"}
    problem(client.get(MEMBERS, headers=other), 404, "not_found")
    problem(client.delete(f"{MEMBERS}/{stranger_id}", headers=ada), 404, "not_found")
    assert len(document(client.get(MEMBERS, headers=ada))["items"]) == 1


def test_the_link_of_an_invitation_is_shown_once(client: TestClient) -> None:
    with unit_of_work() as session:
        ada = sign_in(session, add_member(session))

    body = {"email": "Bo@Example.org", "role": "member"}
    made = document(client.post(INVITATIONS, json=body, headers=ada), 201)

    origin, _, key = made.pop("url").partition("/join#")
    assert origin == "http://127.0.0.1:8000"
    assert (made["email"], made["created_by"]) == ("bo@example.org", "ada@example.org")
    left = datetime.fromisoformat(made["expires_at"]) - datetime.now(UTC)
    assert left.days == 6
    assert document(client.get(INVITATIONS, headers=ada))["items"] == [made]
    with unit_of_work() as session:
        assert session.scalars(select(OneTimeLink.key_hash)).all() == [hash_key(key)]


def test_a_revoked_invitation_does_not_work(client: TestClient) -> None:
    with unit_of_work() as session:
        ada = sign_in(session, add_member(session))
    made = document(client.post(INVITATIONS, json={"role": "viewer"}, headers=ada), 201)
    key = made["url"].partition("#")[2]
    read = "/api/v1/links/read"
    assert document(client.post(read, json={"key": key}))["workspace"] is not None

    assert client.delete(f"{INVITATIONS}/{made['id']}", headers=ada).status_code == 204

    problem(client.post(read, json={"key": key}), 404, "not_found")
    problem(client.delete(f"{INVITATIONS}/{made['id']}", headers=ada), 404, "not_found")


def test_invalid_invitations_are_refused(client: TestClient) -> None:
    with unit_of_work() as session:
        ada = sign_in(session, add_member(session))

    wrong = {"role": "admin", "email": "bo", "days": 0}
    refused = client.post(INVITATIONS, json=wrong, headers=ada)
    assert faults(refused).keys() == {"role", "email", "days"}
    again = {"role": "viewer", "email": "ada@example.org"}
    problem(client.post(INVITATIONS, json=again, headers=ada), 409, "conflict")


def test_an_operator_becomes_owner_of_a_new_workspace(client: TestClient) -> None:
    with unit_of_work() as session:
        ada = sign_in(session, add_user(session, is_operator=True))

    made = document(client.post(WORKSPACES, json={"name": "Web team"}, headers=ada), 201)

    assert (made["slug"], made["members"], made["runs"]) == ("web-team", 1, 0)
    slugs = [each["slug"] for each in document(client.get(WORKSPACES, headers=ada))["items"]]
    assert slugs == ["main", "web-team"]
    [member] = document(client.get("/api/v1/members", headers=ada))["items"]
    assert (member["email"], member["role"]) == ("ada@example.org", "owner")


def test_the_local_owner_creates_a_workspace_without_members(client: TestClient) -> None:
    made = document(client.post(WORKSPACES, json={"name": "Web", "slug": "web-2"}), 201)

    assert (made["slug"], made["members"]) == ("web-2", 0)


def test_a_workspace_is_renamed_and_deleted(client: TestClient) -> None:
    with unit_of_work() as session:
        add_workspace(session, "web")

    renamed = document(client.patch(f"{WORKSPACES}/web", json={"name": "Web team"}))
    assert (renamed["slug"], renamed["name"]) == ("web", "Web team")
    assert client.delete(f"{WORKSPACES}/web").status_code == 204
    problem(client.delete(f"{WORKSPACES}/web"), 404, "not_found")
    problem(client.delete(f"{WORKSPACES}/main"), 409, "conflict")


def test_invalid_names_and_slugs_are_refused(client: TestClient) -> None:
    for body, field in (
        ({"name": ""}, "name"),
        ({"name": "Web", "slug": "We b"}, "slug"),
        ({"name": "日本"}, "slug"),
        ({}, "name"),
    ):
        assert field in faults(client.post(WORKSPACES, json=body))
    problem(client.post(WORKSPACES, json={"name": "Main"}), 409, "conflict")
