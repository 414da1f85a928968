"""Adjust the p-values of many tests made at once; pure.

Sources: S. Holm (1979), "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian
Journal of Statistics 6; Y. Benjamini & Y. Hochberg (1995), "Controlling the False Discovery Rate",
Journal of the Royal Statistical Society B 57.
"""

from __future__ import annotations

from collections.abc import Sequence

from backend.core.numeric import np


def find_holm_confidences(p_values: Sequence[float], rate: float) -> list[float]:
    """Return for each test the confidence of the interval that agrees with Holm's method.

    With m tests, the test with the i-th smallest p-value is rejected if p < rate / (m − i + 1) and
    all tests before it are rejected. Its interval has the confidence 1 − rate / (m − i + 1). All
    tests from the first that is not rejected on have the confidence of that one. So an interval
    excludes the value without an effect if and only if Holm's method rejects the test: the
    probability that any interval excludes it wrongly is at most `rate`. Each interval by itself
    contains the true value with a probability of at least 1 − rate. Regions that contain all true
    values together with this probability exist (O. Guilbaud, 2008, "Simultaneous confidence regions
    corresponding to Holm's step-down procedure", Biometrical Journal 50), but have no finite bounds
    for rejected tests.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    confidences = [0.0] * len(p_values)
    is_rejected, limit = True, rate
    for step, at in enumerate(order):
        if is_rejected:
            limit = rate / (len(order) - step)
            is_rejected = p_values[at] < limit
        confidences[at] = 1 - limit
    return confidences


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
