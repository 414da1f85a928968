"""Cheating services fail before any load, with evidence; honest services in the same run
succeed."""

import pytest

from tools.benchmarks.api import describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.cheats import CHEATS, honest


@pytest.mark.parametrize(("scenario", "profile"), CHEATS)
def test_each_cheat_is_caught_by_its_check(stack: Stack, scenario: str, profile: str) -> None:
    cheats = CHEATS[scenario, profile]
    keeps_it = honest(scenario)
    asked = [cell(slug, scenario, profile) for slug in (*cheats, keeps_it)]
    run = stack.api.await_run(stack.create_run(asked), 240)

    frameworks = {cell["id"]: cell["framework"]["slug"] for cell in run["cells"]}
    trials = {frameworks[trial["cell_id"]]: trial for trial in run["trials"]}
    assert trials.pop(keeps_it)["status"] == "succeeded", describe(run)
    assert trials.keys() == cheats.keys()
    for slug, trial in trials.items():
        failure = trial["failure"]
        assert (failure["code"], failure["stage"]) == ("verification_failed", "verifying"), slug
        # Names of checks may contain random values: a country, or a number of requests.
        refuted = [
            check
            for check in failure["evidence"]
            if not check["passed"] and check["name"].endswith(cheats[slug])
        ]
        assert refuted, (slug, failure["evidence"])
        assert refuted[0]["expected"]
        assert refuted[0]["got"]
        series = stack.api.get(f"/trials/{trial['id']}/series", phase="all")
        assert series["samples"] == [], slug
