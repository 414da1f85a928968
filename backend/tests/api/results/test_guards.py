"""/guards: stored verdicts about changes of own services."""

import json
import time
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError
from sqlalchemy import func, select

from backend.api.http.limits import RUN_BYTES
from backend.api.results.guards import GuardIn
from backend.core.db import unit_of_work
from backend.core.models import AuditEvent, StoredGuard
from backend.core.results.guard import service
from backend.core.results.guard.report import find_headline, list_differences, list_lines
from backend.core.statuses import Role, TokenScope
from backend.tests.accounts import add_member, add_token, add_workspace, sign_in
from backend.tests.answers import document, faults, problem

GUARDS = "/api/v1/guards"
EXAMPLE: Mapping[str, Any] = GuardIn.model_json_schema()["examples"][0]


def make_report(**fields: Any) -> dict[str, Any]:
    return {**deepcopy(dict(EXAMPLE)), **fields}


def make_change(**fields: Any) -> dict[str, Any]:
    """Return a report whose only change has these fields."""
    report = make_report()
    report["loads"][0]["changes"][0] |= fields
    return report


def store(client: TestClient, **fields: Any) -> dict[str, Any]:
    return document(client.post(GUARDS, json=make_report(**fields)), 201)


def list_slugs(client: TestClient, **query: Any) -> list[str]:
    return [item["slug"] for item in document(client.get(GUARDS, params=query))["items"]]


def send(client: TestClient, text: str) -> Any:
    return client.post(GUARDS, content=text, headers={"Content-Type": "application/json"})


def test_a_report_is_stored_with_the_verdict_that_follows_from_it(client: TestClient) -> None:
    answer = client.post(GUARDS, json=make_report())
    stored = document(answer, 201)

    assert stored["verdict"] == "slower"
    assert stored["headline"].startswith("Slower, confirmed: CPU per request +7.9")
    assert stored["lines"][-1] == "Responses equal: 12 of 12."
    assert (stored["service"], stored["differences"]) == ("orders", [])
    assert stored["requested_by"]
    assert stored["permalink"] == f"/guards/{stored['slug']}"
    assert stored["report"]["loads"][0]["changes"][0]["ratio"] == 1.079
    assert answer.headers["location"] == f"{GUARDS}/{stored['slug']}"
    assert document(client.get(answer.headers["location"])) == stored


def test_a_difference_between_responses_is_shown(client: TestClient) -> None:
    difference = {"request": "GET /orders", "place": "$.total", "base": "1", "head": "2"}
    load = make_report()["loads"][0] | {
        "responses": {"compared": 2, "equal": 1, "differences": [difference]},
        "changes": [],
    }
    stored = store(client, loads=[load])

    assert stored["verdict"] == "responses_differ"
    assert stored["differences"] == ["browse: GET /orders: $.total was 1, now 2."]


def test_guards_are_listed_by_page_newest_first(client: TestClient) -> None:
    slugs = [store(client)["slug"] for _ in range(3)]
    other = store(client, service="billing")["slug"]

    assert list_slugs(client) == [other, *reversed(slugs)]
    assert list_slugs(client, service="orders") == slugs[::-1]
    assert list_slugs(client, service="unknown") == []
    first = document(client.get(GUARDS, params={"limit": 3}))
    assert [item["slug"] for item in first["items"]] == [other, slugs[2], slugs[1]]
    last = document(client.get(GUARDS, params={"limit": 3, "cursor": first["next"]}))
    assert ([item["slug"] for item in last["items"]], last["next"]) == ([slugs[0]], None)
    assert "report" not in first["items"][0]
    assert list(faults(client.get(GUARDS, params={"cursor": "x"}))) == ["cursor"]


def test_services_are_listed_with_their_newest_guard(client: TestClient) -> None:
    store(client)
    load = make_report()["loads"][0] | {"changes": []}
    newest = store(client, loads=[load])
    store(client, service="billing")

    found = document(client.get(f"{GUARDS}/services"))["items"]

    assert [(item["service"], item["guards"]) for item in found] == [("billing", 1), ("orders", 2)]
    for name in ("slug", "permalink", "verdict", "headline", "created_at"):
        assert found[1][name] == newest[name]
    assert found[1]["verdict"] == "unknown"


def test_the_history_of_a_service_has_the_commits_that_were_measured_for_it(
    client: TestClient,
) -> None:
    def measure(commit: str, ratio: float, **fields: Any) -> str:
        report = make_change(ratio=ratio, low=ratio - 0.01, high=ratio + 0.01)
        head = {"name": "HEAD", "commit": commit * 40}
        stored = store(client, **report | {"history": "point", "head": head} | fields)
        slug: str = stored["slug"]
        return slug

    slugs = [measure("b", 1.04), measure("c", 1.2)]
    confirmation = measure(
        "c", 1.15, base={"name": "b", "commit": "b" * 40}, history="confirmation"
    )
    measure("d", 1.2, history=None)
    measure("e", 1.2, service="billing")

    [history] = document(client.get(f"{GUARDS}/history", params={"service": "orders"}))["items"]

    assert history["reference"]["commit"] == EXAMPLE["base"]["commit"]
    assert [point["slug"] for point in history["points"]] == slugs
    [change] = history["points"][1]["changes"]
    assert (change["step"], change["confirmed_by"]) == ("worse", confirmation)
    assert list(faults(client.get(f"{GUARDS}/history"))) == ["service"]


def test_a_guard_is_deleted(client: TestClient) -> None:
    slug = store(client)["slug"]

    assert document(client.delete(f"{GUARDS}/{slug}"))["slug"] == slug
    problem(client.get(f"{GUARDS}/{slug}"), 404, "not_found")
    problem(client.delete(f"{GUARDS}/{slug}"), 404, "not_found")
    with unit_of_work() as session:
        rows = select(AuditEvent.action).where(AuditEvent.subject_type == "guard")
        actions = session.scalars(rows.order_by(AuditEvent.id)).all()
    assert actions == ["guard.created", "guard.deleted"]


def test_the_oldest_guard_of_the_service_makes_room(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_GUARDS", 3)
    billing = store(client, service="billing")["slug"]
    orders = [store(client)["slug"] for _ in range(4)]

    assert list_slugs(client) == [orders[3], orders[2], billing]
    first_of_its_service = store(client, service="search")["slug"]
    assert list_slugs(client) == [first_of_its_service, orders[3], orders[2]]


DIFFERENT_DOCUMENTS = {
    "an unknown key": (make_report(verdict="faster"), "verdict"),
    "an unknown key of a change": (make_change(p=0.1), "loads.0.changes.0.p"),
    "worse, but better": (make_change(ratio=0.9), "loads.0.changes.0"),
    "better, but worse": (make_change(state="better"), "loads.0.changes.0"),
    "worse without a ratio": (make_change(ratio=None), "loads.0.changes.0"),
    "an unknown metric": (make_change(metric="speed"), "loads.0.changes.0.metric"),
    "more equal than compared": (
        make_report(
            loads=[{"load": "a", "engine": "k6", "responses": {"compared": 1, "equal": 2}}]
        ),
        "loads.0.responses",
    ),
    "a threshold that was kept too often": (
        make_report(
            loads=[
                {
                    "load": "a",
                    "engine": "k6",
                    "script": {
                        "trials": 1,
                        "thresholds": [{"metric": "wait", "threshold": "max<9", "base": 2}],
                    },
                }
            ]
        ),
        "loads.0.script",
    ),
    "an escape sequence": (make_report(host="\x1b[31mred"), "host"),
    "NUL": (make_report(warnings=["a\x00b"]), "warnings.0"),
    "a path as the service": (make_report(service="../etc"), "service"),
    "no load": (make_report(loads=[]), "loads"),
    "a commit that is none": (make_report(base={"name": "x", "commit": "HEAD"}), "base.commit"),
}


def test_a_wrong_document_is_refused(client: TestClient) -> None:
    for what, (report, field) in DIFFERENT_DOCUMENTS.items():
        assert next(iter(faults(client.post(GUARDS, json=report)))) == field, what
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "1" + "0" * 400):
        text = json.dumps(make_report()).replace("1.079", number)
        problem(send(client, text), 422, "invalid_request")
    half_of_a_character = json.dumps(make_report()).replace("ci-runner", "\\ud800")
    assert list(faults(send(client, half_of_a_character))) == ["host"]
    assert list_slugs(client) == []


def test_many_loads_are_refused(client: TestClient) -> None:
    load = '{"load":"a","engine":"k6"}'
    million = json.dumps(make_report(loads=[])).replace("[]", f"[{','.join([load] * 10**6)}]", 1)
    count = (RUN_BYTES - 1_000) // (len(load) + 1)
    permitted = json.dumps(make_report(loads=[])).replace("[]", f"[{','.join([load] * count)}]", 1)

    problem(send(client, million), 413, "too_large")
    assert list(faults(send(client, permitted))) == ["loads"]


def test_many_wrong_items_take_little_time() -> None:
    for item in ("{}", "[]", "1"):
        report = make_report()
        report["loads"][0]["changes"] = json.loads(f"[{','.join([item] * 60_000)}]")
        begin = time.thread_time()
        with pytest.raises(ValidationError):
            GuardIn.model_validate(report)

        # On an idle machine less than 1 ms.
        assert time.thread_time() - begin < 0.1


def test_extreme_figures_are_stored_and_described(client: TestClient) -> None:
    """No figure that is permitted makes a page fail."""
    extreme = {"limit": 5e-324, "ratio": 1e308, "low": 5e-324, "high": 1e308, "visible": 1e308}
    own = {"ratio": 1e308, "low": 5e-324, "high": 1e308}
    changes = [
        make_change(**extreme, base=5e-324, head=1e308, base_against_itself=own),
        make_change(state="better", ratio=5e-324, pairs=0),
        make_change(state="unknown", pairs=0, pairs_needed=1_000_000, low=5e-324, high=1e308),
    ]
    listed = [report["loads"][0]["changes"][0] for report in changes]
    loads = [make_report()["loads"][0] | {"changes": [change]} for change in listed]
    loads.append(make_report()["loads"][0] | {"changes": listed})

    for chosen in (loads, *([load] for load in loads)):
        stored = store(client, loads=chosen, minutes=100_000, most_minutes=1440)
        assert stored["lines"]
        found = document(client.get(f"{GUARDS}/{stored['slug']}"))
        assert found == stored
        report = GuardIn.model_validate(found["report"])
        assert found["headline"] == find_headline(report)
        assert (found["lines"], found["differences"]) == (
            list_lines(report),
            list_differences(report),
        )


def test_only_members_see_a_guard(client: TestClient, visitor: TestClient) -> None:
    url = f"{GUARDS}/{store(client, history='point')['slug']}"
    with unit_of_work() as session:
        viewer = sign_in(session, add_member(session, "vic@example.org", Role.VIEWER))
        reading = add_token(session, None, TokenScope.READ)
        add_workspace(session, "other")
        eve = add_member(session, "eve@example.org", Role.OWNER, workspace="other")
        outsider = sign_in(session, eve)
        both = add_member(session, "bob@example.org", Role.OWNER, workspace="other")
        add_member(session, "bob@example.org", Role.VIEWER)
        elsewhere = sign_in(session, both, workspace="other")

    for path in (url, GUARDS, f"{GUARDS}/services"):
        problem(visitor.get(path), 401, "unauthorized")
    problem(visitor.post(GUARDS, json=make_report()), 401, "unauthorized")
    problem(visitor.delete(url), 401, "unauthorized")
    for headers in (viewer, reading):
        assert document(visitor.get(url, headers=headers))["service"] == "orders"
        assert len(document(visitor.get(GUARDS, headers=headers))["items"]) == 1
        problem(visitor.delete(url, headers=headers), 403, "forbidden")
        problem(visitor.post(GUARDS, json=make_report(), headers=headers), 403, "forbidden")
    for path in (GUARDS, f"{GUARDS}/services", f"{GUARDS}/history?service=orders"):
        assert document(visitor.get(path, headers=outsider))["items"] == []
    problem(visitor.get(url, headers=outsider), 404, "not_found")
    problem(visitor.delete(url, headers=outsider), 404, "not_found")
    # A person of both workspaces may read it, and changes only the selected workspace.
    assert document(visitor.get(url, headers=elsewhere))["service"] == "orders"
    assert document(visitor.get(GUARDS, headers=elsewhere))["items"] == []
    problem(visitor.delete(url, headers=elsewhere), 404, "not_found")
    with unit_of_work() as session:
        assert session.scalar(select(func.count()).select_from(StoredGuard)) == 1


def test_a_token_for_a_service_guards_no_other_and_starts_no_run(visitor: TestClient) -> None:
    with unit_of_work() as session:
        add_workspace(session, "other")
        headers = add_token(session, services=["orders"], workspace="other", name="pipeline")

    stored = document(visitor.post(GUARDS, json=make_report(), headers=headers), 201)
    assert "pipeline" in stored["requested_by"]
    assert len(document(visitor.get(GUARDS, headers=headers))["items"]) == 1
    other = visitor.post(GUARDS, json=make_report(service="billing"), headers=headers)
    assert faults(other) == {
        "service": "This access token does not allow 'billing'; it allows orders."
    }
    refused = problem(visitor.post("/api/v1/runs", json={}, headers=headers), 403, "forbidden")
    assert refused["detail"] == "This access token is for guards of own services only."
    assert visitor.get("/api/v1/runs", headers=headers).status_code == 200
