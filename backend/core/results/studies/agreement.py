"""Rank correlation of two measurements, as pure functions.

Sources: C. Spearman (1904), "The Proof and Measurement of Association between Two Things"; M. G.
Kendall (1938, 1945), "A New Measure of Rank Correlation", "The treatment of ties" (tau-b).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.numeric import stats

# Two items are in the same order by chance in half of all cases.
MIN_RANKED = 3


@dataclass(frozen=True)
class Agreement:
    """Rank correlation of `n` items, from -1 (opposite order) to 1 (same order).

    `p_value` is that of Kendall's tau against no association. With three or four items it cannot be
    small.
    """

    n: int
    spearman: float
    kendall: float
    p_value: float


def correlate(published: Sequence[float], ours: Sequence[float]) -> Agreement | None:
    """Return the rank correlation of two lists of the same items, with correction for ties.

    Returns:
        None with fewer than MIN_RANKED items, or if all values of a list are equal.
    """
    if len(published) < MIN_RANKED or min(len(set(published)), len(set(ours))) < 2:
        return None
    tau = stats.kendalltau(published, ours)
    rho = stats.spearmanr(published, ours)
    return Agreement(
        n=len(published),
        spearman=float(rho.statistic),
        kendall=float(tau.statistic),
        p_value=float(tau.pvalue),
    )
