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


def test_a_ratio_without_the_part_of_the_host_is_marked(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        history = History(session, host_id, ("node", "go-nethttp", "fastapi"), drift=0.06)
        history.land(24, 10.0, BUILDS[0])
        history.land(4, 10.8, BUILDS[1], others=BUILDS[0], others_level=10.0)

    (change,) = document(client.get(CHANGES))["items"]
    assert change["history"]["is_adjusted"] is True
    query = {"framework": "node", "scenario": "hello", "metric": "latency_p50_ms"}
    (series,) = document(client.get("/api/v1/history", params=query))["series"]
    (seen,) = [item for item in series["changes"] if item["known"]]
    assert seen["known"]["id"] == change["id"]
    assert (seen["ratio"], seen["is_adjusted"]) == (change["history"]["ratio"], True)


def test_each_change_of_a_list_shows_the_points_of_its_own_series(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        history = History(session, host_id, FRAMEWORKS)
        history.land(24, 10.0, BUILDS[0])
        history.land(6, 11.5, BUILDS[1])

    listed = document(client.get(CHANGES))["items"]

    changes = {change["framework"]["slug"]: change for change in listed}
    node, go = ({point["cell_id"] for point in changes[slug]["points"]} for slug in FRAMEWORKS)
    assert node.isdisjoint(go)
    assert changes["node"]["after"]["cell_id"] in node
    assert changes["go-nethttp"]["after"]["cell_id"] in go
    for change in listed:
        times = [point["at"] for point in change["points"]]
        assert times == sorted(times)
        assert document(client.get(f"{CHANGES}/{change['id']}")) == change


def test_a_list_is_filtered_counted_and_paged(client: TestClient, host_id: UUID) -> None:
    metrics = (Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)
    with unit_of_work() as session:
        history = History(session, host_id, metrics=metrics)
        history.land(24, 10.0, BUILDS[0])
        history.land(6, 11.0, BUILDS[1])

    def ids(**query: str | int) -> list[str]:
        return [item["id"] for item in document(client.get(CHANGES, params=query))["items"]]

    both = ids()
    assert len(both) == 2
    assert len(ids(metric="latency_p99_ms", framework="node", scenario="hello")) == 1
    assert ids(status="confirmed") == ids(framework="fastapi") == ids(host="bench-02") == []
    first = document(client.get(CHANGES, params={"limit": 1}))
    assert [first["items"][0]["id"], *ids(cursor=first["next"])] == both
    counts = document(client.get("/api/v1/change-counts"))
    assert counts == {
        "suspected": 0, "testing": 2, "confirmed": 0, "dismissed": 0, "host_drift": 0,
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


def test_a_shift_of_all_series_is_listed_as_a_host_event(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        history = History(session, host_id, ["node", "go-nethttp", "fastapi"])
        history.land(24, 10.0)
        history.land(6, 11.0)

    (event,) = document(visitor.get("/api/v1/host-events"))["items"]

    assert (event["host"], event["metric"]) == ("bench-01", "latency_p50_ms")
    assert (event["series_shifted"], event["series_total"]) == (3, 3)
    assert event["ratio"] == pytest.approx(1.1, rel=0.02)
    linked = document(visitor.get(CHANGES, params={"status": "host_drift"}))["items"]
    assert {change["host_event_id"] for change in linked} == {event["id"]}
