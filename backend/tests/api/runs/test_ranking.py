"""/runs/{id}/ranking on stored trials: ranks, ratios to a baseline, sentences."""

from uuid import UUID

from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.models import Run
from backend.tests.answers import document, problem
from backend.tests.factories import ask_run, succeed_next

# Repetitions differ a little, like real trials.
NODE_MS, GO_MS = 20.0, 10.0


def measured_run(host_id: UUID) -> Run:
    """A run in which Node has twice the latency of Go, with five trials each."""
    with unit_of_work() as session:
        run = ask_run(session, ("node", "go-nethttp"), count=5)
        slow = {cell.id: cell.framework.slug == "node" for cell in run.cells}
        for trial in sorted(run.trials, key=lambda item: item.position):
            scale = NODE_MS if slow[trial.cell_id] else GO_MS
            succeed_next(session, host_id, [scale * (1 + trial.repetition / 200)] * 10)
        return run


def test_the_best_result_is_first_and_others_have_a_ratio_to_the_baseline(
    client: TestClient, host_id: UUID
) -> None:
    run = measured_run(host_id)

    answer = document(client.get(f"/api/v1/runs/{run.slug}/ranking?metric=latency_p50_ms"))

    (group,) = answer["groups"]
    first, second = group["cells"]
    assert group["group"] == "hello.rate-quick"
    assert (first["rank"], second["rank"]) == (1, 2)
    assert (group["baseline"], first["ratio"]) == (first["cell_id"], None)
    assert second["ratio"]["is_better"] is False
    assert 1.9 < second["ratio"]["low"] <= second["ratio"]["ratio"] <= second["ratio"]["high"] < 2.1
    assert "fastest by latency p50" in group["sentences"][0]

    url = f"/api/v1/runs/{run.slug}/ranking?metric=latency_p50_ms&baseline="
    (group,) = document(client.get(url + "node"))["groups"]
    assert [cell["ratio"] and cell["ratio"]["words"] for cell in group["cells"]] == ["lower", None]
    problem(client.get(url + "rust"), 422, "invalid_request")


def test_a_result_that_shares_the_rank_of_the_baseline_has_no_difference_from_it(
    client: TestClient, host_id: UUID
) -> None:
    # Each alone is slower than Node (p = 0.03). After the correction for three pairs, nothing is
    # significant.
    spread = (-0.043, -0.021, 0.0, 0.021, 0.043)
    slower = {"node": [0.0] * 5, "go-nethttp": spread, "express": spread[::-1]}
    with unit_of_work() as session:
        run = ask_run(session, tuple(slower), count=5, visibility="public")
        slugs = {cell.id: cell.framework.slug for cell in run.cells}
        for trial in sorted(run.trials, key=lambda item: item.position):
            slug = slugs[trial.cell_id]
            more = 0.0 if slug == "node" else 0.05 + slower[slug][trial.repetition - 1]
            succeed_next(session, host_id, [20 * (1 + more)] * 10)
    metric = {"metric": "latency_p50_ms"}

    (group,) = document(client.get(f"/api/v1/runs/{run.slug}/ranking", params=metric))["groups"]
    board = document(client.get("/api/v1/leaderboard", params=metric))

    _, *others = group["cells"]
    assert [cell["rank"] for cell in group["cells"]] == [1, 1, 1]
    ratios = [cell["ratio"] for cell in others]
    assert all(ratio["low"] <= 1 <= ratio["high"] for ratio in ratios)
    undecided = "cannot_be_told_apart_yet"
    assert [ratio["state"] for ratio in ratios] == [undecided] * 2
    told = [
        (entry["rank"], entry["to_best"] and entry["to_best"]["state"])
        for entry in board["entries"]
    ]
    assert told == [(1, None), (1, undecided), (1, undecided)]
    assert all(len(cell["undecided"]) == 2 for cell in group["cells"])
    assert all(ratio["trials_needed"] > 5 for ratio in ratios)
    assert all(" trials each would decide." in ratio["explanation"] for ratio in ratios)
