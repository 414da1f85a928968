"""Lists leave out reference services, their scenario, and calibration runs."""

from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.units import Purpose
from backend.tests.answers import document, faults
from backend.tests.asking import RUNS, body
from backend.tests.factories import ask_run, succeed_next

API = "/api/v1"
REFERENCE = {"framework": "reference", "scenario": "calibration", "profile": "rate-quick"}


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
