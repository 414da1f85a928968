"""Chart data of a comparison: distributions, seconds and steps of each cell over its trials.

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

from backend.core.documents import Parameters, Step
from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.repository import BANDED
from backend.core.measurement.measurements.series import second_of
from backend.core.measurement.measurements.steps import merge_steps
from backend.core.models import CellChart, CellSummary, Run
from backend.core.numeric import Floats, np
from backend.core.second import Second
from backend.core.units import ProfileKind

# Maximum points of a line.
MOST_POINTS = 240
# Raise it with every change of the chart data, so that all rows are computed again. Runs whose
# seconds were removed keep their bands and steps: if the stored form changes, a migration must
# change these rows.
VERSION = 1
# Rows: the seconds, then the lowest, median and highest trial of each figure. NaN: no value.
Bands = Floats
_COLUMNS = [column.name for column in CellChart.__table__.columns]


@dataclass(frozen=True)
class Band:
    """A figure over the trials of a cell, with one value per second; None without a value.

    `middle` is the median trial.
    """

    low: Sequence[float | None]
    middle: Sequence[float | None]
    high: Sequence[float | None]


@dataclass(frozen=True)
class CellCharts:
    """Chart data of a cell: merged latencies of its trials, its seconds, and the steps of its load.

    `bands` have the names of `BANDED` as keys; an entry of `seconds` is the start of an interval.
    """

    cell_id: UUID
    latency: Histogram
    encoded_latency: bytes
    seconds: Sequence[int]
    bands: Mapping[str, Band]
    steps: Sequence[Step]


class ChartableCell(NamedTuple):
    """A summarised cell with the properties that decide its charts.

    `has_seconds` is False if the seconds of its run were removed.
    """

    cell_id: UUID
    kind: ProfileKind
    parameters: Parameters
    has_seconds: bool


_CHARTABLE = select(
    CellSummary.cell_id, CellSummary.kind, CellSummary.parameters, Run.seconds_removed_at.is_(None)
).join(Run, Run.id == CellSummary.run_id)


def read_charts(session: Session, cell_ids: Sequence[UUID]) -> list[CellCharts]:
    """Return the chart data of these cells with results, in their order."""
    query = select(CellChart).where(CellChart.cell_id.in_(cell_ids), CellChart.version == VERSION)
    kept = {chart.cell_id: chart for chart in session.scalars(query)}
    missing = [cell_id for cell_id in cell_ids if cell_id not in kept]
    if missing:
        cells = _list_cells(session, _CHARTABLE.where(CellSummary.cell_id.in_(missing)))
        drawn = draw_charts(session, cells)
        kept |= {chart.cell_id: chart for chart in drawn}
    return [_to_charts(kept[cell_id]) for cell_id in cell_ids]


def write_charts(session: Session, run_id: UUID) -> None:
    """Compute and store the chart data of a run's summarised cells."""
    _put_charts(session, _CHARTABLE.where(CellSummary.run_id == run_id))


def write_missing_charts(session: Session, most: int) -> int:
    """Store chart data of at most `most` summarised cells that have none of this version.

    Returns:
        The number of cells stored; 0 if none is missing.
    """
    return _put_charts(session, _select_missing().limit(most))


def complete_charts(session: Session, run_id: UUID) -> None:
    """Store the chart data of a run that is missing, before its seconds are removed."""
    _put_charts(session, _select_missing().where(CellSummary.run_id == run_id))


def _select_missing() -> Select[UUID, ProfileKind, Parameters, bool]:
    """Select the summarised cells without chart data of this version."""
    current = (CellChart.cell_id == CellSummary.cell_id) & (CellChart.version == VERSION)
    return _CHARTABLE.outerjoin(CellChart, current).where(CellChart.cell_id.is_(None))


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

    If the seconds of a run were removed, bands and steps stay as an earlier version stored them.
    """
    cell_ids = [cell.cell_id for cell in cells]
    measured = [cell for cell in cells if cell.has_seconds]
    stepped = [cell.cell_id for cell in measured if cell.kind == ProfileKind.STEPS]
    histograms = measurements.list_cell_histograms(session, cell_ids)
    bands = measurements.list_bands(session, [cell.cell_id for cell in measured])
    seconds = measurements.list_measured(session, stepped) if stepped else {}
    unmeasured = [cell.cell_id for cell in cells if not cell.has_seconds]
    query = select(CellChart).where(CellChart.cell_id.in_(unmeasured))
    without_seconds = {chart.cell_id: chart for chart in session.scalars(query)}
    drawn = []
    for cell in cells:
        stored = histograms.get(cell.cell_id, [])
        latency = Histogram.merge_all(
            Histogram.from_varints(histogram.latency) for histogram in stored
        )
        trials = [[second_of(row) for row in rows] for rows in seconds.get(cell.cell_id, [])]
        own = bands.get(cell.cell_id)
        earlier = without_seconds.get(cell.cell_id)
        drawn.append(
            CellChart(
                cell_id=cell.cell_id,
                version=VERSION,
                latency=latency.to_varints(),
                bands=earlier.bands if earlier else _encode_bands(own),
                steps=earlier.steps if earlier else _merge(trials, cell),
            )
        )
    return drawn


def _encode_bands(rows: Bands | None) -> bytes:
    return b"" if rows is None else thin_out(rows, MOST_POINTS).astype("<f8").tobytes()


def thin_out(bands: Bands, limit: int) -> Bands:
    """Return bands with about `limit` points at most, in which spikes keep their height.

    The frontend reduces the seconds of trials by the same rule (thinOut in
    frontend/src/charts/bands.ts). Both test suites read band-cases.json in that folder.

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


def _merge(trials: list[list[Second]], cell: ChartableCell) -> list[Step]:
    return merge_steps(trials, cell.parameters) if trials else []


def _to_charts(stored: CellChart) -> CellCharts:
    rows = np.frombuffer(stored.bands, dtype="<f8").reshape(1 + 3 * len(BANDED), -1)
    known = [_to_list(row) for row in rows[1:]]
    return CellCharts(
        cell_id=stored.cell_id,
        latency=Histogram.from_varints(stored.latency),
        encoded_latency=stored.latency,
        seconds=rows[0].astype(int).tolist(),
        bands={name: Band(*known[3 * place : 3 * place + 3]) for place, name in enumerate(BANDED)},
        steps=stored.steps,
    )


def _to_list(row: Bands) -> list[float | None]:
    values: list[float | None] = row.tolist()
    for place in np.flatnonzero(np.isnan(row)):
        values[place] = None
    return values
