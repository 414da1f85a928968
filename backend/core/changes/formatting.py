"""Formats the figures in the reasons of changes."""

from math import exp

from backend.core.statistics.comparison import Comparison


def format_ratio(found: Comparison) -> str:
    """Return a ratio with its interval: 1.08× [1.05, 1.11]."""
    if found.low is None or found.high is None:
        return f"{found.ratio:.3g}×"
    return f"{found.ratio:.3f}× [{found.low:.3f}, {found.high:.3f}]"


def format_percent(logs: float) -> str:
    """Return a difference of logs as a percentage of the first value: 108 %."""
    return f"{exp(logs):.0%}".replace("%", " %")
