"""Studies as cells to measure, and the faults of a study's manifest."""

from pathlib import Path

import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.study import StudyManifest
from backend.core.catalog.study_plan import Plan, plan_study
from backend.core.config import ROOT
from backend.core.errors import ManifestInvalid
from backend.core.statuses import StudyVariant
from backend.tests.catalogue import write_services

STUDY = """\
slug = "study"
name = "A study"
description = "One of the tests."

[source]
title = "A title"
kind = "Blog entry"
document = "document.txt"

[trials]
quick = 2
full = 5

[[systems]]
name = "One"
framework = "a"

[[systems]]
name = "Two"
framework = "gone"

[[systems]]
name = "Three"

[experiments.delays]
name = "Delays"
scenario = "hello"
profile = "rate"
quick = { parameters = { delay_ms = [10, 20], duration_seconds = 5 } }

[[tables]]
slug = "table"
title = "A table"
source_location = "Results"
document_table = 1
experiment = "delays"
metric = "latency_mean_ms"
columns = [{ head = "10", parameters = { delay_ms = 10 } }]
rows = [{ head = "One", system = "One", cells = ["1 ms"] }]
"""


def write_study(root: Path, old: str = "", new: str = "") -> Catalogue:
    """A catalogue of the framework `a` and this study, `old` replaced by `new`."""
    write_services(root, "a")
    (root / "studies").mkdir()
    assert old in STUDY
    (root / "studies" / "study.toml").write_text(STUDY.replace(old, new, 1) if old else STUDY)
    return Catalogue(root)


def plan(catalogue: Catalogue, slug: str, unavailable: dict[str, str] | None = None) -> Plan:
    study: StudyManifest = catalogue.studies[slug][0]
    scenarios = {slug: manifest for slug, (manifest, _) in catalogue.scenarios.items()}
    frameworks = {
        name: list(framework.scenarios) for name, (framework, _) in catalogue.frameworks.items()
    }
    return plan_study(study, StudyVariant.QUICK, scenarios, frameworks, unavailable or {})


def test_a_list_of_values_gives_a_cell_for_each_and_what_cannot_be_had_says_why(
    tmp_path: Path,
) -> None:
    planned = plan(write_study(tmp_path), "study")

    assert [(cell.system, cell.profile) for cell in planned.cells] == [("One", "rate-quick")] * 2
    assert [cell.parameters["delay_ms"] for cell in planned.cells] == [10, 20]
    assert planned.cells[0].parameters["rate_rps"] == 200
    assert [(item.system, item.reason) for item in planned.impossible] == [
        ("Two", "This catalogue has no framework gone."),
        ("Three", "No framework in this catalogue corresponds to it."),
    ]


def test_what_the_host_cannot_run_is_told_with_its_reason(tmp_path: Path) -> None:
    planned = plan(write_study(tmp_path), "study", {"a": "java>=17 is missing"})

    assert not planned.cells
    assert planned.impossible[0].reason == "a cannot run on this host: java>=17 is missing"


def test_a_scenario_that_is_not_there_yet_does_not_stop_the_study(tmp_path: Path) -> None:
    planned = plan(write_study(tmp_path, '"hello"', '"later"'), "study")

    assert planned.impossible[0].reason == "This catalogue has no scenario later."


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"study"', '"other"', "the file is 'study'"),
        ('profile = "rate"', 'profile = "rat"', "experiments.delays.profile: hello has no profile"),
        ("[10, 20]", "[10, 20000]", "experiments.delays.quick.parameters.delay_ms: is 20000"),
        ('system = "One"', 'system = "Won"', "there is no Won; there are One, Two, Three"),
        ('["1 ms"]', '["1 ms", "2 ms"]', "has 2 cells for 1 columns"),
        ('["1 ms"]', '["1 MiB"]', "'MiB' is no unit of latency_mean_ms"),
        ("quick = 2", "quick = 0", "trials.quick"),
    ],
)
def test_a_wrong_study_is_told_with_what_is_wrong(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    catalogue = write_study(tmp_path, old, new)

    with pytest.raises(ManifestInvalid, match=r"studies/study\.toml") as caught:
        _ = catalogue.studies

    assert told in caught.value.detail


def test_our_own_studies_are_measurable_but_for_transports_that_are_not_built_yet() -> None:
    catalogue = Catalogue(ROOT / "services")
    for slug in catalogue.studies:
        planned = plan(catalogue, slug)

        assert planned.cells
        missing = "This catalogue has no framework chain-"
        assert all(item.reason.startswith(missing) for item in planned.impossible)
