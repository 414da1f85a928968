"""Adjust the p-values of many tests made at once; pure.

Sources: S. Holm (1979), "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian
Journal of Statistics 6; Y. Benjamini & Y. Hochberg (1995), "Controlling the False Discovery Rate",
Journal of the Royal Statistical Society B 57.
"""

from __future__ import annotations

from collections.abc import Sequence

from backend.core.numeric import np


def adjust_holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's method, which bounds the family-wise error rate."""
    p, order = np.asarray(p_values, dtype=np.float64), np.argsort(p_values, kind="stable")
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _restore_order(np.minimum(raised, 1), order)


def adjust_benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Benjamini and Hochberg, which bound the false discovery rate."""
    p, order = np.asarray(p_values, dtype=np.float64), np.argsort(p_values, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    lowered = np.minimum.accumulate(scaled[::-1])[::-1]
    return _restore_order(np.minimum(lowered, 1), order)


def pass_false_discovery_rate(p_values: Sequence[float | None], rate: float) -> list[bool]:
    """Return which tests of a batch are positive at a false discovery rate of `rate`.

    Args:
        p_values: of all tests; None for a test that found nothing, which counts and is negative.
    """
    known = [1.0 if p_value is None else p_value for p_value in p_values]
    adjusted = adjust_benjamini_hochberg(known)
    return [
        p_value is not None and limited <= rate
        for p_value, limited in zip(p_values, adjusted, strict=True)
    ]


def _restore_order(adjusted: np.ndarray, order: np.ndarray) -> list[float]:
    restored = np.empty(len(adjusted))
    restored[order] = adjusted
    return restored.tolist()
