"""Choose the colours of frameworks that are shown together; pure.

The stored index of a framework encodes a hue and a marker. Twelve hues are too few for all
frameworks, so some frameworks have the same hue. `backend/core/catalog/service.py` assigns the
indexes, and `frontend/src/lib/tokens.ts` defines the hues.
"""

from collections.abc import Collection
from functools import lru_cache

HUES, MARKERS = 12, 6
# Pairs of hues that people confuse (frontend/src/lib/near-hues.json, which a test compares).
_NEAR = frozenset({(3, 6), (4, 10), (5, 11)})


def hue_of(colour: int) -> int:
    return colour % HUES


def marker_of(colour: int) -> int:
    """Return the index of the marker. Each round of hues shifts it, so 72 pairs are distinct."""
    return (colour + colour // HUES) % MARKERS


def distinguish_colours(stored: Collection[int]) -> dict[int, int]:
    """Return the colour in which to show each of these stored colours together.

    A framework keeps its marker. It keeps its hue unless a framework with a lower index has the
    same hue, or a hue that people confuse with it. Then it takes the next free hue. The order of
    `stored` has no effect. Of more than 12 frameworks, all keep their hues: hues repeat, but
    pairs of hue and marker do not.
    """
    return dict(_distinguish(frozenset(stored)))


@lru_cache(maxsize=1024)
def _distinguish(stored: frozenset[int]) -> dict[int, int]:
    if len(stored) > HUES:
        return {colour: colour for colour in stored}
    hues: dict[int, int] = {}
    for colour in sorted(stored):
        if not _is_confused(hue_of(colour), hues.values()):
            hues[colour] = hue_of(colour)
    for colour in sorted(stored - hues.keys()):
        hues[colour] = _find_hue(hue_of(colour), set(hues.values()))
    return {colour: _with_hue(colour, hues[colour]) for colour in stored}


def _find_hue(own: int, taken: set[int]) -> int:
    """Return the next hue that is not confused with those taken, or is at least free."""
    ring = [(own + step) % HUES for step in range(HUES)]
    clear = [hue for hue in ring if not _is_confused(hue, taken)]
    free = [hue for hue in ring if hue not in taken]
    return (clear or free)[0]


def _is_confused(hue: int, others: Collection[int]) -> bool:
    return any(hue == other or (min(hue, other), max(hue, other)) in _NEAR for other in others)


def _with_hue(colour: int, hue: int) -> int:
    """Return the colour with another hue and the same marker."""
    return (marker_of(colour) - hue) % MARKERS * HUES + hue
