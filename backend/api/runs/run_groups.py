"""/run-groups/{group}: read a group of runs, and cancel it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path
from pydantic import Field
from sqlalchemy.orm import Session

from backend.addresses import group_page
from backend.api.access.caller import Caller
from backend.api.deps import CallerDep, LargeRead, SessionDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.runs.deps import find_own
from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import cell_framework_ref, run_list
from backend.api.schemas import FrameworkRef, MetricSummary, Name, ScenarioRef
from backend.api.views import metric_summary
from backend.core.bodies import Schema
from backend.core.models import Run
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.cell_result import RunCellResult
from backend.core.results.run_results.service import read_run_results
from backend.core.runs.groups import cancel_group, read_group
from backend.core.runs.status import RUN_ENDS
from backend.core.units import Metric, find_main_metric


class HostResult(Schema):
    """The result of a cell on one host."""

    host: str = Field(examples=["bench-01"])
    run_id: UUID
    cell_id: UUID
    framework_digest: str = Field(description="Digest of the files that the host measured.")
    excluded: bool = Field(description="Whether a verdict excludes the cell from ranking.")
    summary: MetricSummary | None = Field(
        description="Estimate of the main metric with its interval. Null without a result."
    )


class GroupRow(Schema):
    """A cell of the request, with its result on each host. Results of hosts are never pooled."""

    framework: FrameworkRef
    scenario: ScenarioRef
    profile: str = Field(examples=["rate-quick"])
    parameters: dict[str, int]
    metric: Metric = Field(description="The main metric of the load.")
    results: list[HostResult] = Field(description="In the order of the runs.")


class RunGroupOut(Schema):
    slug: str = Field(examples=["w7f4c2kx9p"])
    permalink: str = Field(examples=["/g/w7f4c2kx9p"])
    title: str
    created_at: datetime
    may_cancel: bool = Field(
        description="Whether the caller may cancel its runs, and at least one has not ended."
    )
    runs: list[RunListItem] = Field(
        description="The run of each host, in the order of the request. Runs that the caller may "
        "not open are left out."
    )
    rows: list[GroupRow] = Field(description="In the order of the cells of the request.")


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


def _row(found: Sequence[tuple[Run, RunCellResult]]) -> GroupRow:
    """Return the results of the cell at one position, which is the same cell in every run."""
    first = found[0][1]
    estimates: Mapping[Metric, object] = {
        metric: estimate for _, result in found for metric, estimate in result.estimates.items()
    }
    metric = find_main_metric(first.kind, estimates)
    return GroupRow(
        framework=cell_framework_ref(first),
        scenario=ScenarioRef.of(first.cell.scenario),
        profile=first.cell.profile,
        parameters=first.cell.parameters,
        metric=metric,
        results=[_host_result(run, result, metric) for run, result in found],
    )


def _host_result(run: Run, result: RunCellResult, metric: Metric) -> HostResult:
    estimate = result.estimates.get(metric)
    return HostResult(
        host=run.host.name,
        run_id=run.id,
        cell_id=result.cell.id,
        framework_digest=result.cell.framework_digest,
        excluded=result.summary.excluded,
        summary=None if estimate is None else metric_summary(metric, estimate),
    )


router = NounRouter(prefix="/run-groups", tags=["runs"])
GroupName = Annotated[Name, Path(examples=["w7f4c2kx9p"])]


@router.get(
    "/{group}", dependencies=[needs(Permission.OPEN), LargeRead], responses=problems(404, 422)
)
def get_run_group(session: SessionDep, caller: CallerDep, group: GroupName) -> RunGroupOut:
    """Return the runs of a group, and their results next to each other."""
    return _read(session, caller, group)


@router.post(
    "/{group}/cancel",
    dependencies=[needs(Permission.RUN)],
    responses=problems(401, 404, 409, 413, 422),
)
def cancel_run_group(session: SessionDep, caller: CallerDep, group: GroupName) -> RunGroupOut:
    """Cancel the runs of a group that have not ended, as `POST /runs/{run_id}/cancel` does."""
    found = read_group(session, group, caller.viewer)
    cancel_group(session, [find_own(run, caller) for run in found])
    return _read(session, caller, group)


def _read(session: Session, caller: Caller, group: str) -> RunGroupOut:
    runs = read_group(session, group, caller.viewer)
    may_run = caller.rights.allow(Permission.RUN)
    return group_out(session, group, runs, caller.viewer, may_run=may_run)
