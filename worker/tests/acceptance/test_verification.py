"""Services that lie are caught before any load, with evidence; honest ones beside them run."""

import pytest

from worker.benchmarks.api import describe
from worker.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.liars import LIARS, honest


@pytest.mark.parametrize(
    ("liar", "caught_by"),
    [
        ("no-upstream-call", "GET / calls the upstream once"),
        ("no-wait", "GET / waits for the upstream"),
        ("wrong-content-type", "GET / answers plain text"),
    ],
)
def test_a_liar_fails_before_load(stack: Stack, liar: str, caught_by: str) -> None:
    asked = [cell(liar, "slow-upstream"), cell("go-nethttp", "slow-upstream")]
    run = stack.api.await_run(stack.create_run(asked), 120)

    assert run["status"] == "failed"
    frameworks = {one["id"]: one["framework"]["slug"] for one in run["cells"]}
    trials = {frameworks[trial["cell_id"]]: trial for trial in run["trials"]}
    failure = trials[liar]["failure"]
    assert trials[liar]["status"] == "failed"
    assert (failure["code"], failure["stage"]) == ("verification_failed", "verifying")
    refuted = {check["name"]: check for check in failure["evidence"] if not check["passed"]}
    assert caught_by in refuted
    assert caught_by in failure["detail"]
    assert refuted[caught_by]["expected"]
    assert refuted[caught_by]["got"]
    series = stack.api.get(f"/trials/{trials[liar]['id']}/series", phase="all")
    assert series["samples"] == []
    assert trials["go-nethttp"]["status"] == "succeeded", describe(run)


@pytest.mark.parametrize(("scenario", "profile"), LIARS)
def test_every_liar_is_caught_by_the_check_for_its_lie(
    stack: Stack, scenario: str, profile: str
) -> None:
    liars = LIARS[scenario, profile]
    keeps_it = honest(scenario)
    asked = [cell(slug, scenario, profile) for slug in (*liars, keeps_it)]
    run = stack.api.await_run(stack.create_run(asked), 240)

    frameworks = {one["id"]: one["framework"]["slug"] for one in run["cells"]}
    trials = {frameworks[trial["cell_id"]]: trial for trial in run["trials"]}
    assert trials.pop(keeps_it)["status"] == "succeeded", describe(run)
    assert trials.keys() == liars.keys()
    for slug, trial in trials.items():
        failure = trial["failure"]
        assert (failure["code"], failure["stage"]) == ("verification_failed", "verifying"), slug
        refuted = [check["name"] for check in failure["evidence"] if not check["passed"]]
        # What a check names may be random: a country, how many requests.
        assert any(name.endswith(liars[slug]) for name in refuted), (slug, refuted)
