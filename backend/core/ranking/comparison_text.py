"""Format comparisons for readers; pure."""

from dataclasses import replace

from backend.core.numbers import format_figure, format_points, format_ratio
from backend.core.statistics.comparison import EQUIVALENCE_SHARE, Comparison, Instrument


def format_comparison(comparison: Comparison) -> str:
    """Return a ratio, or a difference of shares, with its interval if it has one.

    `1.54× [1.50, 1.58]`, or `−2.10 pp [−3.00, −1.20]` in percentage points.
    """
    low, high = comparison.low, comparison.high
    if comparison.ratio is not None:
        return format_ratio(comparison.ratio, low, high)
    return format_points(comparison.difference or 0.0, low, high)


def format_size(comparison: Comparison) -> str:
    """Return a ratio, or a difference of shares, without its interval: `1.54×`, `−2.10 pp`."""
    return format_comparison(replace(comparison, low=None, high=None))


def describe_points(comparison: Comparison) -> str:
    """Return a difference of shares in words: `2.10 percentage points [1.20, 3.00] less`."""
    word = "more"
    if (comparison.difference or 0.0) < 0:
        comparison, word = comparison.invert(), "less"
    text = f"{format_figure(100 * (comparison.difference or 0.0))} percentage points"
    if comparison.low is not None and comparison.high is not None:
        low, high = 100 * comparison.low, 100 * comparison.high
        text += f" [{format_figure(low)}, {format_figure(high)}]"
    return f"{text} {word}"


def format_margin(instrument: Instrument, *, is_share: bool) -> str:
    """Return the margin within which results are equivalent: `3 %`, or `1 percentage point`."""
    if is_share:
        return f"{100 * EQUIVALENCE_SHARE:.0f} percentage point"
    return format_percent(instrument.margin_ratio)


def format_percent(ratio: float) -> str:
    """Return by how much a ratio is above 1: `3 %`, `4.5 %`."""
    return f"{round(100 * (ratio - 1), 1):g} %"
