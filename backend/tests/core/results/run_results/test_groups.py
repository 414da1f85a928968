"""The groups of a run, and how they are shown together."""

from uuid import uuid4

import pytest

from backend.core.models import Cell, Framework, Host, Run, Scenario
from backend.core.results.cell_result import RunCellResult
from backend.core.results.cell_summary import summarise_run
from backend.core.results.run_results.groups import ResultBlock, group_cells, list_blocks


def result(
    framework: str, profile: str = "rate-quick", scenario: str = "hello", **load: int
) -> RunCellResult:
    cell = Cell(
        id=uuid4(),
        framework=Framework(slug=framework, name=framework, colour=0),
        scenario=Scenario(slug=scenario, name=scenario.capitalize()),
        profile=profile,
        kind="rate",
        parameters={"rate_rps": 1000, "duration_seconds": 10} | load,
    )
    run = Run(host=Host(name="bench-01"), cells=[cell], trials=[])
    return summarise_run(run, {}).cells[0]


def blocks(*cells: RunCellResult) -> list[ResultBlock]:
    return list_blocks(group_cells(cells))


def test_a_group_has_one_scenario_profile_and_set_of_parameters() -> None:
    groups = group_cells([result("a"), result("b"), result("a", rate_rps=5)])

    assert [(group.key, len(group.cells)) for group in groups] == [
        ("hello.rate-quick", 2),
        ("hello.rate-quick.2", 1),
    ]


def test_a_profile_whose_name_begins_like_another_has_its_own_numbers() -> None:
    groups = group_cells([result("a", "rate-quick-long"), result("a", "rate-quick")])

    assert [group.key for group in groups] == ["hello.rate-quick-long", "hello.rate-quick"]


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        # Groups of different frameworks.
        (
            [result("a"), result("b"), result("a", rate_rps=5)],
            ["Hello, rate, 1\u202f000\u202freq/s", "Hello, rate, 5\u202freq/s"],
        ),
        # A label names only the parameters in which loads differ.
        (
            [result("a", timeout_ms=30_000), result("b", timeout_ms=500)],
            ["Hello, rate, timeout 30\u202f000\u202fms", "Hello, rate, timeout 500\u202fms"],
        ),
        (
            [result("a"), result("a", rate_rps=5, duration_seconds=20)],
            [
                "Hello, rate, 1\u202f000\u202freq/s, duration 10\u202fs",
                "Hello, rate, 5\u202freq/s, duration 20\u202fs",
            ],
        ),
        # A parameter that one group lacks is not swept.
        (
            [result("a"), result("a", timeout_ms=500)],
            ["Hello, rate", "Hello, rate, timeout 500\u202fms"],
        ),
        ([result("a"), result("a", scenario="json")], ["Hello", "Json"]),
        (
            [result("a", "rate-quick"), result("a", "rate-full")],
            ["Hello, rate quick", "Hello, rate full"],
        ),
    ],
)
def test_groups_that_are_not_a_sweep_are_labelled_by_their_differences(
    cells: list[RunCellResult], labels: list[str]
) -> None:
    assert [(block.label, block.parameter) for block in blocks(*cells)] == [
        (label, None) for label in labels
    ]


def test_groups_that_differ_in_one_parameter_are_a_sweep_in_ascending_order() -> None:
    rates = (1000, 100, 500)
    found = blocks(*(result(name, rate_rps=rate) for rate in rates for name in "ab"))

    (block,) = found
    assert (block.key, block.label, block.parameter) == ("hello.rate-quick", "Hello", "rate_rps")
    assert [group.parameters["rate_rps"] for group in block.groups] == [100, 500, 1000]
