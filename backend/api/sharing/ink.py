"""Colours and markers of what the server draws: those of the interface (frontend/src/lib/tokens.ts,
components/Marker.tsx; a test compares them).
"""

from dataclasses import dataclass

SERIES_LIGHT = (
    "#005add",
    "#e76316",
    "#0f6d4a",
    "#90007b",
    "#764300",
    "#0096cc",
    "#711a9a",
    "#414954",
    "#bc616b",
    "#63712e",
    "#b17f55",
    "#25828e",
)
SERIES_DARK = (
    "#177cf5",
    "#e45434",
    "#aaedb8",
    "#cb49a0",
    "#fdaf27",
    "#51c2ff",
    "#9670d0",
    "#adb2b7",
    "#b4697d",
    "#d1dc6e",
    "#c69867",
    "#38f1f4",
)
# Each in a box of 12 × 12.
MARKERS = (
    "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9Z",
    "M6 1.2 11 10.4H1Z",
    "M2 2h8v8H2Z",
    "M6 .8 11.2 6 6 11.2.8 6Z",
    "M4.2 1.2h3.6v3h3v3.6h-3v3H4.2v-3h-3V4.2h3Z",
    "M6 .6l1.6 3.5 3.8.4-2.8 2.6.8 3.8L6 9l-3.4 1.9.8-3.8L.6 4.5l3.8-.4Z",
)


@dataclass(frozen=True)
class Ink:
    """What things are drawn with; values are colours, or CSS variables that hold them."""

    ink: str
    muted: str
    line: str
    background: str
    series: tuple[str, ...]


LIGHT = Ink("#16191c", "#555d65", "#e3e6e9", "#ffffff", SERIES_LIGHT)
DARK = Ink("#eceff1", "#a7b0b8", "#2a3035", "#0f1214", SERIES_DARK)
# For a page that follows the reader's theme.
THEMED = Ink(
    "var(--ink)",
    "var(--muted)",
    "var(--line)",
    "var(--background)",
    tuple(f"var(--series-{index})" for index in range(len(SERIES_LIGHT))),
)


def series_colour(ink: Ink, colour: int) -> str:
    """A framework's colour, by the index stored with it."""
    return ink.series[colour % len(ink.series)]


def marker_path(colour: int) -> str:
    """Its marker; a second round of hues is shifted so that no pair repeats."""
    return MARKERS[(colour + colour // len(SERIES_LIGHT)) % len(MARKERS)]
