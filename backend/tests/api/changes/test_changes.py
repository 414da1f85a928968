"""/changes and /host-events: level shifts, their visibility, and decisions about them."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.units import Metric
from backend.tests.answers import document, faults, problem
from backend.tests.histories import History

CHANGES = "/api/v1/changes"
BUILDS = ({"node": "a" * 64}, {"node": "b" * 64})
FRAMEWORKS = ("node", "go-nethttp")


@pytest.fixture
def shifted(host_id: UUID) -> UUID:
    """A host on which node × hello became 8 % slower with a new build, in public runs."""
    with unit_of_work() as session:
        history = History(session, host_id)
        history.land(24, 10.0, BUILDS[0])
        history.land(6, 10.8, BUILDS[1])
    return host_id


def test_a_change_shows_its_series_and_its_confirmation_run(
    client: TestClient, shifted: UUID
) -> None:
    (change,) = document(client.get(CHANGES))["items"]

    assert (change["framework"]["slug"], change["scenario"]["slug"]) == ("node", "hello")
    assert (change["metric"], change["unit"], change["is_worse"]) == ("latency_p50_ms", "ms", True)
    assert (change["status"], change["host"]) == ("testing", "bench-01")
    assert change["history"]["low"] < 1.08 < change["history"]["high"]
    assert change["history"]["is_adjusted"] is False
    assert change["before"]["image_digest"] == "a" * 64
    assert change["after"]["image_digest"] == "b" * 64
    assert [point["is_after"] for point in change["points"]] == [False] * 20 + [True] * 6
    assert change["points"][20]["run_slug"] == change["after"]["run_slug"]
    assert document(client.get(f"{CHANGES}/{change['id']}")) == change
    confirmation = document(client.get(f"/api/v1/runs/{change['confirmation']['run_slug']}"))
    assert (confirmation["purpose"], confirmation["visibility"]) == ("confirmation", "public")
    assert [cell["builds"] for cell in confirmation["cells"]] == list(BUILDS)
    listed = document(client.get("/api/v1/runs", params={"limit": 100}))["items"]
    assert confirmation["slug"] not in {run["slug"] for run in listed}


def test_a_confirmation_run_is_as_private_as_its_sources(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        History(session, host_id, visibility="private").land(24, 10.0, BUILDS[0])
        later = datetime(2026, 12, 1, tzinfo=UTC)
        History(session, host_id, first=later).land(6, 10.8, BUILDS[1])

    (change,) = document(client.get(CHANGES))["items"]
    (confirmation,) = document(client.get("/api/v1/runs", params={"purpose": "confirmation"}))[
        "items"
    ]
    assert confirmation["slug"] == change["confirmation"]["run_slug"]
    assert confirmation["visibility"] == "private"
    assert document(visitor.get("/api/v1/runs", params={"purpose": "confirmation"}))["items"] == []


def test_a_history_hides_changes_between_private_runs(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        history = History(session, host_id)
        history.land(24, 10.0, BUILDS[0])
        history.land(6, 11.5, BUILDS[1])
    (change,) = document(client.get(CHANGES))["items"]

    def known(asker: TestClient) -> list[bool]:
        query = {"framework": "node", "scenario": "hello", "metric": "latency_p50_ms"}
        (series,) = document(asker.get("/api/v1/history", params=query))["series"]
        return [change["known"] is not None for change in series["changes"]]

    assert known(visitor) == known(client) == [True]
    patched = client.patch(
        f"/api/v1/runs/{change['before']['run_slug']}", json={"visibility": "private"}
    )
    assert patched.status_code == 200
    assert (known(visitor), known(client)) == ([False], [True])


def test_a_list_is_filtered_counted_and_paged(client: TestClient, host_id: UUID) -> None:
    metrics = (Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)
    with unit_of_work() as session:
        history = History(session, host_id, FRAMEWORKS, metrics=metrics)
        history.land(24, 10.0, BUILDS[0])
        history.land(6, 11.5, BUILDS[1])

    def ids(**query: str | int) -> list[str]:
        return [item["id"] for item in document(client.get(CHANGES, params=query))["items"]]

    listed = document(client.get(CHANGES))["items"]
    assert len(listed) == 4
    for change in listed:
        # Each change has the points of its own series.
        slug = change["framework"]["slug"]
        assert len(ids(metric=change["metric"], framework=slug, scenario="hello")) == 1
        cells = {point["cell_id"] for point in change["points"]}
        others = [other for other in listed if other["framework"]["slug"] != slug]
        assert change["after"]["cell_id"] in cells
        assert all(other["after"]["cell_id"] not in cells for other in others)
        assert document(client.get(f"{CHANGES}/{change['id']}")) == change
    assert ids(status="confirmed") == ids(framework="fastapi") == ids(host="bench-02") == []
    first = document(client.get(CHANGES, params={"limit": 1}))
    assert [first["items"][0]["id"], *ids(cursor=first["next"])] == [item["id"] for item in listed]
    assert document(client.get("/api/v1/change-counts")) == {
        "suspected": 0, "testing": 4, "confirmed": 0, "dismissed": 0, "host_drift": 0,
    }  # fmt: skip
    assert faults(client.get(CHANGES, params={"status": "maybe"})).keys() == {"status"}


def test_a_change_can_be_dismissed_and_reopened_and_tested_again(
    client: TestClient, shifted: UUID
) -> None:
    (change,) = document(client.get(CHANGES))["items"]
    url = f"{CHANGES}/{change['id']}"

    dismissed = document(
        client.patch(url, json={"status": "dismissed", "note": "Known since the upgrade."})
    )
    assert (dismissed["status"], dismissed["is_by_hand"]) == ("dismissed", True)
    assert dismissed["note"] == "Known since the upgrade."
    problem(client.patch(url, json={"status": "dismissed"}), 409, "conflict")
    problem(client.patch(url, json={"status": "host_drift"}), 409, "conflict")

    reopened = document(client.patch(url, json={"status": "suspected", "note": ""}))
    assert (reopened["status"], reopened["is_by_hand"], reopened["note"]) == (
        "suspected",
        False,
        None,
    )
    tested = document(client.patch(url, json={"status": "testing", "pairs": 7}))
    assert tested["status"] == "testing"
    assert tested["confirmation"]["run_slug"] != change["confirmation"]["run_slug"]
    confirmation = document(client.get(f"/api/v1/runs/{tested['confirmation']['run_slug']}"))
    assert confirmation["trials_per_cell"] == 7
    assert faults(client.patch(url, json={"pairs": 4})).keys() == {"pairs"}
