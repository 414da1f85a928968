"""GET /frameworks, /scenarios, /metrics and /verdicts: the catalogue and its bounds."""

import jsonschema
import pytest
from fastapi.testclient import TestClient

from backend.core.config import ROOT
from backend.core.db import unit_of_work
from backend.core.units import Metric, Verdict
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS
from backend.tests.factories import add_host

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
