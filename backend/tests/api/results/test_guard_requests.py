"""/guards/requests and /guards/sources: guards that bench hosts run."""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import func, select, update

from backend.api.results.guard_requests import GuardRequestIn
from backend.core.db import unit_of_work
from backend.core.models import GuardSource, Host, RequestedGuard
from backend.core.results.guard import requests, requests_repository
from backend.core.results.guard.requests_repository import GuardClaim
from backend.core.results.guard.sources import MOST_SOURCE_BYTES
from backend.core.statuses import Role, TokenScope
from backend.tests.accounts import add_member, add_token, add_workspace, sign_in
from backend.tests.answers import document, faults, problem
from backend.tests.api.results.test_guards import make_report
from backend.tests.factories import HOST, add_host, ask_run, claim_next

GUARDS = "/api/v1/guards"
REQUESTS = f"{GUARDS}/requests"
CONTENT = b"the files of a version"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
EXAMPLE: Mapping[str, Any] = GuardRequestIn.model_json_schema()["examples"][0]


@pytest.fixture
def host(client: TestClient) -> Host:
    """A bench host that is online."""
    with unit_of_work() as session:
        return add_host(session)


def send_source(client: TestClient, content: bytes = CONTENT, **headers: Any) -> str:
    digest = hashlib.sha256(content).hexdigest()
    document(client.put(f"{GUARDS}/sources/{digest}", content=content, **headers))
    return digest


def make_order(**fields: Any) -> dict[str, Any]:
    ordered = {"on": "any", "runtimes": ["process"], "base_source": DIGEST, "head_source": DIGEST}
    return {**EXAMPLE, **ordered, **fields}


def request_guard(client: TestClient, **fields: Any) -> dict[str, Any]:
    send_source(client)
    return document(client.post(REQUESTS, json=make_order(**fields)), 202)


def read(client: TestClient, guard: Mapping[str, Any]) -> dict[str, Any]:
    return document(client.get(f"{REQUESTS}/{guard['id']}"))


def claim(host: Host) -> GuardClaim:
    with unit_of_work() as session:
        claimed = requests_repository.claim_next(session, host.id)
    assert claimed is not None
    return claimed


def end(claimed: GuardClaim, report: dict[str, Any] | None, failure: Any = None) -> None:
    with unit_of_work() as session:
        requests_repository.end(session, claimed, report, failure)
    end_all()


def end_all() -> None:
    with unit_of_work() as session:
        requests.end_guards(session)


def count_sources() -> int | None:
    with unit_of_work() as session:
        return session.scalar(select(func.count()).select_from(GuardSource))


def test_a_source_is_sent_once_with_its_digest_and_a_limit(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(digest: str, content: bytes) -> Response:
        return client.put(f"{GUARDS}/sources/{digest}", content=content)

    problem(client.get(f"{GUARDS}/sources/{DIGEST}"), 404, "not_found")
    assert "has the digest" in problem(put(DIGEST, b"x"), 422, "invalid_request")["detail"]
    large = bytes(MOST_SOURCE_BYTES + 1)
    problem(put(hashlib.sha256(large).hexdigest(), large), 413, "too_large")
    assert count_sources() == 0
    assert send_source(client, large[1:])

    for _ in range(2):
        send_source(client)
    found = document(client.get(f"{GUARDS}/sources/{DIGEST}"))
    assert found == {"digest": DIGEST, "size_bytes": len(CONTENT)}
    assert count_sources() == 2

    monkeypatch.setattr(requests, "MOST_STORED_BYTES", len(CONTENT))
    problem(put(hashlib.sha256(b"x").hexdigest(), b"x"), 429, "limit_exceeded")


def test_a_guard_is_measured_and_stored(client: TestClient, host: Host) -> None:
    guard = request_guard(client)
    assert (guard["status"], guard["host"], guard["waits_for"]) == ("queued", HOST, "")

    claimed = claim(host)
    with unit_of_work() as session:
        content = requests_repository.read_source(session, claimed.workspace_id, DIGEST)
        requests_repository.report_progress(session, claimed, ["base: ready"], "browse: pair 1")
    assert content == CONTENT
    running = read(client, guard)
    assert (running["status"], running["doing"]) == ("running", "browse: pair 1")
    assert running["progress"] == ["base: ready"]
    assert [item["id"] for item in document(client.get(REQUESTS))["items"]] == [guard["id"]]

    # A host cannot give the result another name or another version.
    end(claimed, make_report(host="forged", head={"name": "forged", "build": "c" * 64}))
    finished = read(client, guard)
    assert (finished["status"], finished["failure"]) == ("finished", None)
    stored = document(client.get(f"{GUARDS}/{finished['slug']}"))
    assert finished["permalink"] == f"/guards/{finished['slug']}"
    assert (stored["verdict"], stored["requested_by"]) == ("slower", guard["requested_by"])
    assert stored["report"]["host"] == HOST
    assert stored["report"]["head"]["name"] == guard["head"]["name"]
    assert stored["report"]["head"]["build"] == "c" * 64
    assert document(client.get(REQUESTS))["items"] == []


def test_a_guard_fails_with_a_wrong_report_or_the_message_of_its_host(
    client: TestClient, host: Host
) -> None:
    for report in ({}, make_report(service="other"), make_report(host="\x1b[2J")):
        guard = request_guard(client)
        end(claim(host), report)

        failed = read(client, guard)
        assert (failed["status"], failed["slug"]) == ("failed", None)
        assert "wrong report" in failed["failure"]["detail"]

    guard = request_guard(client)
    failure = {"code": "not_measurable", "detail": "The head cannot be measured."}
    end(claim(host), None, failure)
    assert (read(client, guard)["status"], read(client, guard)["failure"]) == ("failed", failure)


def test_a_lost_guard_begins_again_once(client: TestClient, host: Host) -> None:
    guard = request_guard(client)
    lost = claim(host)
    with unit_of_work() as session:
        session.execute(
            update(RequestedGuard).values(lease_until=func.now() - timedelta(seconds=1))
        )
        requests.recover_lost(session)
    assert read(client, guard)["status"] == "queued"

    again = claim(host)
    # The first worker comes back too late.
    end(lost, make_report())
    assert read(client, guard)["status"] == "running"
    with unit_of_work() as session:
        assert requests_repository.renew_lease(session, lost) == (False, False)
        assert requests_repository.renew_lease(session, again) == (True, False)
        requests.recover_lost(session, host.id)
    end_all()
    failed = read(client, guard)
    assert (failed["status"], failed["failure"]["code"]) == ("failed", "worker_lost")


def test_a_guard_does_not_wait_for_a_host_that_is_gone(client: TestClient, host: Host) -> None:
    guard = request_guard(client)
    with unit_of_work() as session:
        session.execute(update(Host).values(seen_at=func.now() - timedelta(minutes=5)))
    end_all()
    assert read(client, guard)["waits_for"] == "the host is offline"

    with unit_of_work() as session:
        session.execute(update(Host).values(seen_at=func.now() - timedelta(minutes=11)))
    end_all()
    assert read(client, guard)["failure"]["code"] == "unavailable"
    problem(client.post(REQUESTS, json=make_order()), 409, "conflict")


def test_guards_and_runs_begin_in_the_order_of_their_requests(
    client: TestClient, host: Host
) -> None:
    with unit_of_work() as session:
        ask_run(session)
    request_guard(client)
    with unit_of_work() as session:
        ask_run(session)

    with unit_of_work() as session:
        assert requests_repository.claim_next(session, host.id) is None
        assert claim_next(session, host.id) is not None
    assert claim(host)


def test_a_guard_is_cancelled(client: TestClient, host: Host) -> None:
    waiting, running = request_guard(client), request_guard(client)
    cancelled = document(client.post(f"{REQUESTS}/{waiting['id']}/cancel"))
    assert cancelled["status"] == "cancelled"

    claimed = claim(host)
    document(client.post(f"{REQUESTS}/{running['id']}/cancel"))
    with unit_of_work() as session:
        assert requests_repository.renew_lease(session, claimed) == (True, True)
        requests_repository.give_back(session, claimed)
        assert requests_repository.claim_next(session, host.id) is None
    end_all()
    assert read(client, running)["status"] == "cancelled"
    again = document(client.post(f"{REQUESTS}/{running['id']}/cancel"))
    assert again["status"] == "cancelled"


def test_a_host_must_fit_and_open_guards_have_a_limit(
    client: TestClient, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_source(client)
    for fields, text in (
        ({"on": "nowhere"}, "There is no host"),
        ({"on": HOST, "runtimes": ["docker"]}, "has the runtime process"),
    ):
        answer = client.post(REQUESTS, json=make_order(**fields))
        assert text in problem(answer, 422, "invalid_request")["detail"]
    problem(client.post(REQUESTS, json=make_order(runtimes=["docker"])), 409, "conflict")
    problem(client.post(REQUESTS, json=make_order(head_source="0" * 64)), 409, "conflict")
    assert list(faults(client.post(REQUESTS, json=make_order(runtimes=[])))) == ["runtimes"]
    monkeypatch.setattr(requests, "MOST_OPEN", 1)
    request_guard(client)
    problem(client.post(REQUESTS, json=make_order()), 429, "limit_exceeded")


def test_sources_are_removed_when_no_guard_needs_them(client: TestClient, host: Host) -> None:
    request_guard(client)
    send_source(client, b"unused")
    with unit_of_work() as session:
        requests_repository.delete_unneeded(session)
    assert count_sources() == 2

    with unit_of_work() as session:
        session.execute(update(GuardSource).values(used_at=func.now() - timedelta(hours=2)))
        requests_repository.delete_unneeded(session)
    assert count_sources() == 1
    end(claim(host), make_report())
    with unit_of_work() as session:
        requests_repository.delete_unneeded(session)
    assert count_sources() == 0


def test_a_workspace_sees_only_its_own(client: TestClient, visitor: TestClient, host: Host) -> None:
    guard = request_guard(client)
    with unit_of_work() as session:
        add_workspace(session, "other")
        eve = add_member(session, "eve@example.org", Role.OWNER, workspace="other")
        outsider = sign_in(session, eve)
        viewer = sign_in(session, add_member(session, "vic@example.org", Role.VIEWER))
        bound = add_token(session, None, TokenScope.RUN, hosts=["elsewhere"])

    url = f"{REQUESTS}/{guard['id']}"
    problem(visitor.get(f"{GUARDS}/sources/{DIGEST}", headers=outsider), 404, "not_found")
    answer = visitor.post(REQUESTS, json=make_order(), headers=outsider)
    assert "is not stored" in problem(answer, 409, "conflict")["detail"]
    problem(visitor.get(url, headers=outsider), 404, "not_found")
    problem(visitor.post(f"{url}/cancel", headers=outsider), 404, "not_found")
    assert document(visitor.get(REQUESTS, headers=outsider))["items"] == []
    problem(visitor.get(url), 401, "unauthorized")

    assert document(visitor.get(url, headers=viewer))["status"] == "queued"
    problem(visitor.post(f"{url}/cancel", headers=viewer), 403, "forbidden")
    refused = visitor.put(f"{GUARDS}/sources/{DIGEST}", content=CONTENT, headers=viewer)
    problem(refused, 403, "forbidden")
    answer = visitor.post(REQUESTS, json=make_order(), headers=bound)
    assert list(faults(answer)) == ["on"]


def test_a_token_for_a_service_neither_requests_nor_cancels_guards_of_others(
    client: TestClient, visitor: TestClient, host: Host
) -> None:
    own, other = request_guard(client), request_guard(client, service="billing")
    with unit_of_work() as session:
        headers = add_token(session, services=[own["service"]])

    send_source(visitor, headers=headers)
    document(visitor.post(REQUESTS, json=make_order(), headers=headers), 202)
    order = make_order(service="billing")
    assert list(faults(visitor.post(REQUESTS, json=order, headers=headers))) == ["service"]

    refused = visitor.post(f"{REQUESTS}/{other['id']}/cancel", headers=headers)
    assert list(faults(refused)) == ["service"]
    assert read(client, other)["status"] == "queued"
    document(visitor.post(f"{REQUESTS}/{own['id']}/cancel", headers=headers))
    assert read(client, own)["status"] == "cancelled"
