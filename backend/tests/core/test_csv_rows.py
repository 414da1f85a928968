"""CSV that spreadsheets do not execute."""

import csv
import io

import pytest

from backend.core.csv_rows import write_csv_row


def read(row: str) -> list[str]:
    (found,) = csv.reader(io.StringIO(row, newline=""))
    return found


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "  =1", "\uff1d1", '=HYPERLINK("x")']
)
def test_a_formula_becomes_text(text: str) -> None:
    assert read(write_csv_row(["a", text])) == ["a", f"'{text}"]


def test_numbers_stay_numbers_and_none_is_empty() -> None:
    assert write_csv_row([-1, -0.5, 2, None, "", "plain"]) == "-1,-0.5,2,,,plain\n"


@pytest.mark.parametrize("text", ['a "quoted" one', "a,b", "two\nlines", "ends with ="])
def test_other_text_is_read_as_it_was(text: str) -> None:
    assert read(write_csv_row([text])) == [text]
