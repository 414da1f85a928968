"""Runs with a goal: they stop when the goal is reached, or at a limit."""

from tools.benchmarks.api import Document, describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import list_remains


def check_blocks(run: Document, blocks: int) -> None:
    """Each block has each cell once, and no trial is repeated or lost."""
    cells = {each["id"] for each in run["cells"]}
    assert [trial["position"] for trial in run["trials"]] == list(range(blocks * len(cells)))
    for block in range(1, blocks + 1):
        trials = [trial for trial in run["trials"] if trial["repetition"] == block]
        assert {trial["cell_id"] for trial in trials} == cells
        assert [trial["status"] for trial in trials] == ["succeeded"] * len(cells)


def list_verdicts(run: Document) -> list[str]:
    """Return the verdicts of all results: they explain why a result is excluded."""
    return [verdict["detail"] for each in run["cells"] for verdict in each["verdicts"]]


def test_two_very_different_services_are_ranked(stack: Stack) -> None:
    goal = {"until": "ranked", "max_trials": 10, "max_minutes": 10}

    asked = stack.create_run(
        [cell(slug, warm_up_seconds=20, duration_seconds=10) for slug in ("fastapi", "go-nethttp")],
        trials=None,
        goal=goal,
    )
    run = stack.api.await_run(asked, 700)

    assert run["status"] == "succeeded", describe(run)
    assert run["goal"]["state"] == "reached", list_verdicts(run)
    blocks = run["goal"]["blocks"]
    assert run["goal"]["sentence"] == (
        f"Stopped after {blocks} trials each: Go net/http uses the least CPU per request."
    ), run["goal"]["sentence"]
    check_blocks(run, blocks)
    (ranking,) = stack.api.get(f"/runs/{run['id']}/ranking")["groups"]
    names = {each["id"]: each["framework"]["slug"] for each in run["cells"]}
    ranked = [(names[each["cell_id"]], each["rank"]) for each in ranking["cells"]]
    assert ranked == [("go-nethttp", 1), ("fastapi", 2)]
    ratio = ranking["cells"][1]["ratio"]
    assert (ratio["method"], ratio["is_better"], ratio["n"]) == ("sequential", False, blocks)
    assert ratio["low"] > 1
    assert list_remains(stack, run) == []
