"""Validate the selection of results to compare."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.errors import InvalidRequest
from backend.core.people.access.viewer import Viewer
from backend.core.results import repository
from backend.core.results.cell_result import CellResult
from backend.core.results.results import list_results
from backend.core.runs.visibility import may_open


def select_results(
    session: Session, cell_ids: Sequence[UUID], baseline: UUID | None, viewer: Viewer
) -> tuple[list[CellResult], UUID]:
    """Return the results of these cells, oldest first and without duplicates, and the baseline.

    The default baseline is the first cell that is not excluded, else the first.

    Raises:
        InvalidRequest: with every cell without a result, or a baseline that is not selected.
    """
    results = [
        result
        for result in list_results(session, set(cell_ids))
        if may_open(viewer, result.run.workspace_id, result.run.visibility)
    ]
    problems = _find_unknown(cell_ids, {result.summary.cell_id for result in results})
    valid = {result.summary.cell_id for result in results if not result.summary.excluded}
    against = baseline or next((cell_id for cell_id in cell_ids if cell_id in valid), cell_ids[0])
    if against not in cell_ids:
        detail = f"{str(against)!r} is not one of the selected cells; use one of them."
        problems.append({"field": "baseline", "detail": detail})
    _refuse(problems)
    return results, against


def select_cells(session: Session, cell_ids: Sequence[UUID], viewer: Viewer) -> list[UUID]:
    """Return the ids of these cells, oldest first and without duplicates.

    Raises:
        InvalidRequest: with every cell without a result.
    """
    known = [
        row.summary.cell_id
        for row in repository.list_cells(session, set(cell_ids))
        if may_open(viewer, row.run.workspace_id, row.run.visibility)
    ]
    _refuse(_find_unknown(cell_ids, known))
    return known


def _find_unknown(cell_ids: Sequence[UUID], known: Collection[UUID]) -> list[dict[str, str]]:
    return [
        {
            "field": f"cells.{index}",
            "detail": f"The cell {str(cell_id)!r} has no result. Use a cell of a run that has "
            "ended, with at least one succeeded trial.",
        }
        for index, cell_id in enumerate(cell_ids)
        if cell_id not in known
    ]


def _refuse(problems: list[dict[str, str]]) -> None:
    if problems:
        raise InvalidRequest.of(problems)
