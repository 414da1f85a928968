"""Format comparisons for readers; pure."""

from collections.abc import Sequence
from dataclasses import replace

from backend.core.measurement.statistics.comparison import (
    EQUIVALENCE_SHARE,
    Comparison,
    Instrument,
    PairState,
)
from backend.core.numbers import agree, format_figure, format_points, format_ratio, join_words
from backend.core.results.ranking.metric_words import MetricWords, find_words, lower_title
from backend.core.results.ranking.pairs import Method, Ratio
from backend.core.units import MetricInfo

# A ratio outside of these bounds is shown as a ratio, not as a percentage.
_LEAST_PERCENT, _MOST_PERCENT = 0.5, 2.0
# Larger numbers of trials are given as "more than".
MOST_ESTIMATED = 1_000
# More differences are counted.
_MOST_NAMED = 4


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


def enlarge(comparison: Comparison) -> Comparison:
    """Return a comparison whose ratio is 1 or more: the other way round if it is below 1."""
    is_below = comparison.ratio is not None and comparison.ratio < 1
    return comparison.invert() if is_below else comparison


def describe_differences(
    found: Sequence[tuple[str, Comparison]], info: MetricInfo, than: str | None = None
) -> str:
    """Return how results differ from another result, without a full stop.

    `Spring MVC is 1.80× [1.70, 1.90] and Node.js 2.10× [2.00, 2.20] slower`, or with `than`
    `Node.js uses 2.10× [2.00, 2.20] more CPU per request than Go`.

    Args:
        found: names and comparisons, which are all larger than 1, or all smaller.
        than: name of the other result, if no sentence before names it.
    """
    words, title = find_words(info.metric), lower_title(info.title)
    shown, left = found[:_MOST_NAMED], len(found[_MOST_NAMED:])
    rest = f", and {left} more {agree(left, 'ranks', 'rank')} lower" if left else ""
    if info.is_share:
        points = [f"{name} has {describe_points(comparison)}" for name, comparison in shown]
        return join_words(points) + (f" {title} than {than}" if than else "") + rest
    factors = [format_comparison(enlarge(comparison)) for _, comparison in shown]
    is_value = words.amount is None and not words.is_framework
    first, *others = [name for name, _ in shown]
    verb = "is" if words.amount is None else words.one
    if is_value:
        first = f"{f'the {words.noun or title}' if than else 'that'} of {first}"
        others = [f"that of {name}" for name in others]
    parts = [
        f"{first} {verb} {factors[0]}",
        *(f"{name} {factor}" for name, factor in zip(others, factors[1:], strict=True)),
    ]
    end = words.comparative(is_more=found[0][1].is_more)
    if than and words.amount is not None:
        end += f" {words.amount} than {than}"
    elif than:
        by = words.best.removeprefix("fastest ")
        end += f" than that of {than}" if is_value else f" than {than} {by}"
    return f"{join_words(parts)} {end}{rest}"


def describe_lead(found: Sequence[tuple[str, Comparison]], words: MetricWords) -> str | None:
    """Return how far the next results are behind: `2.3 to 2.7× less than Micronaut`.

    None without a next result.

    Args:
        found: names of the next results, in different loads, compared with the best.
    """
    if not found:
        return None
    names = {name for name, _ in found}
    than = f"than {names.pop() if len(names) == 1 else 'the next result'}"
    is_more = not found[0][1].is_more
    return f"{format_sizes([each for _, each in found], words, is_more=is_more)} {than}"


def format_sizes(found: Sequence[Comparison], words: MetricWords, *, is_more: bool) -> str:
    """Return the smallest and the largest of these differences in words: `2.3 to 2.7× less`."""
    by_size = sorted(map(enlarge, found), key=lambda each: each.size)
    nearest, farthest = format_size(by_size[0]), format_size(by_size[-1])
    if by_size[0].ratio is None:
        points = [format_figure(100 * each.size) for each in (by_size[0], by_size[-1])]
        figures = " to ".join(dict.fromkeys(points))
        return f"{figures} percentage points {'more' if is_more else 'less'}"
    if nearest == farthest:
        figures = nearest
    elif any(each.high is None and each.low is not None for each in by_size):
        figures = nearest if nearest.startswith("at least") else f"at least {nearest}"
    else:
        figures = f"{nearest.removesuffix('×')} to {farthest}"
    return f"{figures} {words.comparative(is_more=is_more)}"


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


def explain_pair(ratio: Ratio, words: MetricWords) -> str | None:
    """Return what would decide a pair that cannot be told apart yet, with the possible range.

    `Between 8 % cheaper and 86 % costlier. About 12 trials each would decide.`

    None in other states.
    """
    if ratio.comparison.state is not PairState.UNDECIDED:
        return None
    span = describe_range(ratio.comparison, words)
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


def describe_range(comparison: Comparison, words: MetricWords) -> str | None:
    """Return the range that is still possible: `between 8 % cheaper and 86 % costlier`.

    None without an interval, and if nothing limits the range.
    """
    low, high = comparison.low, comparison.high
    if low is None or (low == 0 and high is None):
        return None
    if comparison.ratio is None:
        assert high is not None  # Shares have two bounds.
        points = [
            _describe_side(f"{format_figure(abs(100 * bound))} percentage points", bound, words)
            for bound in (low, high)
        ]
        return f"between {points[0]} and {points[1]}"
    if high is None or low == 0:
        return format_comparison(comparison)
    if low < _LEAST_PERCENT or high >= _MOST_PERCENT:
        return f"between {format_figure(low)}× and {format_figure(high)}×"
    sides = [
        _describe_side(f"{abs(100 * (bound - 1)):.2g} %", bound - 1, words) for bound in (low, high)
    ]
    return f"between {sides[0]} and {sides[1]}"


def _describe_side(size: str, difference: float, words: MetricWords) -> str:
    if not difference:
        return "equal"
    return f"{size} {words.adjective(is_more=difference > 0)}"


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
