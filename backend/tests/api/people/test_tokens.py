"""/tokens: people create and revoke access tokens, for themselves and for the workspace."""

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.statuses import Role
from backend.tests.accounts import add_member, add_token, sign_in
from backend.tests.answers import document, faults, problem
from backend.tests.api.access.test_writing import bearer
from backend.tests.asking import RUNS, body
from backend.tests.factories import HOST, add_host
from backend.tests.late_writes import write_now

TOKENS = "/api/v1/tokens"


def create(client: TestClient, headers: dict[str, str], **fields: Any) -> dict[str, Any]:
    sent = {"name": "CI", "scope": "run", **fields}
    return document(client.post(TOKENS, json=sent, headers=headers), 201)


def test_a_token_is_shown_once_and_works(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session)
        ada = sign_in(session, add_member(session))

    made = create(client, ada, days=30)

    secret = made.pop("token")
    assert secret.startswith(made["prefix"])
    assert datetime.fromisoformat(made["expires_at"]) > datetime.now(UTC) + timedelta(days=29)
    assert document(client.get(TOKENS, headers=ada))["items"] == [made]
    assert document(client.post(RUNS, json=body(), headers=bearer(secret)), 202)
    write_now(client)
    [used] = document(client.get(TOKENS, headers=ada))["items"]
    assert used["last_used_at"] is not None
    assert used["last_address"] == "127.0.0.1"


def test_a_revoked_token_stops_at_once(client: TestClient) -> None:
    with unit_of_work() as session:
        ada = sign_in(session, add_member(session))
    made = create(client, ada)

    assert client.delete(f"{TOKENS}/{made['id']}", headers=ada).status_code == 204
    refused = problem(client.get(TOKENS, headers=bearer(made["token"])), 401, "unauthorized")

    assert "was revoked on" in refused["detail"]
    [shown] = document(client.get(TOKENS, headers=ada))["items"]
    assert shown["revoked_at"] is not None


def test_tokens_of_the_workspace_belong_to_its_owners(client: TestClient) -> None:
    with unit_of_work() as session:
        ada = sign_in(session, add_member(session))
        bo = sign_in(session, add_member(session, "bo@example.org", Role.MAINTAINER))

    shared = create(client, ada, owner="workspace", scope="manage")
    own = create(client, bo, scope="manage")

    sent = {"name": "CI", "scope": "read", "owner": "workspace"}
    problem(client.post(TOKENS, json=sent, headers=bo), 403, "forbidden")
    assert shared["owner"] == "workspace"
    assert [each["id"] for each in document(client.get(TOKENS, headers=bo))["items"]] == [own["id"]]
    assert len(document(client.get(TOKENS, headers=ada))["items"]) == 1
    problem(client.delete(f"{TOKENS}/{shared['id']}", headers=bo), 404, "not_found")
    problem(client.delete(f"{TOKENS}/{own['id']}", headers=ada), 404, "not_found")
    assert client.delete(f"{TOKENS}/{shared['id']}", headers=ada).status_code == 204


def test_invalid_tokens_are_refused(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session)
        bo = sign_in(session, add_member(session, "bo@example.org", Role.MEMBER))

    cases: list[tuple[str, dict[str, Any]]] = [
        ("scope", {"scope": "manage"}),
        ("scope", {"scope": "own"}),
        ("hosts.0", {"hosts": ["bench-99"]}),
        ("frameworks.1", {"frameworks": ["node", "nodejs"]}),
        ("hosts", {"hosts": []}),
        ("days", {"days": 0}),
        ("name", {"name": ""}),
        ("owner", {"owner": "you"}),
    ]
    for field, fields in cases:
        sent = {"name": "CI", "scope": "run", **fields}
        assert field in faults(client.post(TOKENS, json=sent, headers=bo))
    assert document(client.get(TOKENS, headers=bo))["items"] == []


def test_a_restricted_token_queues_only_runs_that_it_allows(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session)
        add_host(session, "bench-02")
        ada_id = add_member(session).id
        one = add_token(session, ada_id, hosts=["bench-02"], frameworks=["node"])
        two = add_token(session, ada_id, hosts=[HOST, "bench-02"])
        ada = sign_in(session, ada_id)

    run = document(client.post(RUNS, json=body(), headers=one), 202)
    assert run["host"] == "bench-02"
    elsewhere = document(client.post(RUNS, json=body(host=HOST), headers=ada), 202)
    express = {"framework": "express", "scenario": "hello"}
    assert faults(client.post(RUNS, json=body(express, host=HOST), headers=one)).keys() == {
        "host",
        "cells.0.framework",
    }
    assert "host" in faults(client.post(RUNS, json=body(), headers=two))
    assert client.post(RUNS, json=body(host=HOST), headers=two).status_code == 202
    assert "host" in faults(client.post(f"{RUNS}/{elsewhere['slug']}/rerun", headers=one))
    assert client.post(f"{RUNS}/{run['slug']}/rerun", headers=one).status_code == 202
