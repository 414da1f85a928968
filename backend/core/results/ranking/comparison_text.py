"""Format comparisons for readers; pure."""

from dataclasses import replace

from backend.core.measurement.statistics.comparison import (
    EQUIVALENCE_SHARE,
    Comparison,
    Instrument,
    PairState,
)
from backend.core.numbers import format_figure, format_points, format_ratio
from backend.core.results.ranking.pairs import Method, Ratio

# A ratio outside of these bounds is shown as a ratio, not as a percentage.
_LEAST_PERCENT, _MOST_PERCENT = 0.5, 2.0
# Larger numbers of trials are given as "more than".
MOST_ESTIMATED = 1_000


def format_comparison(comparison: Comparison) -> str:
    """Return a ratio, or a difference of shares, with its interval if it has one.

    `1.54× [1.50, 1.58]`, or `−2.10 pp [−3.00, −1.20]` in percentage points. The ratio to a rate at
    the ceiling, or of one, is only a bound: `at least 1.83×`, `below 0.545×`,
    `ratio unknown`.
    """
    low, high = comparison.low, comparison.high
    if comparison.ratio is not None:
        if low == 0 and high is None:
            return "ratio unknown"
        if low is not None and high is None:
            return f"at least {format_figure(low)}×"
        if low == 0 and high is not None:
            return f"below {format_figure(high)}×"
        return format_ratio(comparison.ratio, low, high)
    return format_points(comparison.difference or 0.0, low, high)


def format_size(comparison: Comparison) -> str:
    """Return a ratio, or a difference of shares, without its interval: `1.54×`, `−2.10 pp`."""
    is_bound = comparison.low == 0 or (comparison.low is not None and comparison.high is None)
    if comparison.ratio is not None and is_bound:
        return format_comparison(comparison)
    return format_comparison(replace(comparison, low=None, high=None))


def describe_pair(ratio: Ratio | None, *, is_share: bool) -> str:
    """Return what is known about a result and the baseline, without the ratio.

    `higher`, `lower`, `equivalent within 3 %`, `cannot be told apart yet` or `not comparable`.
    """
    if ratio is None:
        return PairState.NOT_COMPARABLE.words
    found = ratio.comparison
    if found.state is PairState.DIFFERENCE:
        return "higher" if found.is_more else "lower"
    if found.state is PairState.EQUIVALENT:
        margin = format_margin(
            Instrument(detectable_ratio=found.detectable_ratio), is_share=is_share
        )
        return f"equivalent within {margin}"
    return found.state.words


def explain_pair(ratio: Ratio) -> str | None:
    """Return what would decide a pair that cannot be told apart yet, with the possible range.

    `Between 8 % lower and 86 % higher. About 12 trials each would decide.` None in other states.
    """
    if ratio.comparison.state is not PairState.UNDECIDED:
        return None
    span = describe_range(ratio.comparison)
    needed = describe_needed(ratio)
    sentences = [text[0].upper() + text[1:] for text in (span, needed) if text]
    return " ".join(f"{sentence}." for sentence in sentences)


def format_range(ratio: Ratio | None) -> str | None:
    """Return the range that is still possible for an undecided pair: `0.92× to 1.86×`.

    None in other states, and if nothing limits the range.
    """
    if ratio is None or ratio.comparison.state is not PairState.UNDECIDED:
        return None
    low, high = ratio.comparison.low, ratio.comparison.high
    if low is None or (low == 0 and high is None):
        return None
    if ratio.comparison.ratio is None or high is None or low == 0:
        return format_comparison(ratio.comparison)
    return f"{format_figure(low)}× to {format_figure(high)}×"


def describe_range(comparison: Comparison) -> str | None:
    """Return the range that is still possible: `between 8 % lower and 86 % higher`.

    None without an interval, and if nothing limits the range.
    """
    low, high = comparison.low, comparison.high
    if low is None or (low == 0 and high is None):
        return None
    if comparison.ratio is None:
        assert high is not None  # Shares have two bounds.
        points = [
            _describe_side(f"{format_figure(abs(100 * bound))} percentage points", bound)
            for bound in (low, high)
        ]
        return f"between {points[0]} and {points[1]}"
    if high is None or low == 0:
        return format_comparison(comparison)
    if low < _LEAST_PERCENT or high >= _MOST_PERCENT:
        return f"between {format_figure(low)}× and {format_figure(high)}×"
    sides = [_describe_side(f"{abs(100 * (bound - 1)):.2g} %", bound - 1) for bound in (low, high)]
    return f"between {sides[0]} and {sides[1]}"


def _describe_side(size: str, difference: float) -> str:
    if not difference:
        return "equal"
    return f"{size} {'higher' if difference > 0 else 'lower'}"


def describe_needed(ratio: Ratio) -> str:
    """Return what would decide a pair: `about 12 trials each would decide`."""
    if ratio.comparison.low is not None and ratio.method is Method.STEPS:
        return "only higher or smaller steps would decide"
    return describe_trials_needed(ratio.comparison.trials_needed)


def describe_trials_needed(trials: int | None) -> str:
    """Return how many trials would decide; None if no number is enough."""
    if trials is None:
        return "no number of trials would decide, because the errors of this host are too large"
    if trials > MOST_ESTIMATED:
        return f"more than {format_figure(MOST_ESTIMATED)} trials each would be needed to decide"
    return f"about {format_figure(trials)} trials each would decide"


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
