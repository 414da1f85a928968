"""GET /hosts/{name}: the calibration of a host, computed from calibration runs."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, CrossCheckReading, RunRequest
from backend.core.models import Cell, Run, Trial
from backend.core.runs.service import create_run
from backend.core.units import Metric, Purpose
from backend.tests.answers import document
from backend.tests.factories import (
    HARNESS,
    HOST,
    add_host,
    fail_next,
    first_workspace,
    succeed_next,
)

NULL = CellRequest("null-server", "hello", "rate-quick", {"rate_rps": 1000})
SAME = CellRequest("go-nethttp", "hello", "rate-quick", {"rate_rps": 1000})
TRUTH = CellRequest(
    "reference", "calibration", "rate-quick", {"median_us": 5000, "sigma_percent": 0}
)

CROSS_CHECK: CrossCheckReading = {
    "generator": "wrk 4.1.0",
    "is_first": False,
    "metrics": {Metric.LATENCY_P50_MS: 4.0, Metric.LATENCY_P99_MS: 5.0},
}


def measure(
    host_id: UUID,
    cells: Sequence[CellRequest],
    latency_ms: float,
    *,
    digest: str = f"digest of {HOST}",
    harness: Mapping[str, str] = HARNESS,
    purpose: Purpose = Purpose.CALIBRATION,
    cross_check: CrossCheckReading | None = None,
) -> str:
    """Run these cells three times each, with about this latency, and return the slug of the run.

    Each cell is 2 % slower than its predecessor, and each trial of a cell is 1 % slower than the
    trial before, independent of the run's order. `cross_check` is stored with all trials.
    """
    with unit_of_work() as session:
        run = create_run(
            session, first_workspace(session), RunRequest(cells=cells, trials=3, purpose=purpose)
        )
        queued = (
            select(Cell.position, Trial.repetition)
            .join(Trial, Trial.cell_id == Cell.id)
            .where(Trial.run_id == run.id)
            .order_by(Trial.position)
        )
        for cell, repetition in session.execute(queued).all():
            slower = 1 + (2 * cell + repetition) / 100
            trial = succeed_next(session, host_id, [latency_ms * slower] * 100)
            trial.environment = {"host_digest": digest, "harness": dict(harness)}
            trial.second_reading = cross_check
        return session.get_one(Run, run.id).slug


def calibration(client: TestClient) -> dict[str, Any] | None:
    found: dict[str, Any] | None = document(client.get(f"/api/v1/hosts/{HOST}"))["calibration"]
    return found


def is_current(client: TestClient) -> bool:
    found = calibration(client)
    return found is not None and bool(found["is_current"])


def test_a_host_has_no_calibration_before_one_has_finished(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, [NULL], 1.0, purpose=Purpose.COMPARISON)
    measure(host_id, [TRUTH], 1.0)
    with unit_of_work() as session:
        create_run(
            session,
            first_workspace(session),
            RunRequest(cells=[NULL], trials=1, purpose=Purpose.CALIBRATION),
        )
        fail_next(session, host_id)

    assert calibration(client) is None


def test_a_calibration_reports_overhead_noise_and_errors(client: TestClient, host_id: UUID) -> None:
    slug = measure(host_id, [NULL, TRUTH, SAME, SAME], 5.0)

    found = calibration(client)

    assert found is not None
    assert (found["permalink"], found["is_current"]) == (f"/r/{slug}", True)
    assert found["measured_at"]
    (overhead,) = found["overheads"]
    assert (overhead["rate_rps"], overhead["trials"]) == (1000, 3)
    assert 4.9 < overhead["latency_p50_ms"] <= overhead["latency_p99_ms"] < 5.15
    noise = {item["metric"]: item for item in found["noise"]}
    p99 = noise["latency_p99_ms"]
    assert (p99["framework"], p99["scenario"], p99["trials"]) == ("go-nethttp", "hello", 3)
    assert 1 < p99["aa_ratio"] <= p99["smallest_ratio"] < 1.1
    assert 0 < p99["variation"] < 0.02
    assert not {"build_seconds", "throughput_rps"} & set(noise)
    assert [check["quantile"] for check in found["truth"]] == [0.5, 0.9, 0.99]
    assert all(check["is_within"] for check in found["truth"])
    assert all(abs(check["expected_ms"] - 5) < 1e-6 for check in found["truth"])


def test_the_newest_calibration_counts_until_the_host_changes(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, [NULL], 1.0)
    newest = measure(host_id, [NULL], 2.0, digest="of another kernel")
    with unit_of_work() as session:
        add_host(session, "bench-02")

    found = calibration(client)

    assert found is not None
    assert (found["permalink"], found["is_current"]) == (f"/r/{newest}", False)
    assert document(client.get("/api/v1/hosts/bench-02"))["calibration"] is None
    measure(host_id, [NULL], 1.0)
    assert is_current(client)
    measure(host_id, [NULL, TRUTH], 6.0, harness=HARNESS | {"k6_sha256": "of another k6"})
    assert not is_current(client)
    wrong = calibration(client)
    assert wrong is not None
    assert not any(check["is_within"] for check in wrong["truth"])


def test_a_cross_check_widens_the_minimum_detectable_difference(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, [NULL, SAME, SAME], 5.0)
    alone = calibration(client)
    measure(host_id, [NULL, SAME, SAME], 5.0, cross_check=CROSS_CHECK)

    found = calibration(client)

    assert alone is not None
    assert alone["disagreements"] is None
    assert all(item["instrument_ratio"] is None for item in alone["noise"])
    assert found is not None
    disagreements = {item["metric"]: item for item in found["disagreements"]}
    assert set(disagreements) == {"latency_p50_ms", "latency_p99_ms"}
    p50 = disagreements["latency_p50_ms"]
    assert (p50["kind"], p50["generator"], p50["trials"]) == ("rate", "wrk 4.1.0", 9)
    assert p50["theirs"] == pytest.approx(4)
    assert p50["low"] < p50["ratio"] == p50["size"] == pytest.approx(p50["ours"] / 4)
    assert 1.25 < p50["size"] < 1.4
    before, after = (
        {item["metric"]: item for item in calibrated["noise"]}["latency_p50_ms"]
        for calibrated in (alone, found)
    )
    assert after["instrument_ratio"] == p50["size"]
    assert after["smallest_ratio"] == pytest.approx(before["smallest_ratio"] * p50["size"])


def test_ranks_and_comparisons_allow_for_it_while_the_calibration_is_current(
    client: TestClient, host_id: UUID
) -> None:
    assert read_state(client, host_id) == (2, "difference", 2)
    measure(host_id, [NULL], 5.0, cross_check=CROSS_CHECK)
    assert read_state(client, host_id) == (1, "cannot_be_told_apart_yet", 1)
    measure(host_id, [NULL], 5.0, cross_check=CROSS_CHECK, digest="of another kernel")
    assert read_state(client, host_id) == (2, "difference", 2)


def read_state(client: TestClient, host_id: UUID) -> tuple[int, str, int]:
    """Measure three frameworks. The last is 4 % slower than the first.

    Return the lowest rank in the run, the state of the pair, and the last rank of the
    leaderboard.
    """
    cells = [CellRequest(slug, "hello", "rate-quick") for slug in ("go-nethttp", "fastapi", "node")]
    slug = measure(host_id, cells, 5.0, purpose=Purpose.COMPARISON)
    run = document(client.get(f"/api/v1/runs/{slug}"))
    url = f"/api/v1/runs/{slug}/ranking?metric=latency_p50_ms"
    (ranking,) = document(client.get(url))["groups"]
    first, _, last = (cell["id"] for cell in run["cells"])
    compared = document(client.get(f"/api/v1/comparisons?cells={first}&cells={last}"))
    (pair,) = compared["pairs"]
    board = document(
        client.get("/api/v1/leaderboard?scenario=hello&profile=rate-quick&metric=latency_p50_ms")
    )
    return (
        max(entry["rank"] for entry in ranking["cells"]),
        pair["ratios"]["latency_p50_ms"]["state"],
        board["entries"][-1]["rank"],
    )


def test_differences_that_a_calibrated_host_cannot_detect_are_equivalent(
    client: TestClient, host_id: UUID
) -> None:
    assert read_state(client, host_id) == (2, "difference", 2)
    # Four equal cells. The slowest measured 6 % more than the fastest.
    measure(host_id, [NULL, SAME, SAME, SAME, SAME], 5.0)

    assert read_state(client, host_id) == (1, "equivalent", 1)
    found = calibration(client)
    assert found is not None
    noise = {item["metric"]: item for item in found["noise"]}["latency_p50_ms"]
    slug = measure(
        host_id,
        [CellRequest(slug, "hello", "rate-quick") for slug in ("go-nethttp", "node")],
        5.0,
        purpose=Purpose.COMPARISON,
    )
    url = f"/api/v1/runs/{slug}/ranking?metric=latency_p50_ms"
    (ranking,) = document(client.get(url))["groups"]
    assert ranking["detectable_ratio"] == pytest.approx(noise["smallest_ratio"])
    assert ranking["margin_ratio"] == ranking["detectable_ratio"]
    assert 1.05 < ranking["margin_ratio"] < 1.07
    assert "equivalent in latency p50, within 5.7 %" in ranking["sentences"][0]
    measure(host_id, [NULL, SAME, SAME], 5.0, digest="of another kernel")
    assert read_state(client, host_id) == (2, "difference", 2)
