"""Plans of presets: what runs here, one load per scenario, and how long it takes."""

from dataclasses import replace

import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.study_plan import PlannedCell
from backend.core.config import ROOT
from backend.core.documents import RunGoal
from backend.core.runs.presets.planning import (
    HostCatalogue,
    estimate_seconds,
    merge_cells,
    plan_question,
)
from backend.core.runs.presets.questions import Question
from backend.core.runs.progress import OVERHEAD_SECONDS

QUESTION = Question(
    slug="two",
    name="Two",
    description="Which is better?",
    scenario="hello",
    profile="rate-quick",
    parameters={"warm_up_seconds": 3, "duration_seconds": 5},
    frameworks=("node", "go-nethttp", "fastapi"),
    most=2,
)
FOLDERS = Catalogue(ROOT / "services")


@pytest.fixture(scope="module")
def catalogue() -> HostCatalogue:
    """The shipped catalogue on a host that runs everything."""
    return HostCatalogue(
        scenarios={slug: manifest for slug, (manifest, _) in FOLDERS.scenarios.items()},
        implemented={
            slug: list(manifest.scenarios) for slug, (manifest, _) in FOLDERS.frameworks.items()
        },
        unavailable={},
    )


def test_the_first_preferred_frameworks_that_run_are_chosen(catalogue: HostCatalogue) -> None:
    preset = plan_question(
        QUESTION, replace(catalogue, unavailable={"go-nethttp": "go>=1.26 is missing"})
    )

    assert preset
    assert [cell.framework for cell in preset.cells] == ["node", "fastapi"]
    assert preset.results == 2
    assert preset.seconds == pytest.approx(5 * 2 * (3 + 5 + OVERHEAD_SECONDS))


def test_a_question_that_no_framework_can_answer_is_left_out(catalogue: HostCatalogue) -> None:
    reasons = dict.fromkeys(catalogue.implemented, "no toolchain")

    assert plan_question(QUESTION, replace(catalogue, unavailable=reasons)) is None


def cell(framework: str, profile: str, **parameters: int) -> PlannedCell:
    return PlannedCell("e", framework, framework, "slow-upstream", profile, parameters)


def test_a_study_has_one_load_per_scenario_and_lists_swept_values(catalogue: HostCatalogue) -> None:
    merged = merge_cells(
        [
            cell("node", "slow-third-party-quick", delay_ms=500, rate_rps=100),
            cell("node", "slow-third-party-quick", delay_ms=100, rate_rps=100),
            cell("axum", "slow-third-party-quick", delay_ms=100, rate_rps=100),
            cell("axum", "slow-third-party-quick", delay_ms=100, rate_rps=200),
            cell("vertx", "users-quick", users=7),
        ],
        catalogue.scenarios,
    )

    assert [(item.framework, item.profile) for item in merged] == [
        ("node", "slow-third-party-quick"),
        ("axum", "slow-third-party-quick"),
    ]
    assert merged[0].parameters == {"delay_ms": [100, 500], "rate_rps": 100}


def test_a_run_with_a_goal_takes_at_most_its_limits() -> None:
    assert estimate_seconds(20, 5, None) == 100
    assert estimate_seconds(20, 5, RunGoal(max_trials=10, max_minutes=3)) == 180
    assert estimate_seconds(20, 5, RunGoal(max_trials=4, max_minutes=3)) == 80
