"""/slos, and the gate of a run."""

from typing import Any
from uuid import UUID

from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.tests.answers import document, faults, problem
from backend.tests.factories import ask_run, fail_next, succeed_next

SLOS = "/api/v1/slos"


def limit(client: TestClient, **fields: Any) -> dict[str, Any]:
    body = {"scenario": "hello", "metric": "latency_p50_ms", "limit": 5.0, **fields}
    return document(client.post(SLOS, json=body), 201)


def measure(client: TestClient, host_id: UUID, latency_ms: float) -> dict[str, Any]:
    """Return a finished run of three trials of node × hello, as the API shows it."""
    with unit_of_work() as session:
        slug = ask_run(session, count=3).slug
        for factor in (0.9, 1.0, 1.1):
            succeed_next(session, host_id, [latency_ms * factor] * 5)
    return document(client.get(f"/api/v1/runs/{slug}"))


def test_a_limit_is_created_and_changed_and_deleted(
    client: TestClient, visitor: TestClient
) -> None:
    made = limit(client, framework="node", profile="rate-quick")
    assert (made["unit"], made["direction"]) == ("ms", "lower")
    again = {"framework": "node", "scenario": "hello", "profile": "rate-quick"}
    again |= {"metric": "latency_p50_ms"}
    problem(client.post(SLOS, json=again | {"limit": 1}), 409, "conflict")
    url = f"{SLOS}/{made['id']}"
    problem(visitor.patch(url, json={"limit": 6}), 401, "unauthorized")
    assert document(client.patch(url, json={"limit": 6}))["limit"] == 6
    assert [item["limit"] for item in document(client.get(SLOS))["items"]] == [6]
    problem(visitor.get(SLOS), 401, "unauthorized")
    document(client.delete(url))
    assert document(client.get(SLOS))["items"] == []
    problem(client.delete(url), 404, "not_found")


def test_a_wrong_limit_is_refused_by_field(client: TestClient) -> None:
    for field, value in (
        ("framework", "nodejs"),
        ("scenario", "hallo"),
        ("profile", "sprint"),
        ("parameters.speed", {"speed": 1}),
        ("parameters.users", {"users": 1}),
        ("metric", "speed"),
        ("limit", 0),
        ("limit", -1),
    ):
        body = {"scenario": "hello", "metric": "latency_p50_ms", "limit": 5.0}
        body |= {"profile": "rate-quick", field.partition(".")[0]: value}
        assert faults(client.post(SLOS, json=body)).keys() == {field}
    assert document(client.get(SLOS))["items"] == []


def test_a_limit_of_a_load_judges_only_that_load(client: TestClient, host_id: UUID) -> None:
    run = measure(client, host_id, 4.0)
    rate = run["cells"][0]["parameters"]["rate_rps"]
    own = limit(client, parameters={"rate_rps": rate}, limit=3.0)
    limit(client, parameters={"rate_rps": rate + 1}, limit=3.0)
    limit(client, parameters={"rate_rps": rate, "duration_seconds": 3600}, limit=3.0)

    (check,) = document(client.get(f"/api/v1/runs/{run['slug']}"))["gate"]["checks"]

    assert (check["slo_id"], check["passed"]) == (own["id"], False)
    body = {"scenario": "hello", "metric": "latency_p50_ms", "limit": 1.0}
    problem(client.post(SLOS, json=body | {"parameters": {"rate_rps": rate}}), 409, "conflict")


def test_a_run_is_compared_with_every_limit_that_applies(client: TestClient, host_id: UUID) -> None:
    run = measure(client, host_id, 4.0)
    assert run["gate"] is None

    for_all = limit(client)
    limit(client, framework="fastapi", limit=1.0)
    limit(client, profile="users-quick", limit=1.0)
    limit(client, metric="throughput_rps", limit=0.001)
    found = document(client.get(f"/api/v1/runs/{run['slug']}"))["gate"]
    assert found["passed"] is True
    assert [(item["metric"], item["passed"]) for item in found["checks"]] == [
        ("latency_p50_ms", True),
        ("throughput_rps", True),
    ]
    (check, _) = found["checks"]
    assert (check["slo_id"], check["cell_id"]) == (for_all["id"], run["cells"][0]["id"])
    assert "includes the limit" in check["detail"]

    beyond = measure(client, host_id, 40.0)["gate"]
    assert [item["passed"] for item in beyond["checks"]] == [False, True]
    assert beyond["passed"] is False


def test_a_result_without_a_value_meets_no_limit(client: TestClient, host_id: UUID) -> None:
    limit(client)
    with unit_of_work() as session:
        slug = ask_run(session, count=1).slug
    waiting = document(client.get(f"/api/v1/runs/{slug}"))
    assert waiting["gate"] is None
    with unit_of_work() as session:
        fail_next(session, host_id)

    gate = document(client.get(f"/api/v1/runs/{slug}"))["gate"]

    assert gate["passed"] is False
    assert gate["checks"][0]["estimate"] is None
