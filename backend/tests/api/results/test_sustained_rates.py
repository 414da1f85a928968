"""Run page, leaderboard and Compare show the same about each sustained rate."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.units import Metric
from backend.tests.answers import document
from backend.tests.factories import ask_run
from backend.tests.measured_runs import measure_run

RATE = "sustained_rps"
FIGURES = ("estimate", "low", "high", "n", "is_bound")
PAIR = ("ratio", "low", "high", "state", "is_better", "text", "words")
LEADERBOARD = "/api/v1/leaderboard?scenario=hello&profile=steps-quick"


def pick(found: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: found[name] for name in names}


def list_groups(client: TestClient, run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the rankings of a run by the sustained rate."""
    url = f"/api/v1/runs/{run['slug']}/ranking?metric={RATE}"
    kinds = {group["key"]: group["kind"] for group in run["groups"]}
    for group in document(client.get(url))["groups"]:
        if kinds[group["group"]] == "steps" and group["baseline"] is not None:
            yield group


def check_comparison(
    client: TestClient, cells: dict[str, Any], group: dict[str, Any]
) -> list[dict[str, Any]]:
    """Check that Compare shows what the run page shows, and return the pairs of the group."""
    ids = [cell["cell_id"] for cell in group["cells"] if RATE in cells[cell["cell_id"]]["summary"]]
    params = {"cells": ids, "baseline": group["baseline"]}
    compared = document(client.get("/api/v1/comparisons", params=params))
    for cell in compared["cells"]:
        shown = cells[cell["cell_id"]]["summary"][RATE]
        assert pick(cell["summary"][RATE], FIGURES) == pick(shown, FIGURES)
    ratios = {cell["cell_id"]: cell["ratio"] for cell in group["cells"]}
    pairs = []
    for pair in compared["pairs"]:
        ratio = ratios[pair["cell_id"]]
        assert pick(pair["ratios"][RATE], PAIR) == pick(ratio, PAIR)
        pairs.append(ratio)
    return pairs


@pytest.fixture
def measured_slug(client: TestClient, host_id: UUID) -> str:
    """A run in which two results are at the ceiling, and one is uncertain."""
    passed = {
        "node": [1000.0] * 5,
        "go-nethttp": [1000.0] * 5,
        "express": [500.0] * 5,
        "fastapi": [100.0, 1000.0, 1000.0, 1000.0, 1000.0],
    }
    parameters = {"first_rps": 100, "step_rps": 100, "steps": 10}
    with unit_of_work() as session:
        run = ask_run(
            session,
            tuple(passed),
            count=5,
            profile="steps-quick",
            parameters=parameters,
            visibility="public",
        )
        taken = {slug: iter(rates) for slug, rates in passed.items()}
        return measure_run(
            session,
            host_id,
            run,
            lambda cell: {Metric.SUSTAINED_RPS: next(taken[cell.framework.slug])},
        ).slug


def test_all_pages_show_the_same_rates_and_pairs(client: TestClient, measured_slug: str) -> None:
    shown = document(client.get(f"/api/v1/runs/{measured_slug}"))
    cells = {cell["id"]: cell for cell in shown["cells"]}
    names = {cell["id"]: cell["framework"]["slug"] for cell in shown["cells"]}

    (group,) = list_groups(client, shown)
    check_comparison(client, cells, group)
    board = document(client.get(LEADERBOARD))

    ranked = {names[cell["cell_id"]]: cell for cell in group["cells"]}
    assert {name: cell["rank"] for name, cell in ranked.items()} == {
        "node": 1,
        "go-nethttp": 1,
        "fastapi": 1,
        "express": 3,
    }
    entries = {entry["result"]["framework"]["slug"]: entry for entry in board["entries"]}
    for name, cell in ranked.items():
        entry = entries[name]
        assert entry["rank"] == cell["rank"]
        assert pick(entry["estimate"], FIGURES) == pick(
            cells[cell["cell_id"]]["summary"][RATE], FIGURES
        )
        assert sorted(entry["undecided"]) == sorted(names[other] for other in cell["undecided"])
        assert not entry["equivalent"]
        # Two results share the best estimate, and either may be the baseline.
        if cell["ratio"] is not None and entry["to_best"] is not None:
            assert pick(entry["to_best"], PAIR) == pick(cell["ratio"], PAIR)
    assert entries["fastapi"]["estimate"]["estimate"] == 100
    assert entries["express"]["to_best"]["text"] == "below 0.600×"
