"""The cells of studies, and the faults of a study's manifest."""

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
cpus = 8

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
per_cpu = "rate_rps"
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
    """Write a catalogue of the framework `a` and this study, with `old` replaced by `new`."""
    write_services(root, "a")
    (root / "studies").mkdir()
    assert old in STUDY
    (root / "studies" / "study.toml").write_text(STUDY.replace(old, new, 1) if old else STUDY)
    return Catalogue(root)


def plan(
    catalogue: Catalogue,
    slug: str,
    unavailable: dict[str, str] | None = None,
    service_cpus: int | None = None,
) -> Plan:
    study: StudyManifest = catalogue.studies[slug][0]
    scenarios = {slug: manifest for slug, (manifest, _) in catalogue.scenarios.items()}
    frameworks = {
        name: list(framework.scenarios) for name, (framework, _) in catalogue.frameworks.items()
    }
    return plan_study(
        study, StudyVariant.QUICK, scenarios, frameworks, unavailable or {}, service_cpus
    )


def test_each_value_has_a_cell_and_impossible_cells_have_a_reason(tmp_path: Path) -> None:
    planned = plan(write_study(tmp_path), "study")

    assert [(cell.system, cell.profile) for cell in planned.cells] == [("One", "rate-quick")] * 2
    assert [cell.parameters["delay_ms"] for cell in planned.cells] == [10, 20]
    assert planned.cells[0].parameters["rate_rps"] == 200
    assert [(item.system, item.reason) for item in planned.impossible] == [
        ("Two", "This catalogue has no framework gone."),
        ("Three", "No framework in this catalogue corresponds to it."),
    ]


def test_missing_tools_and_scenarios_are_reasons_too(tmp_path: Path) -> None:
    planned = plan(write_study(tmp_path / "1"), "study", {"a": "java>=17 is missing"})
    assert not planned.cells
    assert planned.impossible[0].reason == "a cannot run on this host: java>=17 is missing"

    planned = plan(write_study(tmp_path / "2", '"hello"', '"later"'), "study")
    assert planned.impossible[0].reason == "This catalogue has no scenario later."


@pytest.mark.parametrize(
    ("service_cpus", "expected"), [(None, 200), (1, 25), (2, 50), (16, 400), (0, 1)]
)
def test_a_load_per_cpu_follows_the_cpus_of_the_host(
    tmp_path: Path, service_cpus: int | None, expected: int
) -> None:
    catalogue = write_study(tmp_path)

    cells = plan(catalogue, "study", service_cpus=service_cpus).cells

    experiment = catalogue.studies["study"][0].experiments["delays"]
    assert [cell.parameters["rate_rps"] for cell in cells] == [expected] * 2
    assert all(
        experiment.includes(StudyVariant.QUICK, cell.profile, cell.parameters) for cell in cells
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("cpus = 8", "", "experiments.delays.per_cpu: needs source.cpus"),
        ('"rate_rps"', '"users"', "experiments.delays.per_cpu: rate-quick has no such parameter"),
        ('"study"', '"other"', "the file is 'study'"),
        ('profile = "rate"', 'profile = "rat"', "experiments.delays.profile: hello has no profile"),
        ("[10, 20]", "[10, 20000]", "experiments.delays.quick.parameters.delay_ms: is 20000"),
        ('system = "One"', 'system = "Won"', "there is no Won; there are One, Two, Three"),
        ('["1 ms"]', '["1 ms", "2 ms"]', "has 2 cells for 1 columns"),
        ('["1 ms"]', '["1 MiB"]', "'MiB' is not a unit of latency_mean_ms"),
        ("quick = 2", "quick = 0", "trials.quick"),
    ],
)
def test_an_invalid_study_is_reported_with_the_fault(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    catalogue = write_study(tmp_path, old, new)

    with pytest.raises(ManifestInvalid, match=r"studies/study\.toml") as caught:
        _ = catalogue.studies

    assert expected in caught.value.detail


def test_the_studies_of_this_repository_are_measurable_except_for_missing_transports() -> None:
    catalogue = Catalogue(ROOT / "services")
    for slug in catalogue.studies:
        planned = plan(catalogue, slug)

        assert planned.cells
        missing = "This catalogue has no framework chain-"
        assert all(item.reason.startswith(missing) for item in planned.impossible)
