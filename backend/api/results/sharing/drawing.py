"""Draw bars with whiskers as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from backend.api.results.sharing.colours import BACKGROUND, INK, marker_path, series_colour

# A longer whisker is cut, because scaling to it would flatten all bars.
_LONGEST_WHISKER = 1.6


@dataclass(frozen=True)
class Bar:
    """A cell by one metric. `figures` is the text at its end. The end of a bound is open."""

    name: str
    colour: int
    estimate: float
    low: float | None
    high: float | None
    excluded: bool
    figures: str
    is_bound: bool = False


def draw_bars(bars: Sequence[Bar], *, width: float, row: float, size: float) -> str:
    """Return horizontal bars that begin at zero on one scale, with names on the left and figures on
    the right.

    Args:
        width, row: of the drawing and of each of its rows, px.
        size: of the type, px.
    """
    names, figures = width * 0.24, width * 0.27
    room = width - names - figures - 2 * size
    end = scale_end(bars)
    drawn = []
    for index, bar in enumerate(bars):
        y = index * row + row / 2
        fill = series_colour(bar.colour)
        share = room / end
        drawn += [
            draw_marker(bar.colour, 0, y - size * 0.42, size * 0.84),
            draw_text(bar.name, size * 1.25, y + size * 0.36, size, INK, limit=names - size),
            f'<rect x="{names:.1f}" y="{y - row * 0.26:.1f}" width="{bar.estimate * share:.1f}" '
            f'height="{row * 0.52:.1f}" rx="2" fill="{fill}" '
            f'fill-opacity="{0.3 if bar.excluded else 0.85}"/>',
            *_whisker(bar, names, share, y, room, row),
            draw_text(bar.figures, width, y + size * 0.36, size, INK, anchor="end"),
        ]
    return "".join(drawn)


def scale_end(bars: Sequence[Bar]) -> float:
    """Return the end of the scale of these bars, which begins at 0.

    The frontend has the same rule (frontend/src/charts/bar-scale.ts). Both test suites read the
    same table of cases (frontend/src/charts/bar-scale-cases.json).
    """
    longest = max((bar.estimate for bar in bars), default=0.0)
    farthest = max((bar.high or 0.0 for bar in bars), default=0.0)
    return min(max(longest, farthest), longest * _LONGEST_WHISKER) or 1.0


def _whisker(bar: Bar, left: float, share: float, y: float, room: float, row: float) -> list[str]:
    if bar.is_bound:
        return [_open_end(left + bar.estimate * share, y, row)]
    if bar.low is None or bar.high is None:
        return []
    low, high = left + max(bar.low, 0) * share, left + min(bar.high * share, room)
    tick = row * 0.15
    path = f"M{low:.1f} {y:.1f}H{high:.1f}M{low:.1f} {y - tick:.1f}v{2 * tick:.1f}"
    if bar.high * share <= room:
        path += f"M{high:.1f} {y - tick:.1f}v{2 * tick:.1f}"
    return [f'<path d="{path}" stroke="{INK}" stroke-width="1.5" fill="none"/>']


def _open_end(x: float, y: float, row: float) -> str:
    """Two arrows in the end of a bar."""
    half = row * 0.26
    arrows = "".join(
        f"M{x - back:.1f} {y - half:.1f}l{half:.1f} {half:.1f}l{-half:.1f} {half:.1f}"
        for back in (half + 1, 2 * half + 1)
    )
    return f'<path d="{arrows}" stroke="{BACKGROUND}" stroke-width="2" fill="none"/>'


def draw_marker(colour: int, x: float, y: float, size: float) -> str:
    """A framework's marker with its upper left corner at x, y."""
    place = f"translate({x:.1f} {y:.1f}) scale({size / 12:.3f})"
    fill = series_colour(colour)
    return f'<path d="{marker_path(colour)}" transform="{place}" fill="{fill}"/>'


def draw_text(
    text: str,
    x: float,
    y: float,
    size: float,
    fill: str,
    *,
    weight: int = 400,
    anchor: str = "start",
    limit: float | None = None,
) -> str:
    """One line with its baseline at y, cut to `limit` px."""
    shown = text if limit is None else cut(text, size, limit)
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" font-weight="{weight}" '
        f'text-anchor="{anchor}" fill="{fill}">{escape(shown.translate(_DRAWABLE))}</text>'
    )


# Numbers hold narrow no-break spaces, of which our Inter has no glyph; drawn text never breaks.
_NO_BREAK, _THIN = "\u202f", "\u2009"
# XML takes no control characters, and a title of an older Tacho may have some. A no-break space
# (0xA0) is drawn as a space.
_DRAWABLE = {**dict.fromkeys([*range(0x20), *range(0x7F, 0xA1)], " "), ord(_NO_BREAK): _THIN}
# Widths of Inter's glyphs in em, rounded up; what is not named is as wide as a lower-case letter.
_NARROW, _WIDE = set(f"iljtfrI.,:;|!'()[]- \u00a0{_THIN}{_NO_BREAK}·"), set("mwMW@%—")


def text_width(text: str, size: float) -> float:
    """About how wide a line is, px; rather too wide than too narrow."""
    ems = (
        0.33
        if letter in _NARROW
        else 0.88
        if letter in _WIDE
        else 0.68
        if letter.isupper() or letter.isdigit()
        else 0.58
        for letter in text
    )
    return sum(ems) * size


def cut(text: str, size: float, limit: float) -> str:
    """The text, or as much of it as fits with an ellipsis."""
    if text_width(text, size) <= limit:
        return text
    while text and text_width(f"{text}…", size) > limit:
        text = text[:-1]
    return f"{text.rstrip()}…"


def wrap(text: str, size: float, limit: float, most: int) -> list[str]:
    """At most `most` lines of whole words, the last one cut."""
    lines: list[str] = []
    rest = text.split(" ")
    while rest and len(lines) < most - 1:
        taken = 1
        while taken < len(rest) and text_width(" ".join(rest[: taken + 1]), size) <= limit:
            taken += 1
        lines.append(" ".join(rest[:taken]))
        rest = rest[taken:]
    return [*lines, cut(" ".join(rest), size, limit)] if rest else lines
