"""/trials/{id} and /cells/{id}: stages, seconds, distributions, logs."""

from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.documents import ResponseChecks
from backend.core.measurement.measurements import repository as measurements
from backend.tests.answers import document, faults, problem
from backend.tests.factories import ask_run, claim_next, fail_next, succeed_next

TRIALS = "/api/v1/trials"
CHECKS: ResponseChecks = {
    "sent": 110,
    "answered": 110,
    "resent": 0,
    "compared": 2,
    "wrong": 1,
    "signed": 0,
    "bunched": 0,
    "controls": 1,
    "controls_wrong": 0,
    "first_wrong": {"request": "GET /hello?nonce=0", "expected": "Hello World!", "got": "Hello"},
    "counts": [{"name": "calls of the upstream", "calls": 110}],
}
PARTS = ("", "/series", "/latency", "/logs")


@pytest.fixture
def trial_id(host_id: UUID) -> UUID:
    """A succeeded trial whose requests took 1 to 100 ms."""
    with unit_of_work() as session:
        ask_run(session)
        trial = succeed_next(session, host_id, [float(latency) for latency in range(1, 101)])
        measurements.put_logs(session, trial.id, {"service": "ready\n", "build": "npm ci\n"})
        trial.conformance = [
            {"name": "status", "passed": True, "expected": "200", "got": "200"},
        ]
        trial.conformance_after = [
            {"name": "status", "passed": False, "expected": "200", "got": "204"},
        ]
        trial.checks = CHECKS
        trial.requests_total = 100
        trial.warm_up = {
            "seconds": 4,
            "cap_seconds": 8,
            "is_steady": True,
            "detail": "The load was steady for 4 s.",
        }
        trial.generator = {"late_p99_ms": 0.1, "late_max_ms": 2.5}
        return trial.id


def test_a_trial_is_shown_with_its_metrics_and_its_evidence(
    client: TestClient, trial_id: UUID
) -> None:
    trial = document(client.get(f"{TRIALS}/{trial_id}"))

    assert (trial["status"], trial["attempt"], trial["runtime"]) == ("succeeded", 1, "process")
    assert trial["stage_seconds"] == {"building": 0.5, "measuring": 1.0}
    assert trial["requests_total"] == 100
    assert trial["conformance"][0]["passed"] is True
    assert trial["conformance_after"][0]["got"] == "204"
    assert trial["checks"] == CHECKS
    assert trial["metrics"]["throughput_rps"] == 100
    assert trial["environment"]["host"]["cpu_model"] == "Test CPU"
    assert trial["failure"] is None
    assert (trial["warm_up"]["seconds"], trial["warm_up"]["is_steady"]) == (4, True)
    assert trial["generator"] == {"late_p99_ms": 0.1, "late_max_ms": 2.5}
    assert document(client.get(f"{TRIALS}/{trial_id}/logs"))["items"] == [
        {"name": "build", "content": "npm ci\n"},
        {"name": "service", "content": "ready\n"},
    ]


def test_the_series_has_a_row_for_each_measured_second(client: TestClient, trial_id: UUID) -> None:
    samples = document(client.get(f"{TRIALS}/{trial_id}/series"))["samples"]

    assert [(row["phase"], row["second"], row["requests"]) for row in samples] == [
        ("measure", 0, 100)
    ]
    assert samples[0]["latency_p50_ms"] == pytest.approx(50.5, rel=0.005)
    assert samples[0]["memory_bytes"] == 100_000_000
    assert "latency" not in samples[0]
    for phase, phases in (("warm_up", ["warm_up"]), ("all", ["warm_up", "measure"])):
        answer = client.get(f"{TRIALS}/{trial_id}/series", params={"phase": phase})
        assert [row["phase"] for row in document(answer)["samples"]] == phases
    unknown = client.get(f"{TRIALS}/{trial_id}/series", params={"phase": "cool_down"})
    assert list(faults(unknown)) == ["phase"]


def test_the_distribution_includes_the_slowest_request(client: TestClient, trial_id: UUID) -> None:
    latency = document(client.get(f"{TRIALS}/{trial_id}/latency"))

    assert (latency["count"], latency["failed"]) == (100, 0)
    assert (latency["counted_from"], latency["service_percentiles"]) == ("send", [])
    assert latency["mean_ms"] == pytest.approx(50.5)
    assert latency["max_ms"] == 100
    quantiles = [point["quantile"] for point in latency["percentiles"]]
    values = [point["latency_ms"] for point in latency["percentiles"]]
    assert quantiles == sorted(quantiles)
    assert values == sorted(values)
    assert quantiles[-1] == pytest.approx(0.99)
    assert {0.5, 0.9, 0.95, 0.99} <= {round(quantile, 6) for quantile in quantiles}
    assert values[quantiles.index(0.5)] == pytest.approx(50.5, rel=0.005)
    assert sum(bucket["count"] for bucket in latency["buckets"]) == 100
    assert all(bucket["low_ms"] < bucket["high_ms"] for bucket in latency["buckets"])


def test_a_cells_trials_are_merged_never_averaged(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        ask_run(session, count=3)
        cell_id = succeed_next(session, host_id, [1.0] * 99).cell_id
        succeed_next(session, host_id, [100.0])
        fail_next(session, host_id)

    latency = document(client.get(f"/api/v1/cells/{cell_id}/latency"))

    values = {point["quantile"]: point["latency_ms"] for point in latency["percentiles"]}
    assert latency["count"] == 100
    assert latency["mean_ms"] == pytest.approx(1.99)
    assert latency["max_ms"] == 100
    # The mean of the medians of the trials would be 50.5 ms.
    assert values[0.5] == pytest.approx(1.0, rel=0.005)
    assert sum(bucket["count"] for bucket in latency["buckets"]) == 100


def test_a_trial_without_values_is_empty_and_not_an_error(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        ask_run(session)
        trial = claim_next(session, host_id)

    shown, series, latency, logs = (
        document(client.get(f"{TRIALS}/{trial.id}{part}")) for part in PARTS
    )
    assert (shown["status"], shown["metrics"], shown["verdicts"]) == ("building", {}, [])
    assert series == {"samples": []}
    assert (latency["count"], latency["mean_ms"], latency["percentiles"]) == (0, None, [])
    assert logs == {"items": []}
    assert document(client.get(f"/api/v1/cells/{trial.cell_id}/latency"))["count"] == 0


def test_unknown_things_are_not_found(client: TestClient) -> None:
    for path in (*(f"{TRIALS}/{{}}{part}" for part in PARTS), "/api/v1/cells/{}/latency"):
        problem(client.get(path.format(UUID(int=7))), 404, "not_found")
        assert len(faults(client.get(path.format("seven")))) == 1
