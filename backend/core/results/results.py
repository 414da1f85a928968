"""Read the results of cells of any ended runs, and find how their conditions differ."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.errors import InvalidRequest
from backend.core.measurement.instrument.service import find_errors, select_error
from backend.core.people.access.viewer import Viewer
from backend.core.results import repository
from backend.core.results.cell_result import CellResult, mark_estimates
from backend.core.results.environment import Difference, differences
from backend.core.runs.visibility import may_open
from backend.core.units import Metric


def list_results(
    session: Session, cell_ids: Collection[UUID], metrics: Collection[Metric] = tuple(Metric)
) -> list[CellResult]:
    """Return the results of these cells ordered by id; cells without a result are left out.

    Args:
        metrics: the metrics to load.
    """
    rows = repository.list_cells(session, cell_ids)
    estimates = repository.list_estimates(session, cell_ids, metrics)
    values = repository.list_values(session, cell_ids, metrics)
    environments = repository.list_environments(session, cell_ids)
    errors = find_errors(session, {row.host for row in rows})
    results = []
    for row in rows:
        cell_id = row.summary.cell_id
        own, environment = values.get(cell_id, {}), environments.get(cell_id, {})
        results.append(
            CellResult(
                summary=row.summary,
                run=row.run,
                host=row.host,
                framework=row.framework,
                scenario=row.scenario,
                estimates=mark_estimates(row.summary, estimates.get(cell_id, {}), own),
                values=own,
                environment=environment,
                instrument=select_error(errors, row.host, environment.get("host_digest")),
            )
        )
    return results


# A comparison is about different frameworks or versions. The cell has the runtime.
_TOLD_APART = frozenset({"framework", "runtime"})


def result_differences(one: CellResult, other: CellResult) -> list[Difference]:
    """Return the differences that prevent comparing two results; empty if they are comparable."""
    found = [Difference(*named) for named in _named(one, other) if named[1] != named[2]]
    same_scenario = one.summary.scenario == other.summary.scenario
    ignored = _TOLD_APART if same_scenario else _TOLD_APART | {"scenario"}
    return found + differences(one.environment, other.environment, ignored)


def _named(one: CellResult, other: CellResult) -> Sequence[tuple[str, str, str]]:
    """Return subject and both values of properties that environments do not contain."""
    ours, theirs = one.summary.parameters, other.summary.parameters
    loads = (one.summary.kind, other.summary.kind)
    return [
        ("scenario", one.scenario.name, other.scenario.name),
        ("host", one.host, other.host),
        ("runtime", one.summary.runtime, other.summary.runtime),
        ("load", *loads),
        *(
            (f"parameters.{name}", str(ours.get(name, "none")), str(theirs.get(name, "none")))
            for name in sorted({*ours, *theirs})
            if loads[0] == loads[1]
        ),
    ]


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
