"""Write numbers and lists for readers, and words that agree with them.

Numbers have three significant figures, a narrow space and the unit. The frontend formats numbers
and lists by the same rules (frontend/src/lib/format.ts). Both test suites read the same table of
cases (frontend/src/lib/number-cases.json).
"""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from math import floor, isfinite, log10

# A narrow no-break space, before symbols.
_THIN = "\u202f"
# A no-break space, before words: with a narrow one, `5 trials` reads as one word.
_NO_BREAK = "\u00a0"
_MINUS = "\u2212"
# An interval; its comma does not separate items.
_IN_BRACKETS = re.compile(r"\[[^\]]*\]|\([^)]*\)")
# A unit that is a word, such as `characters`; symbols are shorter.
_WORD = re.compile(r"[a-z]{4,}")
_CONTEXT = Context(prec=3, rounding=ROUND_HALF_UP)
# By unit: (minimum value, factor, name) of each scale, the largest first.
_SCALES: dict[str, tuple[tuple[float, float, str], ...]] = {
    "B": ((2.0**30, 2.0**30, "GiB"), (2.0**20, 2.0**20, "MiB"), (2.0**10, 2.0**10, "KiB")),
    "req/s": (
        (1e9, 1e9, f"G{_THIN}req/s"),
        (1e6, 1e6, f"M{_THIN}req/s"),
        (1e4, 1e3, f"k{_THIN}req/s"),
    ),
    "ms": ((1e4, 1e3, "s"), (0.1, 1.0, "ms"), (5e-324, 1e-3, "µs")),
    "µs": ((1e4, 1e3, "ms"),),
    "share": ((0.0, 0.01, "%"),),
}


def format_figure(value: float) -> str:
    """Format with three significant figures, without exponent; integers below 1,000 stay whole."""
    if not isfinite(value):
        return "–"
    size = abs(value)
    if size == 0:
        return "0"
    if size < 1e-6:
        return "≈ 0"
    digits = max(0, min(6, 2 - floor(log10(size))))
    whole = value == int(value) and size < 1000
    text = f"{int(value)}" if whole else f"{_round(value):,.{digits}f}"
    return text.replace(",", _THIN).replace("-", _MINUS)


def _round(value: float) -> Decimal:
    """Return three significant digits; a tie is rounded away from zero, as in JavaScript."""
    return _CONTEXT.create_decimal_from_float(value)


def format_value(value: float, unit: str) -> str:
    """Format a value with its unit: `12.4 ms`."""
    factor, shown = scale_of(value, unit)
    return _join_unit(format_figure(value / factor), shown)


def _join_unit(figure: str, unit: str) -> str:
    if not unit:
        return figure
    return f"{figure}{_NO_BREAK if _WORD.fullmatch(unit) else _THIN}{unit}"


def format_interval(estimate: float, low: float, high: float, unit: str) -> str:
    """Format an interval, `[60, 63]`, in the unit in which the estimate is shown."""
    factor, _ = scale_of(estimate, unit)
    return f"[{format_figure(low / factor)}, {format_figure(high / factor)}]"


def format_estimate(
    estimate: float,
    low: float | None,
    high: float | None,
    unit: str,
    values: Sequence[float] = (),
    *,
    is_bound: bool = False,
) -> str:
    """Format an estimate with its interval, if it has one: `61 µs [60, 63]`.

    Args:
        values: shown instead if there are any: `61, 64 µs`.
        is_bound: whether the value is at least the estimate: `at least 61 µs [60, 63]`.
    """
    begin = "at least " if is_bound else ""
    if values:
        return f"{begin}{format_values(values, unit)}"
    value = f"{begin}{format_value(estimate, unit)}"
    if low is None or high is None:
        return value
    return f"{value} {format_interval(estimate, low, high, unit)}"


def format_ratio(ratio: float, low: float | None, high: float | None) -> str:
    """Format a ratio with its interval, if it has one: `0.61× [0.59, 0.63]`."""
    figure = f"{format_figure(ratio)}×"
    if low is None or high is None:
        return figure
    return f"{figure} [{format_figure(low)}, {format_figure(high)}]"


def format_points(difference: float, low: float | None, high: float | None) -> str:
    """Format a difference of shares in percentage points: `−2.10 pp [−3.00, −1.20]`."""
    figure = f"{_format_signed(100 * difference)}{_THIN}pp"
    if low is None or high is None:
        return figure
    return f"{figure} [{_format_signed(100 * low)}, {_format_signed(100 * high)}]"


def _format_signed(value: float) -> str:
    return f"+{format_figure(value)}" if value > 0 else format_figure(value)


def format_values(values: Sequence[float], unit: str) -> str:
    """Format some values in the unit in which the first is shown: `61, 64 µs`."""
    factor, shown = scale_of(values[0], unit)
    return _join_unit(", ".join(format_figure(value / factor) for value in values), shown)


def use_plain_spaces(text: str) -> str:
    """Return a text with ordinary spaces, for places that do not show other ones."""
    return text.replace(_THIN, " ").replace(_NO_BREAK, " ")


def scale_of(value: float, unit: str) -> tuple[float, str]:
    """Return factor and name of the unit in which a value of this size is shown."""
    size = abs(value)
    for least, factor, shown in _SCALES.get(unit, ()):
        if size >= least:
            return factor, shown
    return 1.0, unit


def name_in_sentence(name: str) -> str:
    """Return a name whose commas do not read as commas of a sentence.

    `Vert.x, an instance a CPU` becomes `Vert.x (an instance a CPU)`.
    """
    head, comma, rest = name.partition(", ")
    return f"{head} ({rest})" if comma else name


def agree(count: int, singular: str, plural: str | None = None) -> str:
    """Return the word that agrees with a count: `is` or `are`, `trial` or `trials`.

    Args:
        plural: the singular with an `s` by default.
    """
    if count == 1:
        return singular
    return f"{singular}s" if plural is None else plural


def count_of(count: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun: `1 trial`, `3 trials`."""
    return f"{count} {agree(count, singular, plural)}"


def join_words(items: Sequence[str]) -> str:
    """Join to `A and B` or `A, B and C`; if an item has a comma, to `A; B, an instance; and C`."""
    return _join(items, "and")


def join_first(items: Sequence[str], most: int) -> str:
    """Join the first items in words, and count the others: `A, B and 3 more`.

    A single other item is not counted but named.
    """
    left = len(items) - most
    return join_words([*items[:most], f"{left} more"] if left > 1 else items)


def join_choices(items: Sequence[str]) -> str:
    """Join to `A or B`, or `A, B or C`."""
    return _join(items, "or")


def _join(items: Sequence[str], word: str) -> str:
    if len(items) <= 1:
        return "".join(items)
    if any("," in _IN_BRACKETS.sub("", item) for item in items):
        return f"{'; '.join(items[:-1])}; {word} {items[-1]}"
    return f"{', '.join(items[:-1])} {word} {items[-1]}"
