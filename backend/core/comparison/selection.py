"""Which results someone wants to see side by side, checked."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.comparison.results import Result, list_results
from backend.core.errors import InvalidRequest
from backend.core.runs.visibility import is_readable


def select_results(
    session: Session, cell_ids: Sequence[UUID], baseline: UUID | None, *, with_private: bool
) -> tuple[list[Result], UUID]:
    """The results of these cells, oldest first and each once, and the baseline's cell.

    Without a baseline it is the first cell that is not excluded, else the first.

    Raises:
        InvalidRequest: naming every cell without a result, and a baseline that is none of them.
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
            "detail": f"There is no result of a cell {str(cell_id)!r}: it must be a cell of a run "
            "that has ended, with a trial that succeeded. GET /api/v1/cells lists them.",
        }
        for index, cell_id in enumerate(cell_ids)
        if cell_id not in known
    ]
    valid = {result.cell.cell_id for result in results if not result.cell.excluded}
    against = baseline or next((one for one in cell_ids if one in valid), cell_ids[0])
    if against not in cell_ids:
        detail = f"{str(against)!r} is none of the cells; give one of them."
        problems.append({"field": "baseline", "detail": detail})
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        first = problems[0]
        raise InvalidRequest(f"{first['field']}: {first['detail']}{more}", problems)
    return results, against
