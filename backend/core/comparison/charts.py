"""What a comparison draws: distributions, seconds and steps of each cell, its trials together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.comparison.results import Result
from backend.core.measurements import repository as measurements
from backend.core.measurements.histogram import Histogram
from backend.core.measurements.repository import Spread
from backend.core.measurements.series import second_of
from backend.core.measurements.steps import Step, merge_steps
from backend.core.units import ProfileKind

# Points of a line; a longer series is drawn in stretches that keep its extremes.
MOST_POINTS = 240

Seconds = Mapping[int, Mapping[str, Spread]]


@dataclass(frozen=True)
class Stretch:
    """Some seconds of a cell from `second` on: each figure's extremes and its median."""

    second: int
    spreads: Mapping[str, Spread]


@dataclass(frozen=True)
class CellCharts:
    """A cell's drawings: its trials' latencies merged, its seconds, and the steps of its load."""

    cell_id: UUID
    latency: Histogram
    stretches: Sequence[Stretch]
    steps: Sequence[Step]


def read_charts(session: Session, results: Sequence[Result]) -> list[CellCharts]:
    """The drawings of these results, in their order."""
    cell_ids = [result.cell.cell_id for result in results]
    stepped = [result.cell.cell_id for result in results if result.cell.kind == ProfileKind.STEPS]
    histograms = measurements.list_cell_histograms(session, cell_ids)
    spreads = measurements.list_spreads(session, cell_ids)
    seconds = measurements.list_measured(session, stepped) if stepped else {}
    found = []
    for result in results:
        cell_id = result.cell.cell_id
        stored = histograms.get(cell_id, [])
        trials = [[second_of(row) for row in rows] for rows in seconds.get(cell_id, [])]
        found.append(
            CellCharts(
                cell_id=cell_id,
                latency=Histogram.merge_all(Histogram.from_varints(one.latency) for one in stored),
                stretches=stretch(spreads.get(cell_id, {}), MOST_POINTS),
                steps=merge_steps(trials, result.cell.parameters) if trials else [],
            )
        )
    return found


def stretch(seconds: Seconds, most: int) -> list[Stretch]:
    """Seconds in at most `most` stretches of equal length, so that no spike is lost.

    Args:
        seconds: second to figure to its spread over trials.
    """
    if not seconds:
        return []
    length = -(-(max(seconds) + 1) // most)
    bundles: dict[int, list[Mapping[str, Spread]]] = {}
    for second, figures in seconds.items():
        bundles.setdefault(second // length * length, []).append(figures)
    return [
        Stretch(
            begin,
            {name: _join([one[name] for one in bundle]) for name in bundle[0]},
        )
        for begin, bundle in sorted(bundles.items())
    ]


def _join(spreads: Sequence[Spread]) -> Spread:
    if len(spreads) == 1:
        return spreads[0]
    known = [one for one in spreads if one.middle is not None]
    if not known:
        return Spread(None, None, None)
    return Spread(
        min(one.low for one in known if one.low is not None),
        median(one.middle for one in known if one.middle is not None),
        max(one.high for one in known if one.high is not None),
    )
