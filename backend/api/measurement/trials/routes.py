"""/trials/{id}: stages, series, latency, logs."""

from typing import Annotated, Literal, NamedTuple
from uuid import UUID

from fastapi import Depends, Path, Query

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.measurement.trials.schemas import (
    Latency,
    LogOut,
    Logs,
    TrialDetail,
    TrialSeries,
)
from backend.api.measurement.trials.views import latency_out, read_series, read_trial
from backend.core.errors import NotFound
from backend.core.measurement.measurements import repository as measurements
from backend.core.models import Run, Trial
from backend.core.people.access.permissions import Permission
from backend.core.runs import removal
from backend.core.runs.trials import repository as trials
from backend.core.runs.visibility import may_open
from backend.core.units import Phase

router = NounRouter(
    prefix="/trials",
    tags=["trials"],
    responses=problems(404, 422),
    dependencies=[needs(Permission.OPEN)],
)


class ReadableTrial(NamedTuple):
    """A trial that the caller may read, without its cell, and its run."""

    trial: Trial
    run: Run


def find_readable(
    session: SessionDep,
    trial_id: Annotated[UUID, Path(examples=["0190f3c2-7b1e-7c3a-8f00-4a5b6c7d8e9f"])],
    viewer: ViewerDep,
) -> ReadableTrial:
    """Return the trial, if the caller may open its run; raises NotFound."""
    trial = trials.get_trial(session, trial_id)
    run = session.get(Run, trial.run_id)
    if run is None or not may_open(viewer, run.workspace_id, run.visibility):
        raise NotFound(f"There is no trial {str(trial_id)!r}.")
    return ReadableTrial(trial, run)


TrialDep = Annotated[ReadableTrial, Depends(find_readable)]


@router.get("/{trial_id}")
def get_trial(session: SessionDep, found: TrialDep) -> TrialDetail:
    """Return a trial: its stages, numbers, verification and environment."""
    return read_trial(session, found.trial)


@router.get("/{trial_id}/series", responses=problems(410))
def get_series(
    session: SessionDep,
    found: TrialDep,
    phase: Annotated[
        Literal["measure", "warm_up", "all"], Query(description="Phase of the load.")
    ] = "measure",
) -> TrialSeries:
    """Return one row per second. Default: only measured seconds."""
    removal.check_seconds(found.run)
    return read_series(session, found.trial.id, None if phase == "all" else Phase(phase))


@router.get("/{trial_id}/latency")
def get_trial_latency(session: SessionDep, found: TrialDep) -> Latency:
    """Return the latency distribution of the successful requests in the measured window."""
    return latency_out(measurements.list_histograms(session, [found.trial.id]))


@router.get("/{trial_id}/logs", responses=problems(410))
def get_logs(session: SessionDep, found: TrialDep) -> Logs:
    """Return what the build, the services, the backing services and the load generator wrote."""
    removal.check_logs(found.run)
    rows = measurements.list_logs(session, found.trial.id)
    return Logs(items=[LogOut(name=row.name, content=row.content) for row in rows])
