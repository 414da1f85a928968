"""Figures as the reasons of changes have them."""

from math import exp

from backend.core.comparison.stats import Comparison


def shown(found: Comparison) -> str:
    """A ratio with its interval: 1.08× [1.05, 1.11]."""
    if found.low is None or found.high is None:
        return f"{found.ratio:.3g}×"
    return f"{found.ratio:.3f}× [{found.low:.3f}, {found.high:.3f}]"


def percent(logs: float) -> str:
    """A difference of logs as a share of the first: 108 %."""
    return f"{exp(logs):.0%}".replace("%", " %")
