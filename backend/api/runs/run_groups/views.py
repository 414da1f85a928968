"""Groups of runs as the API shows them."""

from collections.abc import Mapping, Sequence

from sqlalchemy.orm import Session

from backend.addresses import group_page
from backend.api.runs.run_groups.schemas import GroupRow, HostResult, RunGroupOut
from backend.api.runs.views import cell_framework_ref, run_list
from backend.api.views import metric_summary, scenario_ref
from backend.core.models import Run
from backend.core.people.access.viewer import Viewer
from backend.core.results.run_results.groups import CellResult
from backend.core.results.run_results.service import read_run_results
from backend.core.runs.status import RUN_ENDS
from backend.core.units import Metric, ProfileKind, find_main_metric


def group_out(
    session: Session, slug: str, runs: Sequence[Run], viewer: Viewer, *, may_run: bool
) -> RunGroupOut:
    """Return a group with the results of its runs next to each other.

    Args:
        runs: at least one, with cells and trials.
        may_run: whether the caller may cancel runs of the own workspace.
    """
    first = runs[0]
    found = [(run, read_run_results(session, run, is_ranked=False).cells) for run in runs]
    return RunGroupOut(
        slug=slug,
        permalink=group_page(slug),
        title=first.title,
        created_at=first.created_at,
        may_cancel=may_run
        and viewer.workspace == first.workspace_id
        and any(run.status not in RUN_ENDS for run in runs),
        runs=run_list(session, runs, viewer),
        rows=[
            _row([(run, cells[position]) for run, cells in found if position < len(cells)])
            for position in range(len(found[0][1]))
        ],
    )


def _row(found: Sequence[tuple[Run, CellResult]]) -> GroupRow:
    """Return the results of the cell at one position, which is the same cell in every run."""
    first = found[0][1]
    estimates: Mapping[Metric, object] = {
        metric: estimate
        for _, result in found
        for metric, estimate in result.summary.estimates.items()
    }
    metric = find_main_metric(ProfileKind(first.cell.kind), estimates)
    return GroupRow(
        framework=cell_framework_ref(first),
        scenario=scenario_ref(first.cell.scenario),
        profile=first.cell.profile,
        parameters=first.cell.parameters,
        metric=metric,
        results=[_host_result(run, result, metric) for run, result in found],
    )


def _host_result(run: Run, result: CellResult, metric: Metric) -> HostResult:
    estimate = result.summary.estimates.get(metric)
    return HostResult(
        host=run.host.name,
        run_id=run.id,
        cell_id=result.cell.id,
        framework_digest=result.cell.framework_digest,
        excluded=result.summary.excluded,
        summary=None if estimate is None else metric_summary(metric, estimate),
    )
