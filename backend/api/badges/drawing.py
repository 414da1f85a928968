"""A badge as SVG: a label, a figure with its interval, and in the tooltip where it is from."""

from html import escape

_HEIGHT = 20
_PADDING = 6
# Both readable on white and on black, and white text on both (WCAG AA).
_LABEL_COLOUR, _VALUE_COLOUR, _UNKNOWN_COLOUR = "#3f4650", "#1f5fc4", "#6b7280"
# Widths of Verdana at 11 px, in px; what is not named is as wide as a digit.
_DIGIT = 7.0
_WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!", 3.6),
    **dict.fromkeys(" ·[]()ftI/r-", 4.6),
    **dict.fromkeys("mwMW%", 10.5),
    **dict.fromkeys("ABCDGHKNOQRUVXY", 8.0),
}
_MEBI, _KIBI = 1024**2, 1024


def draw(label: str, value: str | None, tooltip: str) -> str:
    """The SVG text; a value of None says `unknown`. All texts are escaped here."""
    shown = value or "unknown"
    left, right = _width(label), _width(shown)
    colour = _VALUE_COLOUR if value else _UNKNOWN_COLOUR
    total = left + right
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{_HEIGHT}" role="img" '
        f'aria-label="{_safe(label)}: {_safe(shown)}"><title>{_safe(tooltip)}</title>'
        f'<clipPath id="r"><rect width="{total}" height="{_HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{_HEIGHT}" fill="{_LABEL_COLOUR}"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{colour}"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{_text(label, _PADDING, left)}{_text(shown, left + _PADDING, right)}</g></svg>\n"
    )


def format_value(estimate: float, low: float | None, high: float | None, unit: str) -> str:
    """Three significant figures with unit, and the 95 % interval: `12.4 ms [12.1, 12.7]`."""
    factor, shown_unit = _scale(estimate, unit)
    figure = f"{_figure(estimate / factor)} {shown_unit}".strip()
    if low is None or high is None:
        return figure
    return f"{figure} [{_figure(low / factor)}, {_figure(high / factor)}]"


def _figure(value: float) -> str:
    """Three significant figures without exponent; whole above that."""
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    digits = 2 if abs(value) < 1 else 1
    text = f"{value:.{digits}f}" if abs(value) >= 10 else f"{value:.2f}"
    return text if abs(value) >= 0.01 else f"{value:.2g}"


def _scale(value: float, unit: str) -> tuple[float, str]:
    if unit == "B":
        for factor, name in ((_MEBI, "MiB"), (_KIBI, "KiB")):
            if abs(value) >= factor:
                return factor, name
    if unit == "req/s" and abs(value) >= 10_000:
        return 1000, "k req/s"
    if unit == "share":
        return 0.01, "%"
    return 1, unit


def _width(text: str) -> int:
    return round(sum(_WIDTHS.get(one, _DIGIT) for one in text)) + 2 * _PADDING


def _text(text: str, x: int, width: int) -> str:
    length = width - 2 * _PADDING
    return f'<text x="{x}" y="14" textLength="{length}">{_safe(text)}</text>'


def _safe(text: str) -> str:
    """Escaped, without the control characters that XML cannot hold."""
    return escape("".join(one for one in text if one.isprintable()))
