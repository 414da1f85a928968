"""Cheating services fail before any load, with evidence; honest services in the same run
succeed."""

import pytest

from tools.benchmarks.api import describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.cheats import CHEATS, honest


@pytest.mark.parametrize(
    ("cheat", "caught_by"),
    [
        ("no-upstream-call", "GET / calls the upstream once"),
        ("no-wait", "GET / waits for the upstream"),
        ("wrong-content-type", "GET / answers plain text"),
    ],
)
def test_a_cheat_fails_before_the_load(stack: Stack, cheat: str, caught_by: str) -> None:
    asked = [cell(cheat, "slow-upstream"), cell("go-nethttp", "slow-upstream")]
    run = stack.api.await_run(stack.create_run(asked), 120)

    assert run["status"] == "failed"
    frameworks = {cell["id"]: cell["framework"]["slug"] for cell in run["cells"]}
    trials = {frameworks[trial["cell_id"]]: trial for trial in run["trials"]}
    failure = trials[cheat]["failure"]
    assert trials[cheat]["status"] == "failed"
    assert (failure["code"], failure["stage"]) == ("verification_failed", "verifying")
    refuted = {check["name"]: check for check in failure["evidence"] if not check["passed"]}
    assert caught_by in refuted
    assert caught_by in failure["detail"]
    assert refuted[caught_by]["expected"]
    assert refuted[caught_by]["got"]
    series = stack.api.get(f"/trials/{trials[cheat]['id']}/series", phase="all")
    assert series["samples"] == []
    assert trials["go-nethttp"]["status"] == "succeeded", describe(run)


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
        refuted = [check["name"] for check in failure["evidence"] if not check["passed"]]
        # Names of checks may contain random values: a country, or a number of requests.
        assert any(name.endswith(cheats[slug]) for name in refuted), (slug, refuted)
