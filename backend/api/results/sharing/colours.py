"""Colours and markers of drawn pictures.

They are those of the web UI (`frontend/src/lib/tokens.ts`, `components/Marker.tsx`). A test
compares them.
"""

INK = "#16191c"
MUTED = "#555d65"
BACKGROUND = "#ffffff"
SERIES = (
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
# Each in a box of 12 × 12.
MARKERS = (
    "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9Z",
    "M6 1.2 11 10.4H1Z",
    "M2 2h8v8H2Z",
    "M6 .8 11.2 6 6 11.2.8 6Z",
    "M4.2 1.2h3.6v3h3v3.6h-3v3H4.2v-3h-3V4.2h3Z",
    "M6 .6l1.6 3.5 3.8.4-2.8 2.6.8 3.8L6 9l-3.4 1.9.8-3.8L.6 4.5l3.8-.4Z",
)


def series_colour(colour: int) -> str:
    """Return the colour of a framework by the index stored with it."""
    return SERIES[colour % len(SERIES)]


def marker_path(colour: int) -> str:
    """Return the marker of a framework. Each round of colours shifts it, so no pair repeats."""
    return MARKERS[(colour + colour // len(SERIES)) % len(MARKERS)]
