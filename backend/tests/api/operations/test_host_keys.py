"""/host-keys: operators create keys, and machines join with them."""

from typing import Any

import psycopg
import pytest
import redis
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import func, select, update

from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.models import AuditEvent, OneTimeLink
from backend.core.queue import open_redis
from backend.tests.accounts import add_member, invite, sign_in
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS, body
from backend.tests.factories import FINGERPRINT, HARNESS, HOST, add_host

KEYS = "/api/v1/host-keys"
HOSTS = "/api/v1/hosts"
NEW = "bench-02"
MACHINE = {
    "runtime": "process",
    "runtime_reason": "No Docker engine answers.",
    "fingerprint": FINGERPRINT,
    "fingerprint_digest": "0123456789abcdef",
    "harness": HARNESS,
}
Headers = dict[str, str]


@pytest.fixture
def operator(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Headers:
    """An operator of an installation whose servers other machines reach at their own address."""
    settings = get_settings()
    monkeypatch.setattr(settings, "public_database", settings.database_url)
    monkeypatch.setattr(settings, "public_redis", settings.redis_url)
    with unit_of_work() as session:
        add_host(session)
        return sign_in(session, add_member(session, is_operator=True))


def create(client: TestClient, headers: Headers, name: str = NEW) -> dict[str, Any]:
    return document(client.post(KEYS, json={"name": name}, headers=headers), 201)


def use(client: TestClient, key: str) -> Response:
    return client.post("/api/v1/joined-hosts", json={"key": key, **MACHINE})


def join(client: TestClient, headers: Headers, name: str = NEW) -> dict[str, Any]:
    return document(use(client, create(client, headers, name)["key"]))


def connect(joined: dict[str, Any]) -> psycopg.Connection:
    return psycopg.connect(joined["database_url"], autocommit=True)


def test_a_machine_joins_with_a_key_and_gets_credentials_that_work(
    client: TestClient, visitor: TestClient, operator: Headers
) -> None:
    made = create(client, operator)
    arguments = f"URL=http://127.0.0.1:8000 KEY={made['key']}"
    assert made["join_command"] == f"make join {arguments}"
    assert made["container_command"] == f"make join-container {arguments}"
    assert [key["name"] for key in document(client.get(KEYS, headers=operator))["items"]] == [NEW]

    joined = document(use(visitor, made["key"]))

    assert (joined["name"], joined["bench_host"], joined["ca_certificate"]) == (NEW, NEW, None)
    with connect(joined) as connection:
        assert connection.execute("SELECT name FROM host").fetchall() == [(NEW,)]
    with open_redis(joined["redis_url"]) as broker:
        assert broker.llen(f"host.{NEW}") == 0
        with pytest.raises(redis.exceptions.NoPermissionError):
            broker.llen(f"host.{HOST}")
    shown = document(client.get(f"{HOSTS}/{NEW}"))
    assert (shown["status"], shown["state"], shown["has_key"]) == ("ready", "offline", True)
    assert document(client.get(KEYS, headers=operator))["items"] == []


def test_all_keys_that_do_not_work_get_the_same_answer(
    client: TestClient, operator: Headers
) -> None:
    used, replaced, withdrawn = create(client, operator, "a"), create(client, operator, "b"), ""
    document(use(client, used["key"]))
    create(client, operator, "b")
    withdrawn = create(client, operator, "c")["key"]
    assert client.delete(f"{KEYS}/c", headers=operator).status_code == 204
    expired = create(client, operator, "d")["key"]
    with unit_of_work() as session:
        expire = update(OneTimeLink).where(OneTimeLink.host_name == "d")
        session.execute(expire.values(expires_at=func.now()))
        invitation = invite(session)

    details = {
        problem(use(client, key), 404, "not_found")["detail"]
        for key in (used["key"], replaced["key"], withdrawn, expired, invitation, "wrong")
    }

    assert len(details) == 1
    assert "creates a new key" in details.pop()


def test_people_cannot_use_the_key_of_a_host(client: TestClient, operator: Headers) -> None:
    key = create(client, operator)["key"]

    problem(client.post("/api/v1/links/read", json={"key": key}), 404, "not_found")
    sent = {"key": key, "email": "eve@example.org", "name": "Eve", "password": "correct horse 7"}
    problem(client.post("/api/v1/links/use", json=sent), 404, "not_found")


def test_a_revoked_host_loses_its_connections_at_once_and_its_runs_are_cancelled(
    client: TestClient, operator: Headers
) -> None:
    joined = join(client, operator)
    with unit_of_work() as session:
        add_host(session, NEW)
    run = document(client.post(RUNS, json=body(host=NEW), headers=operator), 202)
    connection, broker = connect(joined), redis.Redis.from_url(joined["redis_url"])
    broker.llen(f"host.{NEW}")

    revoked = document(client.post(f"{HOSTS}/{NEW}/revoke", headers=operator))

    assert (revoked["status"], revoked["is_usable"]) == ("revoked", False)
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    with pytest.raises(psycopg.OperationalError):
        connect(joined)
    with pytest.raises(redis.RedisError):
        broker.llen(f"host.{NEW}")
    shown = document(client.get(f"/api/v1/runs/{run['id']}", headers=operator))
    assert shown["status"] == "cancelled"
    refused = client.post(RUNS, json=body(host=NEW), headers=operator)
    assert faults(refused) == {"host": f"Host {NEW!r} was revoked; this workspace may use {HOST}."}


def test_a_host_that_joins_again_keeps_its_results_and_loses_its_earlier_credentials(
    client: TestClient, operator: Headers
) -> None:
    first = join(client, operator)
    before = document(client.get(f"{HOSTS}/{NEW}"))["id"]

    second = join(client, operator)
    with pytest.raises(psycopg.OperationalError):
        connect(first)
    connect(second).close()
    document(client.post(f"{HOSTS}/{NEW}/revoke", headers=operator))

    connect(join(client, operator)).close()
    after = document(client.get(f"{HOSTS}/{NEW}"))
    assert (after["id"], after["status"]) == (before, "ready")


def test_a_new_host_gets_a_queue_of_its_own_if_a_renamed_host_has_its_name(
    client: TestClient, operator: Headers
) -> None:
    join(client, operator)
    document(client.patch(f"{HOSTS}/{NEW}", json={"name": "rack-7"}, headers=operator))

    joined = join(client, operator)

    assert joined["name"] == NEW
    assert joined["bench_host"] != NEW
    assert len(document(client.get(HOSTS))["items"]) == 3


def test_a_host_that_did_not_join_with_a_key_is_not_replaced_or_revoked(
    client: TestClient, operator: Headers
) -> None:
    problem(client.post(KEYS, json={"name": HOST}, headers=operator), 409, "conflict")
    for refused in (
        client.post(f"{HOSTS}/{HOST}/revoke", headers=operator),
        client.patch(f"{HOSTS}/{HOST}", json={"is_leaving": True}, headers=operator),
    ):
        assert "Pause the host" in problem(refused, 409, "conflict")["detail"]


def test_names_of_hosts_are_checked(client: TestClient, operator: Headers) -> None:
    for name in ("", "-x", "a b", "a/b", "a" * 64):
        refused = client.post(KEYS, json={"name": name}, headers=operator)
        assert list(faults(refused)) == ["name"]


def test_no_key_is_created_if_other_machines_cannot_reach_the_servers(
    client: TestClient, operator: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(get_settings(), "public_database", "")
    monkeypatch.setattr(get_settings(), "database_url", "postgresql+psycopg://t:s@127.0.0.1/t")

    refused = client.post(KEYS, json={"name": NEW}, headers=operator)

    assert "TACHO_PUBLIC_DATABASE" in problem(refused, 409, "conflict")["detail"]


def test_the_audit_log_names_the_host_and_no_secret(client: TestClient, operator: Headers) -> None:
    made = create(client, operator)
    joined = document(use(client, made["key"]))
    document(client.post(f"{HOSTS}/{NEW}/revoke", headers=operator))

    with unit_of_work() as session:
        entries = session.scalars(select(AuditEvent).order_by(AuditEvent.at, AuditEvent.id)).all()
    found = [(entry.action, entry.actor) for entry in entries]
    assert ("one_time_link.created", "ada@example.org") in found
    assert ("host.created", f"bench host {NEW}") in found
    changes = [entry for entry in entries if entry.action == "host.changed"]
    assert [(entry.actor, entry.after) for entry in changes][-1] == (
        "ada@example.org",
        {"name": NEW, "is_revoked": True},
    )
    password = psycopg.conninfo.conninfo_to_dict(joined["database_url"])["password"]
    text = str([(entry.before, entry.after) for entry in entries])
    assert made["key"] not in text
    assert str(password) not in text
