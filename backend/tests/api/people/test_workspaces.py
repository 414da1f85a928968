"""/workspaces: operators create, rename and delete workspaces."""

from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.tests.accounts import add_user, add_workspace, sign_in
from backend.tests.answers import document, faults, problem

WORKSPACES = "/api/v1/workspaces"


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
