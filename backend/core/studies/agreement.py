"""Whether two measurements put the same things into the same order; pure.

Sources: C. Spearman (1904), "The Proof and Measurement of Association between Two Things"; M. G.
Kendall (1938, 1945), "A New Measure of Rank Correlation", "The treatment of ties" (tau-b).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.numeric import stats

# Two things are in the same order by chance every other time.
MIN_RANKED = 3


@dataclass(frozen=True)
class Agreement:
    """Rank correlation of `n` things, -1 (the opposite order) to 1 (the same order).

    `p_value` is that of Kendall's tau against no order in common; with three or four things it
    cannot be small.
    """

    n: int
    spearman: float
    kendall: float
    p_value: float


def correlate(published: Sequence[float], ours: Sequence[float]) -> Agreement | None:
    """How far two lists of the same things agree in order; ties are treated as such.

    Returns:
        None below MIN_RANKED things, and where one of the lists knows no order at all.
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
