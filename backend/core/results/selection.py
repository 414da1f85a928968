"""Validate the selection of results to compare."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.errors import InvalidRequest
from backend.core.results.results import Result, list_results
from backend.core.runs.visibility import is_readable


def select_results(
    session: Session, cell_ids: Sequence[UUID], baseline: UUID | None, *, with_private: bool
) -> tuple[list[Result], UUID]:
    """Return the results of these cells, oldest first and without duplicates, and the baseline.

    The default baseline is the first cell that is not excluded, else the first.

    Raises:
        InvalidRequest: with every cell without a result, or a baseline that is not selected.
    """
    results = [
        result
        for result in list_results(session, set(cell_ids))
        if is_readable(result.run.visibility, is_trusted=with_private)
    ]
    known = {result.cell.cell_id for result in results}
    problems = [
        {
            "field": f"cells.{index}",
            "detail": f"The cell {str(cell_id)!r} has no result. Use a cell of a run that has "
            "ended, with at least one succeeded trial.",
        }
        for index, cell_id in enumerate(cell_ids)
        if cell_id not in known
    ]
    valid = {result.cell.cell_id for result in results if not result.cell.excluded}
    against = baseline or next((cell_id for cell_id in cell_ids if cell_id in valid), cell_ids[0])
    if against not in cell_ids:
        detail = f"{str(against)!r} is not one of the selected cells; use one of them."
        problems.append({"field": "baseline", "detail": detail})
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        first = problems[0]
        raise InvalidRequest(f"{first['field']}: {first['detail']}{more}", problems)
    return results, against
