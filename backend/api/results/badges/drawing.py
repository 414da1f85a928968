"""Draw a badge as SVG: a label, a value with its interval, and the origin in the tooltip."""

from html import escape

_HEIGHT = 20
_PADDING = 6
# Both readable on white and on black, and white text on both (WCAG AA).
_LABEL_COLOUR, _VALUE_COLOUR, _UNKNOWN_COLOUR = "#3f4650", "#1f5fc4", "#6b7280"
# Widths of Verdana at 11 px, in px. Other characters are as wide as a digit.
_DIGIT = 7.0
_WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!", 3.6),
    **dict.fromkeys(" ·[]()ftI/r-", 4.6),
    **dict.fromkeys("mwMW%", 10.5),
    **dict.fromkeys("ABCDGHKNOQRUVXY", 8.0),
}


def draw(label: str, value: str | None, tooltip: str, *, is_usable: bool = True) -> str:
    """Return the SVG text; without a value, it shows `unknown`. All texts are escaped here.

    Args:
        is_usable: whether the run of the value is usable.
    """
    shown = value or "unknown"
    if value and not is_usable:
        shown = f"{value} (not usable)"
    left, right = _width(label), _width(shown)
    colour = _VALUE_COLOUR if value and is_usable else _UNKNOWN_COLOUR
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


def _width(text: str) -> int:
    return round(sum(_WIDTHS.get(character, _DIGIT) for character in text)) + 2 * _PADDING


def _text(text: str, x: int, width: int) -> str:
    length = width - 2 * _PADDING
    return f'<text x="{x}" y="14" textLength="{length}">{_safe(text)}</text>'


def _safe(text: str) -> str:
    """Return the text escaped, without the control characters that XML cannot hold."""
    return escape("".join(character for character in text if character.isprintable()))
