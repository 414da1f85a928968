"""Reduce the bands of charts to few points; pure.

The frontend reduces the seconds of trials by the same rule (thinOut in
frontend/src/charts/bands.ts). Both test suites read the same table of cases
(frontend/src/charts/band-cases.json).
"""

from backend.core.numeric import Floats, np

# Rows: the seconds, then the lowest, median and highest trial of each figure. NaN: no value.
Bands = Floats


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
