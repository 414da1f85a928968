"""GET /runs/{id}/charts: the data of all charts of a run. They outlive its seconds."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, func, select, update

from backend.core.changes.finalization.service import finalize_runs
from backend.core.db import unit_of_work
from backend.core.models import CellChart, Run, Sample
from backend.core.results.cell_charts import write_missing_charts
from backend.core.results.run_results.answer.stored import write_missing_outcomes
from backend.tests.answers import document
from backend.tests.asking import RUNS
from backend.tests.factories import ask_run, succeed_next

STEPS = {"first_rps": 50, "step_rps": 50, "step_seconds": 1, "steps": 4}


def read(client: TestClient, slug: str) -> Any:
    return document(client.get(f"{RUNS}/{slug}/charts"))


@pytest.fixture
def slug(host_id: UUID) -> str:
    """A run of two trials; the second one is slower. It is not finalized."""
    with unit_of_work() as session:
        slug = ask_run(session, count=2).slug
        succeed_next(session, host_id, [1.0] * 99)
        succeed_next(session, host_id, [100.0])
    return slug


def test_charts_span_all_trials_and_their_warm_up(client: TestClient, slug: str) -> None:
    (cell,) = read(client, slug)["cells"]

    # One warm-up second of 9 ms in each trial, then one measured second.
    assert cell["seconds"] == [-1, 0]
    assert cell["figures"]["throughput_rps"] == {"low": [1, 1], "middle": [1, 50], "high": [1, 99]}
    assert cell["figures"]["page_faults"]["middle"] == [20, 20]
    grid = cell["heat_map"]
    assert grid["first_second"] == -1
    assert [sum(column) for column in grid["columns"]] == [2, 100]
    assert grid["edges_ms"][0] <= 1.0 < grid["edges_ms"][1]
    assert grid["edges_ms"][-2] <= 100.0 < grid["edges_ms"][-1]
    # The mean of the medians of the trials would be 50.5 ms.
    values = {point["quantile"]: point["latency_ms"] for point in cell["percentiles"]}
    assert values[0.5] == pytest.approx(1.0, rel=0.005)
    assert cell["trial_steps"] == []


def test_an_archived_run_keeps_its_charts_also_when_its_results_are_written_again(
    client: TestClient, slug: str
) -> None:
    computed = read(client, slug)
    finalize_runs()
    assert read(client, slug) == computed

    document(client.post(f"{RUNS}/{slug}/archive"))
    with unit_of_work() as session:
        session.execute(delete(Sample))
        session.execute(update(Run).values(outcome_version=0))
        assert write_missing_outcomes(session, 10) == 1
        assert write_missing_charts(session, 10) == 0

    assert read(client, slug) == computed


def test_steps_of_each_trial_are_kept(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, count=2, profile="steps-quick", parameters=STEPS).slug
        for latency in (2.0, 4.0):
            succeed_next(session, host_id, [latency] * 50)
    finalize_runs()

    document(client.post(f"{RUNS}/{slug}/archive"))

    (cell,) = read(client, slug)["cells"]
    assert [trial["repetition"] for trial in cell["trial_steps"]] == [1, 2]
    first, second = (trial["steps"][0]["latency_p50_ms"] for trial in cell["trial_steps"])
    assert (first, second) == pytest.approx((2.0, 4.0), rel=0.005)
    trial = cell["trial_steps"][0]
    assert (trial["sustained_rps"], trial["knee_rps"]) == (50, None)
    (step,) = trial["steps"]
    assert (step["target_rps"], step["offered"], step["passed"]) == (50, 50, True)
    assert step["latency_mean_ms"] == pytest.approx(2.0, rel=0.005)


def test_charts_that_an_older_version_stored_are_shown(client: TestClient, slug: str) -> None:
    finalize_runs()
    document(client.post(f"{RUNS}/{slug}/archive"))
    with unit_of_work() as session:
        (chart,) = session.scalars(select(CellChart))
        chart.figures = chart.figures[:4]
        chart.bands, chart.heat = chart.bands[: 13 * 2 * 8], b""
        session.execute(delete(Sample))

    (cell,) = read(client, slug)["cells"]

    assert list(cell["figures"]) == chart.figures
    assert cell["figures"]["throughput_rps"]["high"] == [1, 99]
    assert cell["heat_map"] is None


def test_a_run_without_results_has_empty_charts(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session).slug

    (cell,) = read(client, slug)["cells"]

    assert (cell["percentiles"], cell["seconds"], cell["figures"]) == ([], [], {})
    with unit_of_work() as session:
        assert session.scalar(select(func.count()).select_from(CellChart)) == 0
