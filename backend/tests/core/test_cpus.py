"""Lists of CPUs in the kernel's format, and the effects of shared CPUs."""

import pytest

from backend.core.cpus import explain_sharing, format_cpu_list, parse_cpu_list


@pytest.mark.parametrize(
    ("text", "cpus", "shown"),
    [
        ("0", (0,), "0"),
        ("0-2,5", (0, 1, 2, 5), "0-2,5"),
        (" 5, 0-1 ,1 ", (0, 1, 5), "0-1,5"),
        ("3-3", (3,), "3"),
        ("7,6,5", (5, 6, 7), "5-7"),
    ],
)
def test_a_list_is_parsed_and_formatted(text: str, cpus: tuple[int, ...], shown: str) -> None:
    assert parse_cpu_list(text) == cpus
    assert format_cpu_list(cpus) == shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "names no CPU"),
        (" , ", "names no CPU"),
        ("0,,1", "'' is neither a CPU"),
        ("two", "'two' is neither a CPU"),
        ("-1", "'-1' is neither a CPU"),
        ("3-1", "'3-1' runs backwards"),
        ("0-99999", "'0-99999' runs backwards or too far"),
    ],
)
def test_an_invalid_list_is_rejected_with_the_fix(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match="write a list like 0-2,5") as caught:
        parse_cpu_list(text)
    assert expected in str(caught.value)


def test_shared_cpus_are_explained() -> None:
    assert explain_sharing({"service": [0], "load": [1], "backing": [2]}) == []
    (note,) = explain_sharing({"service": [0], "load": [1], "backing": [1]})
    assert note.startswith("Load and backing services share CPU 1:")
    notes = explain_sharing({"service": [0, 1, 2], "load": [1, 2], "backing": [2]})
    assert [note.partition(":")[0] for note in notes] == [
        "Service and load share CPUs 1-2",
        "Service and backing services share CPU 2",
        "Load and backing services share CPU 2",
    ]
