"""GET /frameworks/{slug}/results: the newest results of a framework."""

from typing import Any
from uuid import UUID

from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.tests.answers import document, problem
from backend.tests.factories import ask_run, fail_next, succeed_next

RESULTS = "/api/v1/frameworks/node/results"


def measure(host_id: UUID, latency_ms: float, **changes: Any) -> str:
    with unit_of_work() as session:
        run = ask_run(session, count=1, **{"visibility": "public", **changes})
        succeed_next(session, host_id, [latency_ms] * 5)
        return run.slug


def test_only_the_newest_result_of_a_scenario_and_profile_is_listed(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    public = measure(host_id, 1.0)
    newest = measure(host_id, 2.0, visibility="private")
    with unit_of_work() as session:
        ask_run(session, count=1, visibility="public")
        fail_next(session, host_id)

    (result,) = document(client.get(RESULTS))["items"]

    (shown,) = document(visitor.get(RESULTS))["items"]
    assert shown["run_slug"] == public
    assert (result["run_slug"], result["host"]) == (newest, "bench-01")
    assert (result["cell"]["scenario"]["slug"], result["cell"]["profile"]) == (
        "hello",
        "rate-quick",
    )
    assert result["metric"] == "cpu_us_per_request"
    assert 1.9 < result["cell"]["summary"]["latency_p50_ms"]["estimate"] < 2.1
    assert "too_few_trials" in {verdict["verdict"] for verdict in result["cell"]["verdicts"]}


def test_each_value_of_a_sweep_is_listed(client: TestClient, host_id: UUID) -> None:
    measure(host_id, 9.0)
    with unit_of_work() as session:
        ask_run(session, visibility="public", parameters=[{"rate_rps": 500}, {"rate_rps": 700}])
        for latency_ms in (1.0, 2.0):
            succeed_next(session, host_id, [latency_ms] * 5)

    items = document(client.get(RESULTS))["items"]

    assert [item["cell"]["parameters"]["rate_rps"] for item in items] == [500, 700]


def test_a_framework_without_runs_has_no_results_and_an_unknown_framework_is_404(
    client: TestClient,
) -> None:
    assert document(client.get(RESULTS))["items"] == []
    problem(client.get("/api/v1/frameworks/no-such/results"), 404, "not_found")


def test_a_framework_lists_its_peers_and_backing_services(client: TestClient) -> None:
    nest = document(client.get("/api/v1/frameworks/nest"))

    assert nest["topologies"]["hello-gateway"] == {"peers": ["hello"], "backing_services": []}
    assert "hello" not in nest["topologies"]
