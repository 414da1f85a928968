"""/incidents: changes with the same build, their differences, and decisions about them."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.models import BuildSource
from backend.core.units import Metric
from backend.tests.answers import document, faults, problem
from backend.tests.histories import History

INCIDENTS = "/api/v1/incidents"
BUILDS = ({"node": "a" * 64}, {"node": "b" * 64})
METRICS = (Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)


@pytest.fixture
def slower(host_id: UUID) -> UUID:
    """A host on which two metrics of node × hello rose by 10 % with a new build."""
    with unit_of_work() as session:
        history = History(session, host_id, metrics=METRICS)
        history.land(24, 10.0, BUILDS[0])
        history.land(6, 11.0, BUILDS[1])
    return host_id


def get_only(client: TestClient) -> dict[str, Any]:
    (item,) = document(client.get(INCIDENTS))["items"]
    return document(client.get(f"{INCIDENTS}/{item['id']}"))


def add_sources(host_id: UUID, slow: str) -> None:
    with unit_of_work() as session:
        for builds, version, text in (
            (BUILDS[0], "24.1.0", "fast();\n"),
            (BUILDS[1], "24.2.0", slow),
        ):
            session.add(
                BuildSource(
                    host_id=host_id,
                    digest=builds["node"],
                    program="node",
                    versions={"runtime": version, "framework": "1"},
                    files=[{"path": "server.js", "sha256": text, "text": text}],
                )
            )


@pytest.mark.usefixtures("slower")
def test_a_list_has_one_row_for_all_series_of_a_build(client: TestClient) -> None:
    (item,) = document(client.get(INCIDENTS))["items"]

    assert (item["kind"], item["status"], item["is_open"]) == ("service", "testing", True)
    assert (item["framework"]["slug"], item["host"]) == ("node", "bench-01")
    assert (item["changes_total"], item["changes_worse"], item["changes_better"]) == (2, 2, 0)
    assert item["headline"].startswith("Latency p")
    assert "of Node.js on Hello is 1." in item["headline"]
    assert item["lead"]["incident_id"] == item["id"]
    assert "points" not in item["lead"]
    assert document(client.get("/api/v1/open-incidents")) == {"open": 1}
    counts = document(client.get("/api/v1/incident-counts"))
    assert (counts["open"], counts["testing"], counts["suspected"]) == (1, 1, 0)
    found = document(client.get(INCIDENTS, params={"open": True, "framework": "node"}))["items"]
    assert [other["id"] for other in found] == [item["id"]]
    assert document(client.get(INCIDENTS, params={"open": False}))["items"] == []
    assert faults(client.get(INCIDENTS, params={"status": "maybe"})).keys() == {"status"}


@pytest.mark.usefixtures("slower")
def test_an_incident_shows_its_series_its_run_and_its_builds(client: TestClient) -> None:
    incident = get_only(client)

    ratios = [change["history"]["ratio"] for change in incident["changes"]]
    assert ratios == sorted(ratios, reverse=True)
    assert incident["shown"]["id"] == incident["changes"][0]["id"]
    assert [point["is_after"] for point in incident["shown"]["points"]] == [False] * 24 + [True] * 6
    (run,) = incident["confirmation_runs"]
    assert (run["purpose"], run["status"]) == ("confirmation", "queued")
    assert run["slug"] == incident["changes"][0]["confirmation"]["run_slug"]
    (program,) = incident["programs"]
    assert (program["program"], program["is_recorded"]) == ("node", False)
    assert (program["before"], program["after"]) == ("a" * 64, "b" * 64)
    assert incident["next_step"].startswith("Wait for the confirmation run")
    problem(client.get(f"{INCIDENTS}/{UUID(int=1)}"), 404, "not_found")


def test_the_sources_of_the_builds_are_compared_and_code_is_for_members(
    slower: UUID, client: TestClient, visitor: TestClient
) -> None:
    add_sources(slower, "slow();\n")

    (program,) = get_only(client)["programs"]

    assert program["is_recorded"]
    assert program["versions"] == [{"subject": "runtime", "before": "24.1.0", "after": "24.2.0"}]
    (file,) = program["files"]
    assert (file["path"], file["change"]) == ("server.js", "changed")
    assert file["diff"].splitlines()[-2:] == ["-fast();", "+slow();"]

    (seen,) = get_only(visitor)["programs"]
    assert [(file["path"], file["diff"]) for file in seen["files"]] == [("server.js", None)]


@pytest.mark.usefixtures("slower")
def test_an_incident_is_confirmed_and_acknowledged(client: TestClient) -> None:
    url = f"{INCIDENTS}/{get_only(client)['id']}"

    problem(client.patch(url, json={"acknowledged": True}), 409, "conflict")
    confirmed = document(client.patch(url, json={"status": "confirmed", "note": "slow parser"}))
    assert {change["status"] for change in confirmed["changes"]} == {"confirmed"}
    assert (confirmed["note"], confirmed["is_open"]) == ("slow parser", True)
    assert "is worse" in confirmed["next_step"]

    change = confirmed["changes"][0]
    one = document(client.patch(f"/api/v1/changes/{change['id']}", json={"acknowledged": True}))
    assert (one["is_open"], one["acknowledged_at"] is None) == (False, False)
    assert document(client.get("/api/v1/open-incidents")) == {"open": 1}

    acknowledged = document(client.patch(url, json={"acknowledged": True}))
    assert not acknowledged["is_open"]
    assert document(client.get("/api/v1/open-incidents")) == {"open": 0}


def test_a_shift_of_the_host_is_one_event_and_one_incident(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        history = History(session, host_id, ("node", "go-nethttp", "fastapi"), METRICS)
        history.land(24, 10.0)
        history.land(6, 11.0)

    incident = get_only(client)

    assert (incident["kind"], incident["framework"]) == ("host", None)
    assert (incident["status"], incident["is_open"]) == ("host_drift", False)
    assert incident["changes_total"] == 6
    assert "6 series shifted on bench-01" in incident["headline"]
    assert "look for the cause on the host" in incident["next_step"]
    events = document(visitor.get("/api/v1/host-events"))["items"]
    for event in events:
        assert (event["host"], event["series_shifted"], event["series_total"]) == ("bench-01", 3, 3)
        assert event["ratio"] == pytest.approx(1.1, rel=0.02)
    assert {event["metric"] for event in events} == set(METRICS)
    linked = document(visitor.get("/api/v1/changes", params={"status": "host_drift"}))["items"]
    assert {change["host_event_id"] for change in linked} == {event["id"] for event in events}
