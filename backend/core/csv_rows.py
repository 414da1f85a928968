"""Write CSV (RFC 4180) that spreadsheets show as it is. The only place that writes CSV."""

import csv
import io
from collections.abc import Iterable

# Spreadsheets take a text that begins with one of these for a formula, also after spaces.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # noqa: RUF001


def write_csv_row(values: Iterable[object]) -> str:
    """Return a row with its line break.

    None is empty. Numbers stay numbers. A text that a spreadsheet would execute gets an apostrophe
    before it, which spreadsheets do not show.
    """
    row = io.StringIO()
    # The writer quotes texts with a character of its line break.
    writer = csv.writer(row, lineterminator="\r\n")  # noqa: TID251
    writer.writerow([_write_cell(value) for value in values])
    return row.getvalue().removesuffix("\r\n") + "\n"


def _write_cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    # Spaces include tabs and line breaks, with which some spreadsheets begin a new cell.
    is_formula = value.startswith(("\t", "\r", "\n")) or value.lstrip().startswith(_FORMULA)
    return f"'{value}" if is_formula else str(value)
