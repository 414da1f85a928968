"""The catalogue and its bounds, the results of a framework, and reference services."""

from typing import Any
from uuid import UUID

import jsonschema
import pytest
from fastapi.testclient import TestClient

from backend.core.config import ROOT
from backend.core.db import unit_of_work
from backend.core.units import Metric, Purpose, Verdict
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS, body
from backend.tests.factories import add_host, ask_run, fail_next, succeed_next

REFERENCE = {"framework": "reference", "scenario": "calibration", "profile": "rate-quick"}
RESULTS = "/api/v1/frameworks/node/results"
API = "/api/v1"


def test_every_framework_folder_is_listed(client: TestClient) -> None:
    page = document(client.get(f"{API}/frameworks"))

    root = ROOT / "services/frameworks"
    folders = {path.parent.name for path in root.glob("*/*/service.toml")}
    versions = {
        f"{path.parents[2].name}-{path.parent.name}"
        for path in root.glob("*/*/versions/*/version.toml")
    }
    items = page["items"]
    assert {item["slug"] for item in items} == folders | versions
    assert {item["slug"] for item in items if item["version_of"]} == versions
    assert page["next"] is None
    order = [(item["language"], item["name"]) for item in items]
    assert order == sorted(order)
    assert len({item["colour"] for item in items}) == len(items)


def test_a_framework_has_a_description_and_lists_hosts_that_cannot_run_it(
    client: TestClient,
) -> None:
    with unit_of_work() as session:
        add_host(session, "bench-01", {"spring-mvc": "mvn is missing"})
        add_host(session, "bench-02")

    node = document(client.get(f"{API}/frameworks/node"))
    spring = document(client.get(f"{API}/frameworks/spring-mvc"))

    assert (node["name"], node["language"]) == ("Node.js", "JavaScript")
    assert {"hello", "slow-upstream"} <= set(node["scenarios"])
    assert node["versions"]["framework"] == "node:http"
    assert node["website"].startswith("https://")
    assert node["unavailable"] == {}
    assert spring["unavailable"] == {"bench-01": "mvn is missing"}


def test_the_bounds_of_a_scenario_apply_to_runs(client: TestClient) -> None:
    """The interface builds its forms from this: a run with all defaults is valid."""
    with unit_of_work() as session:
        add_host(session)
    scenarios = document(client.get(f"{API}/scenarios"))["items"]
    backing = {scenario["slug"]: scenario["backing_services"] for scenario in scenarios}
    assert (backing["hello"], backing["slow-upstream"]) == ([], ["mock-upstream"])
    for scenario in scenarios:
        assert scenario["default_profile"] == scenario["profiles"][0]["slug"]
        framework, *_ = scenario["frameworks"]
        for profile in scenario["profiles"]:
            schema = profile["parameters"]
            jsonschema.Draft202012Validator.check_schema(schema)
            defaults = {name: spec["default"] for name, spec in schema["properties"].items()}
            cell = {
                "framework": framework,
                "scenario": scenario["slug"],
                "profile": profile["slug"],
                "parameters": defaults,
            }
            answer = client.post(RUNS, json={"cells": [cell], "trials": 1})
            document(answer, 202)
            cells = document(client.get(answer.headers["location"]))["cells"]
            swept = profile["sweeps"]
            values = defaults[swept] if swept else [None]
            # The defaults of these are not stored.
            stored = {
                name: value for name, value in defaults.items() if name not in {"arrivals", "cores"}
            }
            assert [cell["parameters"] for cell in cells] == [
                {**stored, **({swept: value} if swept else {})} for value in values
            ]


def test_metrics_have_a_direction_and_verdicts_state_whether_they_exclude(
    client: TestClient,
) -> None:
    metrics = document(client.get(f"{API}/metrics"))["items"]
    verdicts = document(client.get(f"{API}/verdicts"))["items"]

    assert [item["metric"] for item in metrics] == [metric.value for metric in Metric]
    assert {item["direction"] for item in metrics} == {"higher", "lower"}
    assert all(item["title"] and item["unit"] for item in metrics)
    excludes = {item["verdict"]: item["excludes_from_ranking"] for item in verdicts}
    assert list(excludes) == [verdict.value for verdict in Verdict]
    assert (excludes["ok"], excludes["generator_saturated"]) == (False, True)


@pytest.mark.parametrize("noun", ["frameworks", "scenarios", "hosts"])
def test_unknown_things_are_not_found(client: TestClient, noun: str) -> None:
    told = problem(client.get(f"{API}/{noun}/nothing"), 404, "not_found")

    assert f"List the {noun}, and use one of them." in told["detail"]
    assert len(faults(client.get(f"{API}/{noun}/a%00b"))) == 1


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


def slugs(client: TestClient, path: str) -> set[str]:
    return {item["slug"] for item in document(client.get(f"{API}{path}"))["items"]}


def test_reference_services_are_listed_on_request(client: TestClient) -> None:
    assert slugs(client, "/frameworks?mode=reference") == {"null-server", "reference"}
    assert not slugs(client, "/frameworks") & {"null-server", "reference"}
    modes = [slugs(client, f"/frameworks?mode={mode}") for mode in ("ootb", "tuned")]
    assert slugs(client, "/frameworks") == set.union(*modes)
    assert document(client.get(f"{API}/frameworks/reference"))["mode"] == "reference"


def test_the_reference_scenario_is_listed_on_request(client: TestClient) -> None:
    assert slugs(client, "/scenarios?reference=true") == {"calibration"}
    assert "calibration" not in slugs(client, "/scenarios")
    assert document(client.get(f"{API}/scenarios/calibration"))["frameworks"] == ["reference"]
    # The null server implements hello, but is not compared.
    assert "null-server" not in document(client.get(f"{API}/scenarios/hello"))["frameworks"]


def test_a_calibration_run_is_left_out_of_lists_but_has_its_permalink(
    client: TestClient, host_id: UUID
) -> None:
    # An A/A comparison consists of two equal cells.
    asked = body(REFERENCE, REFERENCE, purpose="calibration", trials=2)
    run = document(client.post(RUNS, json=asked), 202)
    other = document(client.post(RUNS, json=body(trials=1)), 202)

    assert (run["purpose"], other["purpose"]) == ("calibration", "comparison")
    assert [item["id"] for item in document(client.get(RUNS))["items"]] == [other["id"]]
    shown = document(client.get(f"{RUNS}?purpose=calibration"))["items"]
    assert [(item["id"], item["purpose"]) for item in shown] == [(run["id"], "calibration")]
    whole = document(client.get(f"{RUNS}/{run['slug']}"))
    assert len({cell["id"] for cell in whole["cells"]}) == 2
    assert len(whole["trials"]) == 4
    assert document(client.post(f"{RUNS}/{run['id']}/rerun"), 202)["purpose"] == "calibration"


@pytest.mark.parametrize("purpose", list(Purpose))
def test_only_comparisons_are_in_histories_and_lists_of_results(
    client: TestClient, host_id: UUID, purpose: Purpose
) -> None:
    with unit_of_work() as session:
        ask_run(session, purpose=purpose)
        succeed_next(session, host_id)

    query = "framework=node&scenario=hello&metric=latency_p50_ms"
    series = document(client.get(f"{API}/history?{query}"))["series"]
    results = document(client.get(f"{API}/cells?framework=node"))["items"]
    newest = document(client.get(f"{API}/frameworks/node/results"))["items"]

    assert len(series) == len(results) == len(newest) == (1 if purpose is Purpose.COMPARISON else 0)


def test_the_bounds_of_a_distribution_apply(client: TestClient, host_id: UUID) -> None:
    cell = REFERENCE | {"parameters": {"stall_per_mille": 1001, "burn_us": -1}}

    assert set(faults(client.post(RUNS, json=body(cell)))) == {
        "cells.0.parameters.stall_per_mille",
        "cells.0.parameters.burn_us",
    }
