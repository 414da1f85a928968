"""Chart data of runs and comparisons: distributions, seconds and steps of each cell.

It is computed once, when a run is finalized, and stored in one row per cell. For runs finalized by
an older Tacho, a periodic task stores it; until then each read computes it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend.core.documents import Parameters, Step, TrialSteps
from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.measurements.heat import HeatMap, draw_heat_map
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.repository import BANDED
from backend.core.measurement.measurements.series import second_of
from backend.core.measurement.measurements.steps import list_steps, merge_steps
from backend.core.models import Cell, CellChart, CellSummary, Run
from backend.core.numeric import Floats, np
from backend.core.units import ProfileKind

# Maximum points of a line.
MOST_POINTS = 240
# Raise it with every change of the chart data, so that all rows are computed again. Runs whose
# seconds were removed keep what follows from seconds: if the stored form changes, a migration must
# change these rows. A new figure needs neither: rows without it have no values of it anyway.
VERSION = 2
# Rows: the seconds, then the lowest, median and highest trial of each figure. NaN: no value.
Bands = Floats
_COLUMNS = [column.name for column in CellChart.__table__.columns]
_NO_SECONDS: Mapping[str, object] = {
    "figures": [],
    "bands": b"",
    "heat": b"",
    "steps": [],
    "trial_steps": [],
}
_OF_SECONDS = tuple(_NO_SECONDS)


@dataclass(frozen=True)
class Band:
    """A figure over the trials of a cell, with one value per second; None without a value.

    `middle` is the median trial.
    """

    low: list[float | None]
    middle: list[float | None]
    high: list[float | None]


# The band of a figure that was not recorded.
NO_BAND = Band([], [], [])


@dataclass(frozen=True)
class CellCharts:
    """Chart data of a cell: merged latencies of its trials, its seconds, and the steps of its load.

    An entry of `seconds` is the start of an interval, negative in the warm-up. `bands` have the
    names of `BANDED` as keys. `heat` is None if the seconds of the run were removed before Tacho
    stored heat maps.
    """

    cell_id: UUID
    latency: Histogram
    encoded_latency: bytes
    seconds: list[int]
    bands: Mapping[str, Band]
    heat: HeatMap | None
    steps: Sequence[Step]
    trial_steps: Sequence[TrialSteps]


class ChartableCell(NamedTuple):
    """A cell with the properties that decide its charts.

    `has_seconds` is False if the seconds of its run were removed.
    """

    cell_id: UUID
    kind: ProfileKind
    parameters: Parameters
    has_seconds: bool


_CHARTABLE = select(Cell.id, Cell.kind, Cell.parameters, Run.seconds_removed_at.is_(None)).join(
    Run, Run.id == Cell.run_id
)
_SUMMARISED = _CHARTABLE.join(CellSummary, CellSummary.cell_id == Cell.id)


def read_charts(session: Session, cell_ids: Sequence[UUID]) -> list[CellCharts]:
    """Return the chart data of these cells, in their order; empty data without results.

    Cells of runs that were deleted in the meantime are left out.
    """
    query = select(CellChart).where(CellChart.cell_id.in_(cell_ids), CellChart.version == VERSION)
    kept = {chart.cell_id: chart for chart in session.scalars(query)}
    missing = [cell_id for cell_id in cell_ids if cell_id not in kept]
    if missing:
        cells = _list_cells(session, _CHARTABLE.where(Cell.id.in_(missing)))
        drawn = draw_charts(session, cells)
        kept |= {chart.cell_id: chart for chart in drawn}
    return [_to_charts(kept[cell_id]) for cell_id in cell_ids if cell_id in kept]


def write_charts(session: Session, run_id: UUID) -> None:
    """Compute and store the chart data of a run's summarised cells."""
    _put_charts(session, _SUMMARISED.where(Cell.run_id == run_id))


def write_missing_charts(session: Session, most: int) -> int:
    """Store chart data of at most `most` summarised cells that have none of this version.

    Returns:
        The number of cells stored; 0 if none is missing.
    """
    return _put_charts(session, _select_missing().limit(most))


def complete_charts(session: Session, run_id: UUID) -> None:
    """Store the chart data of a run that is missing, before its seconds are removed."""
    _put_charts(session, _select_missing().where(Cell.run_id == run_id))


def _select_missing() -> Select[UUID, ProfileKind, Parameters, bool]:
    """Select the summarised cells without chart data of this version."""
    current = (CellChart.cell_id == Cell.id) & (CellChart.version == VERSION)
    return _SUMMARISED.outerjoin(CellChart, current).where(CellChart.cell_id.is_(None))


def _list_cells(
    session: Session, query: Select[UUID, ProfileKind, Parameters, bool]
) -> list[ChartableCell]:
    return [ChartableCell(*row) for row in session.execute(query)]


def _put_charts(session: Session, query: Select[UUID, ProfileKind, Parameters, bool]) -> int:
    """Compute and store the chart data of the selected cells; return their number.

    Data of an older version is replaced. Two processes may store the same rows.
    """
    drawn = draw_charts(session, _list_cells(session, query))
    if drawn:
        rows = [{name: getattr(chart, name) for name in _COLUMNS} for chart in drawn]
        command = insert(CellChart).values(rows)
        changed = {name: command.excluded[name] for name in _COLUMNS if name != "cell_id"}
        session.execute(command.on_conflict_do_update(index_elements=["cell_id"], set_=changed))
    return len(drawn)


def draw_charts(session: Session, cells: Collection[ChartableCell]) -> list[CellChart]:
    """Compute the chart data of cells from seconds and distributions, without storing it.

    If the seconds of a run were removed, what follows from them stays as it was stored earlier.
    """
    histograms = measurements.list_cell_histograms(session, [cell.cell_id for cell in cells])
    of_seconds = _draw_seconds(session, [cell for cell in cells if cell.has_seconds])
    removed = [cell.cell_id for cell in cells if not cell.has_seconds]
    query = select(CellChart).where(CellChart.cell_id.in_(removed))
    of_seconds |= {
        chart.cell_id: {name: getattr(chart, name) for name in _OF_SECONDS}
        for chart in session.scalars(query)
    }
    drawn = []
    for cell in cells:
        latency = Histogram.merge_all(
            Histogram.from_varints(histogram.latency)
            for histogram in histograms.get(cell.cell_id, [])
        )
        drawn.append(
            CellChart(
                cell_id=cell.cell_id,
                version=VERSION,
                latency=latency.to_varints(),
                **of_seconds.get(cell.cell_id, _NO_SECONDS),
            )
        )
    return drawn


def _draw_seconds(
    session: Session, cells: Collection[ChartableCell]
) -> dict[UUID, Mapping[str, object]]:
    """Return the columns of chart data that follow from stored seconds, by cell id."""
    stepped = [cell.cell_id for cell in cells if cell.kind == ProfileKind.STEPS]
    seconds = measurements.list_measured(session, stepped) if stepped else {}
    bands = measurements.list_bands(session, [cell.cell_id for cell in cells])
    drawn: dict[UUID, Mapping[str, object]] = {}
    for cell in cells:
        if cell.cell_id not in bands:
            continue
        trials = {
            repetition: [second_of(row) for row in rows]
            for repetition, rows in seconds.get(cell.cell_id, {}).items()
        }
        # Cell by cell: the distributions of all seconds of a run may be large.
        latencies = measurements.list_latencies(session, cell.cell_id)
        drawn[cell.cell_id] = {
            "figures": list(BANDED),
            "bands": thin_out(bands[cell.cell_id], MOST_POINTS).astype("<f8").tobytes(),
            "heat": draw_heat_map(latencies).to_bytes(),
            "steps": merge_steps([*trials.values()], cell.parameters) if trials else [],
            "trial_steps": [
                TrialSteps(repetition, list_steps(own, cell.parameters))
                for repetition, own in trials.items()
            ],
        }
    return drawn


def thin_out(bands: Bands, limit: int) -> Bands:
    """Return bands with about `limit` points at most, in which spikes keep their height.

    The seconds are divided into intervals of equal length; one of them begins at second 0. Each
    interval keeps its start, the lowest value, the median of the medians, and the highest value.

    Args:
        bands: at least one second, in ascending order. Seconds may be missing.
    """
    length = -(-(int(bands[0, -1]) + 1 - min(0, int(bands[0, 0]))) // limit)
    if length == 1:
        return bands
    begins, starts = np.unique(bands[0] // length * length, return_index=True)
    thin = np.empty((len(bands), len(begins)))
    thin[0] = begins
    thin[1::3] = np.fmin.reduceat(bands[1::3], starts, axis=1)
    thin[3::3] = np.fmax.reduceat(bands[3::3], starts, axis=1)
    for place, part in enumerate(np.split(bands[2::3], starts[1:], axis=1)):
        for row, values in enumerate(part):
            known = values[~np.isnan(values)]
            thin[2 + 3 * row, place] = np.median(known) if known.size else np.nan
    return thin


def _to_charts(stored: CellChart) -> CellCharts:
    rows = np.frombuffer(stored.bands, dtype="<f8").reshape(1 + 3 * len(stored.figures), -1)
    known = [_to_list(row) for row in rows[1:]]
    return CellCharts(
        cell_id=stored.cell_id,
        latency=Histogram.from_varints(stored.latency),
        encoded_latency=stored.latency,
        seconds=rows[0].astype(int).tolist(),
        bands={
            name: Band(*known[3 * place : 3 * place + 3])
            for place, name in enumerate(stored.figures)
        },
        heat=HeatMap.from_bytes(stored.heat) if stored.heat else None,
        steps=stored.steps,
        trial_steps=stored.trial_steps,
    )


def _to_list(row: Bands) -> list[float | None]:
    values: list[float | None] = row.tolist()
    for place in np.flatnonzero(np.isnan(row)):
        values[place] = None
    return values
