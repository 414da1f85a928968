"""The rules for bundles of example data."""

from typing import Any

import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.config import ROOT
from backend.core.operations.examples.bundle import BUNDLE_VERSION
from backend.core.operations.examples.bundle_check import (
    BundleFault,
    find_bundle_faults,
    find_exclusions,
)
from backend.core.statuses import StudyVariant
from backend.core.units import Verdict

STUDIES = Catalogue(ROOT / "services").studies
STUDY = STUDIES["jvm-backend-services"][0]
LOAD = STUDY.experiments["slow-third-party"].quick.parameters


def bundle(
    *verdicts: str, trials: int = 5, framework: str = "spring-mvc", delay_ms: int = 4000
) -> dict[str, Any]:
    """Return a bundle of one result, whose first trial has these verdicts."""
    return {
        "version": BUNDLE_VERSION,
        "run": {
            "id": "run",
            "study": STUDY.slug,
            "study_variant": "quick",
            "purpose": "comparison",
        },
        "cells": [
            {
                "id": "cell",
                "framework": framework,
                "scenario": "slow-upstream",
                "profile": "slow-third-party-quick",
                "kind": "rate",
                "parameters": LOAD | {"delay_ms": delay_ms},
            }
        ],
        "trials": [
            {
                "cell_id": "cell",
                "status": "succeeded",
                "metrics": {},
                "verdicts": [
                    {"verdict": verdict, "detail": ""} for verdict in verdicts if number == 0
                ],
            }
            for number in range(trials)
        ],
    }


def faults_of(document: dict[str, Any]) -> list[str]:
    return [fault.detail for fault in find_bundle_faults(document, STUDY)]


def test_a_good_bundle_has_no_faults() -> None:
    assert faults_of(bundle()) == []


def test_a_tenth_of_the_results_may_be_excluded() -> None:
    def with_sound_results(number: int) -> dict[str, Any]:
        document = bundle("throttled")
        for index in range(number):
            other = bundle()
            (cell,) = other["cells"]
            document["cells"].append(cell | {"id": f"sound-{index}"})
            document["trials"] += [
                trial | {"cell_id": f"sound-{index}"} for trial in other["trials"]
            ]
        return document

    assert faults_of(with_sound_results(8)) == ["is excluded: 1 of 5 trials has throttled"]
    assert faults_of(with_sound_results(9)) == []


def test_a_ranked_result_needs_a_window_that_shows_whether_it_was_steady() -> None:
    def with_load(kind: str, **parameters: int) -> list[str]:
        document = bundle()
        (cell,) = document["cells"]
        cell["kind"] = kind
        cell["parameters"] |= parameters
        return faults_of(document)

    assert with_load("rate", duration_seconds=9) == [
        "has a window of 9 s; a ranked result needs 10 s"
    ]
    assert with_load("steps", duration_seconds=60, step_seconds=3) == [
        "has a window of 3 s; a ranked result needs 10 s"
    ]
    # It ends with its last message, and its warm-up was tested.
    assert with_load("count", duration_seconds=9) == []


def test_a_result_needs_five_trials() -> None:
    assert faults_of(bundle(trials=4)) == ["has 4 trials; a result needs 5"]


def test_an_exclusion_is_a_fault_unless_the_study_declares_it() -> None:
    assert faults_of(bundle("too_many_errors")) == []
    assert faults_of(bundle("too_many_errors", delay_ms=2000)) == [
        "is excluded: 1 of 5 trials has too_many_errors"
    ]
    assert faults_of(bundle("too_many_errors", framework="node")) != []
    assert faults_of(bundle("throttled")) != []
    assert find_bundle_faults(bundle("too_many_errors"), None) != []


def test_an_unexpected_exclusion_of_a_trial_is_found() -> None:
    def exclusions(document: dict[str, Any]) -> set[Verdict]:
        (cell,), trial = document["cells"], document["trials"][0]
        return find_exclusions(cell, trial, STUDY, StudyVariant.QUICK)

    assert exclusions(bundle("too_many_errors", "host_busy")) == set()
    assert exclusions(bundle("too_many_errors", delay_ms=2000)) == {Verdict.TOO_MANY_ERRORS}


def test_trials_may_fail_only_if_the_study_declares_it() -> None:
    study = STUDIES["nest-spring-micro"][0]
    limit = study.experiments["universities-high-limit"]

    def faults(framework: str) -> list[BundleFault]:
        document = bundle(trials=0, framework=framework)
        document["cells"][0] |= {
            "scenario": limit.scenario,
            "profile": f"{limit.profile}-quick",
            "parameters": limit.quick.parameters,
        }
        document["trials"] = [{"cell_id": "cell", "status": "failed", "verdicts": []}]
        return find_bundle_faults(document, study)

    assert faults("micro") == []
    assert [fault.detail for fault in faults("spring-mvc")] == ["has 0 trials; a result needs 5"]


@pytest.mark.parametrize(("trials", "is_fault"), [(10, True), (11, False)])
def test_fewer_than_a_tenth_of_the_trials_may_run_on_a_busy_host(
    trials: int, is_fault: bool
) -> None:
    found = faults_of(bundle("host_busy", trials=trials))

    assert bool(found) is is_fault
    assert not is_fault or found[0].startswith("1 of 10 trials ran on a busy host")


@pytest.mark.parametrize(("busy_runs", "is_fault"), [(9, False), (10, True)])
def test_the_share_of_busy_trials_is_that_of_the_whole_bundle(
    busy_runs: int, is_fault: bool
) -> None:
    runs = [bundle("host_busy") for _ in range(busy_runs)]
    runs += [bundle() for _ in range(20 - busy_runs)]

    found = faults_of({"version": BUNDLE_VERSION, "runs": runs})

    assert bool(found) is is_fault
    assert not is_fault or found[0].startswith("10 of 100 trials ran on a busy host")


def test_the_fault_names_the_result() -> None:
    (fault,) = find_bundle_faults(bundle(trials=1), STUDY)

    assert fault.result is not None
    assert fault.result.startswith("spring-mvc, slow-upstream, slow-third-party-quick (delay_ms")
