"""/trials/{id}: stages, series, latency, logs."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Path, Query

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.trials.schemas import Latency, LogOut, Logs, StepsOut, TrialDetail, TrialSeries
from backend.api.trials.views import latency_out, read_steps, read_trial, sample_out
from backend.core.access.permissions import Permission
from backend.core.errors import NotFound
from backend.core.measurements import repository as measurements
from backend.core.models import Run, Trial
from backend.core.runs import removal, repository
from backend.core.units import Phase, ProfileKind

router = NounRouter(
    prefix="/trials",
    tags=["trials"],
    responses=problems(404, 422),
    dependencies=[needs(Permission.OPEN)],
)


def find_readable(
    session: SessionDep,
    trial_id: Annotated[UUID, Path(examples=["0190f3c2-7b1e-7c3a-8f00-4a5b6c7d8e9f"])],
    viewer: ViewerDep,
) -> Trial:
    """Return the trial, if the caller may open its run; raises NotFound."""
    trial = repository.get_trial(session, trial_id)
    if not repository.may_open_run(session, trial.run_id, viewer):
        raise NotFound(f"There is no trial {str(trial_id)!r}.")
    return trial


TrialDep = Annotated[Trial, Depends(find_readable)]


def find_with_seconds(session: SessionDep, trial: TrialDep) -> Trial:
    """Return the trial; raises Gone if the seconds of its run were removed."""
    removal.check_seconds(session.get_one(Run, trial.run_id))
    return trial


def find_with_logs(session: SessionDep, trial: TrialDep) -> Trial:
    """Return the trial; raises Gone if the logs of its run were removed."""
    removal.check_logs(session.get_one(Run, trial.run_id))
    return trial


TrialWithSecondsDep = Annotated[Trial, Depends(find_with_seconds)]
TrialWithLogsDep = Annotated[Trial, Depends(find_with_logs)]


@router.get("/{trial_id}")
def get_trial(session: SessionDep, trial: TrialDep) -> TrialDetail:
    """Return a trial: its stages, numbers, verification and environment."""
    return read_trial(session, trial)


@router.get("/{trial_id}/series", responses=problems(410))
def get_series(
    session: SessionDep,
    trial: TrialWithSecondsDep,
    phase: Annotated[
        Literal["measure", "warm_up", "all"], Query(description="Phase of the load.")
    ] = "measure",
) -> TrialSeries:
    """Return one row per second. Default: only measured seconds."""
    wanted = None if phase == "all" else Phase(phase)
    rows = measurements.list_samples(session, trial.id, wanted)
    return TrialSeries(samples=[sample_out(row) for row in rows])


@router.get("/{trial_id}/latency")
def get_trial_latency(session: SessionDep, trial: TrialDep) -> Latency:
    """Return the latency distribution of the successful requests in the measured window."""
    return latency_out(measurements.list_histograms(session, [trial.id]))


@router.get("/{trial_id}/steps", responses=problems(410))
def get_steps(session: SessionDep, trial: TrialWithSecondsDep) -> StepsOut:
    """Return the steps of a growing rate. The last step is the first step that failed."""
    if trial.cell.kind != ProfileKind.STEPS:
        raise NotFound(f"The load of a trial of {trial.cell.profile!r} has no steps.")
    return read_steps(session, trial.id, trial.cell.parameters)


@router.get("/{trial_id}/logs", responses=problems(410))
def get_logs(session: SessionDep, trial: TrialWithLogsDep) -> Logs:
    """Return what the build, the services, the backing services and the load generator wrote."""
    rows = measurements.list_logs(session, trial.id)
    return Logs(items=[LogOut(name=row.name, content=row.content) for row in rows])
