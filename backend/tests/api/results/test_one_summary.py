"""Each page takes the summary of a cell from one place, so all agree on what it shows."""

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.documents import TrialEnvironment
from backend.core.models import CellMetric, CellSummary, Run
from backend.core.results.cell_summary import write_summaries
from backend.core.results.run_results.answer.stored import write_outcome, write_outcomes
from backend.core.runs.repository import get_run
from backend.core.units import Metric
from backend.tests.answers import document
from backend.tests.api.results.comparisons.test_compare import compare
from backend.tests.factories import ask_run
from backend.tests.measured_runs import Measure, measure_run

NAMES = ("node", "go-nethttp")
CPU = "cpu_us_per_request"


def measure(
    host_id: UUID,
    figures: Measure,
    every: Mapping[str, Any],
    last: Mapping[str, Any],
    **changes: Any,
) -> str:
    """Return the slug of an ended run of five trials per framework.

    Args:
        every: values of the environments of all trials.
        last: values of the environment of Go's last trial.
    """
    with unit_of_work() as session:
        asked = ask_run(session, NAMES, count=5, visibility="public", **changes)
        run = measure_run(session, host_id, asked, figures)
        go = run.cells[1].id
        trials = sorted(run.trials, key=lambda trial: trial.position)
        (*_, odd) = [trial for trial in trials if trial.cell_id == go]
        for trial in trials:
            trial.environment = cast("TrialEnvironment", {**trial.environment, **every})
        odd.environment = cast("TrialEnvironment", {**odd.environment, **last})
        session.flush()
        session.expire_all()
        ended = get_run(session, str(run.id))
        write_outcome(session, ended, write_summaries(session, ended))
        return ended.slug


def half(_: object) -> dict[Metric, float]:
    return {Metric.CPU_CORES: 0.5}


def show_verdicts(cell: Mapping[str, Any]) -> list[tuple[str, str, int]]:
    return [(item["verdict"], item["detail"], item["trials"]) for item in cell["verdicts"]]


@pytest.mark.parametrize(
    ("last", "verdict"),
    [
        ({"runtime": "docker"}, "runtime_differs"),
        ({"cpus": {"service": [0, 1], "load": [2], "backing": [2]}}, "environment_changed"),
    ],
)
def test_pages_agree_on_results_of_a_run_whose_conditions_changed(
    client: TestClient, host_id: UUID, last: dict[str, Any], verdict: str
) -> None:
    same = {"runtime": "process", "cpus": {"service": [0], "load": [1], "backing": [1]}}
    slug = measure(host_id, half, same, last)

    cells = document(client.get(f"/api/v1/runs/{slug}"))["cells"]
    board = document(client.get("/api/v1/leaderboard", params={"scenario": "hello"}))
    compared = compare(client, *(cell["id"] for cell in cells))["cells"]
    history = document(
        client.get("/api/v1/history", params={"framework": NAMES, "scenario": "hello"})
    )

    assert [verdict in dict(map(lambda item: item[:2], show_verdicts(cell))) for cell in cells] == [
        True,
        True,
    ]
    assert [cell["excluded"] for cell in cells] == [True, True]
    assert [(cell["cell_id"], cell["excluded"]) for cell in compared] == [
        (cell["id"], True) for cell in cells
    ]
    assert list(map(show_verdicts, compared)) == list(map(show_verdicts, cells))
    assert board["entries"] == []
    points = [point for series in history["series"] for point in series["points"]]
    assert [point["excluded"] for point in points] == [True, True]
    for name, cell in zip(NAMES, cells, strict=True):
        (latest,) = document(client.get(f"/api/v1/frameworks/{name}/results"))["items"]
        assert latest["cell"]["excluded"]
        assert show_verdicts(latest["cell"]) == show_verdicts(cell)
        assert latest["cell"]["summary"] == cell["summary"]


def test_summaries_of_older_versions_are_written_again(client: TestClient, host_id: UUID) -> None:
    slug = measure(host_id, half, {"runtime": "process"}, {"runtime": "docker"})
    with unit_of_work() as session:
        session.query(CellSummary).update({"excluded": False, "verdicts": []})
        session.query(Run).update({"outcome_version": 0})

        write_outcomes(session, [slug])

        assert {item.excluded for item in session.query(CellSummary)} == {True}
    assert all(cell["excluded"] for cell in document(client.get(f"/api/v1/runs/{slug}"))["cells"])


def full(cell: Any) -> dict[Metric, float]:
    """Return the figures of a rate of 400/s on one core, which Go fills and Node half fills."""
    cores = 0.99 if cell.framework.slug == "go-nethttp" else 0.5
    return {Metric.CPU_CORES: cores, Metric.CPU_US_PER_REQUEST: cores * 1e6 / 400}


@pytest.fixture
def bounded(host_id: UUID) -> str:
    """A run in which Go fills its core, so that its CPU per request is a bound."""
    return measure(host_id, full, {"cpus": {"service": [0], "load": [1], "backing": [1]}}, {})


def test_a_bound_is_marked_and_not_ranked(client: TestClient, bounded: str) -> None:
    node, go = document(client.get(f"/api/v1/runs/{bounded}"))["cells"]
    answer = document(client.get(f"/api/v1/runs/{bounded}/answer"))
    board = document(client.get("/api/v1/leaderboard", params={"scenario": "hello", "metric": CPU}))

    assert (node["summary"][CPU]["is_bound"], go["summary"][CPU]["is_bound"]) == (False, True)
    assert [item[0] for item in show_verdicts(go)] == ["service_saturated"]
    assert not go["excluded"]
    rows = {row["framework"]: row for row in answer["rows"]}
    assert rows["go-nethttp"]["value"].startswith("at least 2")
    assert rows["go-nethttp"]["comparison"] == "excluded: service saturated"
    assert [row["rank"] for row in answer["rows"]] == [None, None]
    entries = {entry["result"]["framework"]["slug"]: entry for entry in board["entries"]}
    assert entries["go-nethttp"]["rank"] is None
    assert entries["go-nethttp"]["to_best"] is None
    assert entries["go-nethttp"]["estimate"]["is_bound"]
    assert entries["node"]["estimate"]["is_bound"] is False
    # It excludes no other metric.
    params = {"scenario": "hello", "metric": "latency_p99_ms"}
    board = document(client.get("/api/v1/leaderboard", params=params))
    assert [entry["rank"] for entry in board["entries"]] == [1, 1]


def test_a_bound_is_not_compared_meets_no_limit_and_is_not_searched_for_changes(
    client: TestClient, bounded: str
) -> None:
    limit = {"scenario": "hello", "metric": CPU, "limit": 10_000.0}
    document(client.post("/api/v1/slos", json=limit), 201)
    run = document(client.get(f"/api/v1/runs/{bounded}"))
    cells, checks = run["cells"], run["gate"]["checks"]
    (pair,) = compare(client, *(cell["id"] for cell in cells))["pairs"]

    assert pair["comparability"] == "comparable"
    assert CPU not in pair["ratios"]
    assert "latency_p99_ms" in pair["ratios"]
    with unit_of_work() as session:
        rows = session.query(CellMetric).filter(CellMetric.metric == Metric.CPU_US_PER_REQUEST)
        assert {row.framework: row.mean_log is None for row in rows} == {
            "node": False,
            "go-nethttp": True,
        }
    assert [(check["passed"], check["detail"]) for check in checks] == [
        (True, "Within the limit."),
        (False, "The value is only a lower bound, so it meets no limit."),
    ]


def test_a_run_with_bounds_alone_offers_a_lower_rate(client: TestClient, host_id: UUID) -> None:
    cpus = {"cpus": {"service": [0], "load": [1], "backing": [1]}}
    slug = measure(host_id, lambda _: {Metric.CPU_CORES: 0.99}, cpus, {})

    answer = document(client.get(f"/api/v1/runs/{slug}/answer"))

    assert answer["outcome"] == "not_usable"
    assert answer["reason"] == "Both results are excluded from ranking: service saturated."
    assert answer["remedy"]["label"].startswith("Run again at")
