"""The groups of a run, and how they are shown together."""

from uuid import uuid4

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


def test_groups_of_different_frameworks_are_not_a_sweep() -> None:
    found = blocks(result("a"), result("b"), result("a", rate_rps=5))

    assert [(block.label, block.parameter) for block in found] == [
        ("Hello, rate, 1\u202f000\u202freq/s", None),
        ("Hello, rate, 5\u202freq/s", None),
    ]


def test_labels_name_the_parameters_in_which_loads_differ() -> None:
    found = blocks(result("a", timeout_ms=30_000), result("b", timeout_ms=500))

    assert [block.label for block in found] == [
        "Hello, rate, timeout 30\u202f000\u202fms",
        "Hello, rate, timeout 500\u202fms",
    ]


def test_groups_that_differ_in_one_parameter_are_a_sweep_in_ascending_order() -> None:
    rates = (1000, 100, 500)
    found = blocks(*(result(name, rate_rps=rate) for rate in rates for name in "ab"))

    (block,) = found
    assert (block.key, block.label, block.parameter) == ("hello.rate-quick", "Hello", "rate_rps")
    assert [group.parameters["rate_rps"] for group in block.groups] == [100, 500, 1000]


def test_groups_that_differ_in_two_parameters_are_not_a_sweep() -> None:
    found = blocks(result("a"), result("a", rate_rps=5, duration_seconds=20))

    assert [block.parameter for block in found] == [None, None]


def test_a_parameter_that_one_group_lacks_is_not_swept() -> None:
    found = blocks(result("a"), result("a", timeout_ms=500))

    assert [(block.label, block.parameter) for block in found] == [
        ("Hello, rate", None),
        ("Hello, rate, timeout 500\u202fms", None),
    ]


def test_a_scenario_that_is_measured_once_is_labelled_by_its_name() -> None:
    found = blocks(result("a"), result("a", scenario="json"))

    assert [block.label for block in found] == ["Hello", "Json"]


def test_both_variants_of_a_profile_keep_their_names() -> None:
    found = blocks(result("a", "rate-quick"), result("a", "rate-full"))

    assert [block.label for block in found] == ["Hello, rate quick", "Hello, rate full"]
