"""What a comparison draws: distributions, seconds and steps of each cell, its trials together.

Drawn once, when a run is finalized, and kept in a row a cell; what an older Tacho finalized, when
it is first looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.comparison import drawings
from backend.core.comparison.drawings import Drawable
from backend.core.measurements import repository as measurements
from backend.core.measurements.histogram import Histogram
from backend.core.measurements.repository import BANDED
from backend.core.measurements.series import second_of
from backend.core.measurements.steps import Step, merge_steps
from backend.core.models import CellChart
from backend.core.numeric import Floats, np
from backend.core.units import ProfileKind

# Points of a line; a longer series is drawn in stretches that keep its extremes.
MOST_POINTS = 240
# To be raised with every change of what is drawn here, so that all is drawn anew.
VERSION = 1

# Float64 in rows: the seconds, then of each figure the lowest, the median and the highest trial.
Bands = Floats


@dataclass(frozen=True)
class Band:
    """A figure over the trials of a cell, a number for each of the seconds; None where none has it.

    `middle` is the median trial.
    """

    low: Sequence[float | None]
    middle: Sequence[float | None]
    high: Sequence[float | None]


@dataclass(frozen=True)
class CellCharts:
    """A cell's drawings: its trials' latencies merged, its seconds, and the steps of its load.

    `bands` are by the names of `BANDED`; an entry of `seconds` is where a stretch begins.
    """

    cell_id: UUID
    latency: Histogram
    encoded_latency: bytes
    seconds: Sequence[int]
    bands: Mapping[str, Band]
    steps: Sequence[Step]


def read_charts(session: Session, cell_ids: Sequence[UUID]) -> list[CellCharts]:
    """The drawings of these cells, which have results, in their order."""
    kept = drawings.list_drawings(session, cell_ids, VERSION)
    missing = [cell_id for cell_id in cell_ids if cell_id not in kept]
    if missing:
        drawn = draw_charts(session, drawings.list_drawable(session, missing))
        drawings.put_drawings(session, drawn)
        kept |= {one.cell_id: one for one in drawn}
    return [_to_charts(kept[cell_id]) for cell_id in cell_ids]


def write_charts(session: Session, run_id: UUID) -> None:
    """Draw all cells of a run that are summed up."""
    cells = drawings.list_drawable_of(session, run_id)
    drawings.put_drawings(session, draw_charts(session, cells))


def draw_charts(session: Session, cells: Collection[Drawable]) -> list[CellChart]:
    """The drawings of cells from their trials' seconds and distributions; nothing is kept."""
    cell_ids = [cell.cell_id for cell in cells]
    stepped = [cell.cell_id for cell in cells if cell.kind == ProfileKind.STEPS]
    histograms = measurements.list_cell_histograms(session, cell_ids)
    bands = measurements.list_bands(session, cell_ids)
    seconds = measurements.list_measured(session, stepped) if stepped else {}
    drawn = []
    for cell in cells:
        stored = histograms.get(cell.cell_id, [])
        latency = Histogram.merge_all(Histogram.from_varints(one.latency) for one in stored)
        trials = [[second_of(row) for row in rows] for rows in seconds.get(cell.cell_id, [])]
        steps = merge_steps(trials, cell.parameters) if trials else []
        own = bands.get(cell.cell_id)
        drawn.append(
            CellChart(
                cell_id=cell.cell_id,
                version=VERSION,
                latency=latency.to_varints(),
                bands=b"" if own is None else stretch(own, MOST_POINTS).astype("<f8").tobytes(),
                steps=[asdict(step) for step in steps],
            )
        )
    return drawn


def stretch(bands: Bands, most: int) -> Bands:
    """Seconds in at most `most` stretches of equal length, so that no spike is lost.

    Of the seconds of a stretch stay the first there could be, the lowest, the median of the medians
    and the highest.

    Args:
        bands: seconds in order, of one at least.
    """
    length = -(-(int(bands[0, -1]) + 1) // most)
    if length == 1:
        return bands
    begins, starts = np.unique(bands[0] // length * length, return_index=True)
    joined = np.empty((len(bands), len(begins)))
    joined[0] = begins
    joined[1::3] = np.fmin.reduceat(bands[1::3], starts, axis=1)
    joined[3::3] = np.fmax.reduceat(bands[3::3], starts, axis=1)
    for place, part in enumerate(np.split(bands[2::3], starts[1:], axis=1)):
        for row, values in enumerate(part):
            known = values[~np.isnan(values)]
            joined[2 + 3 * row, place] = np.median(known) if known.size else np.nan
    return joined


def _to_charts(stored: CellChart) -> CellCharts:
    rows = np.frombuffer(stored.bands, dtype="<f8").reshape(1 + 3 * len(BANDED), -1)
    known = [_to_list(row) for row in rows[1:]]
    return CellCharts(
        cell_id=stored.cell_id,
        latency=Histogram.from_varints(stored.latency),
        encoded_latency=stored.latency,
        seconds=rows[0].astype(int).tolist(),
        bands={name: Band(*known[3 * place : 3 * place + 3]) for place, name in enumerate(BANDED)},
        steps=[Step(**step) for step in stored.steps],
    )


def _to_list(row: Bands) -> list[float | None]:
    values: list[float | None] = row.tolist()
    for place in np.flatnonzero(np.isnan(row)):
        values[place] = None
    return values
