"""The values of a second: sums of load counts, and the charts over time."""

from dataclasses import replace

from backend.core.second import LoadCounts


def test_lines_of_a_second_are_summed() -> None:
    first = replace(
        LoadCounts.none(), requests=5, failed=2, errors={"timeout": 2}, vus=7, in_flight=0.5
    )
    second = replace(
        LoadCounts.none(), requests=1, failed=1, errors={"timeout": 1, "reset": 1}, vus=3
    )

    total = first.add(second)

    assert (total.requests, total.failed, total.in_flight) == (6, 3, 0.5)
    assert total.errors == {"timeout": 3, "reset": 1}
    assert total.vus == 7
    assert first.add(LoadCounts.none()) == first
