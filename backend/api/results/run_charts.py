"""/runs/{id}/charts: the data of all charts of a run's page."""

from uuid import UUID

from fastapi import Response
from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.measurement.trials.schemas import Percentile, StepOut
from backend.api.measurement.trials.views import percentiles_out
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.results.comparisons.schemas import SpreadOut
from backend.api.runs.deps import RunName, get_readable_head
from backend.core.bodies import Schema
from backend.core.documents import TrialSteps
from backend.core.measurement.measurements.steps import find_knee_rps, find_sustained_rps
from backend.core.models import Run
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.cell_charts import CellCharts, read_charts


class LatencyHeatMap(Schema):
    """Number of requests that succeeded or timed out, by latency and time, over all trials."""

    first_second: int = Field(
        description="Start of the first column, in seconds since the measurement began."
    )
    seconds_per_column: int
    edges_ms: list[float] = Field(
        description="Lower edge of each row, and the upper edge of the last row. An octave has "
        "eight rows."
    )
    columns: list[list[int]] = Field(description="The counts of each column, one per row.")


class TrialStepsOut(Schema):
    """The steps of one trial of a load with a growing rate."""

    repetition: int
    steps: list[StepOut] = Field(description="The last step is the first step that failed.")
    sustained_rps: int | None = Field(
        description="Highest rate before the first step that failed. Null if the first step failed."
    )
    knee_rps: int | None = Field(
        description="Rate above which p99 rises steeply (Kneedle). Null if there is none."
    )


class RunCellCharts(Schema):
    """The chart data of a cell, over its succeeded trials."""

    cell_id: UUID
    percentiles: list[Percentile] = Field(
        description="Points of the percentile curve, denser towards the tail, up to the slowest "
        "request."
    )
    seconds: list[int] = Field(
        description="Seconds since the measurement began; those of the warm-up are negative. A "
        "long series is reduced to intervals that keep their minima and maxima."
    )
    figures: dict[str, SpreadOut] = Field(
        examples=[{"throughput_rps": {"low": [198], "middle": [200], "high": [200]}}],
        description="Values by name, one for each entry of `seconds`: `throughput_rps`, "
        "`latency_p99_ms`, and the fields of a second that are drawn over time.",
    )
    heat_map: LatencyHeatMap | None = Field(
        description="Null if the seconds of the run were removed before Tacho stored heat maps."
    )
    trial_steps: list[TrialStepsOut] = Field(
        description="The steps of each trial of a load with a growing rate. Empty for other loads."
    )


class RunCharts(Schema):
    cells: list[RunCellCharts]


router = NounRouter(
    prefix="/runs",
    tags=["runs"],
    responses=problems(404, 422),
    dependencies=[needs(Permission.OPEN)],
)


@router.get("/{run_id}/charts", response_model=RunCharts, responses=NOT_MODIFIED)
async def get_run_charts(responder: ResponderDep, run_id: RunName) -> Response:
    """Return the data of all charts of a run: distributions, seconds, heat maps, steps.

    They stay when the seconds of the run are removed.
    """
    return await responder.respond_in_turn(_show_charts, run_id)


def _show_charts(session: Session, viewer: Viewer, name: str) -> RunCharts:
    return read_run_charts(session, get_readable_head(session, viewer, name))


def read_run_charts(session: Session, run: Run) -> RunCharts:
    """Return the data of the charts of a run that was loaded with its cells."""
    found = read_charts(session, [cell.id for cell in run.cells])
    return RunCharts(cells=[_cell_charts(cell) for cell in found])


def _cell_charts(cell: CellCharts) -> RunCellCharts:
    return RunCellCharts(
        cell_id=cell.cell_id,
        percentiles=percentiles_out(cell.latency),
        seconds=list(cell.seconds),
        figures={name: SpreadOut.of(band) for name, band in cell.bands.items()},
        heat_map=None
        if cell.heat is None
        else LatencyHeatMap.of(cell.heat, columns=cell.heat.counts.tolist()),
        trial_steps=[_trial_steps(trial) for trial in cell.trial_steps],
    )


def _trial_steps(trial: TrialSteps) -> TrialStepsOut:
    return TrialStepsOut(
        repetition=trial.repetition,
        steps=[StepOut.of(step) for step in trial.steps],
        sustained_rps=find_sustained_rps(trial.steps),
        knee_rps=find_knee_rps(trial.steps),
    )
