"""Choose the colours of frameworks; pure.

The index of a framework encodes a hue and a marker, and is the same on all pages and in all
exports. Twelve hues are too few for all frameworks, so those that are seldom compared share one.
`frontend/src/lib/tokens.ts` defines the hues.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

HUES, MARKERS = 12, 6
# Pairs of hues that people confuse (frontend/src/lib/near-hues.json, which a test compares).
_NEAR = frozenset({(3, 6), (4, 10), (5, 11)})
# One per language and style of concurrency: people compare them most.
WELL_KNOWN = (
    "node",
    "go-nethttp",
    "axum",
    "fastapi",
    "sinatra",
    "ktor-netty",
    "spring-mvc",
    "spring-webflux",
    "vertx",
)
_POPULAR = ("spring-mvc", "node", "quarkus-rest", "express", *WELL_KNOWN)
# Frameworks of one study are compared more often than those that share all scenarios.
_STUDY_WEIGHT = 100


@dataclass(frozen=True)
class Comparable:
    """A framework with its scenarios and studies, which decide how often it is compared."""

    slug: str
    scenarios: frozenset[str]
    studies: frozenset[str]


def hue_of(colour: int) -> int:
    return colour % HUES


def marker_of(colour: int) -> int:
    """Return the index of the marker. Each round of hues shifts it, so 72 pairs are distinct."""
    return (colour + colour // HUES) % MARKERS


def choose_colours(
    new: Iterable[Comparable], known: Collection[tuple[Comparable, int]]
) -> dict[str, int]:
    """Return the colour of each new framework by its slug.

    Each gets the colour whose hue is confused least with those of the frameworks that it is often
    compared with. Those that are compared most choose first.

    Args:
        known: frameworks that have a colour, which they keep.
    """
    taken = list(known)
    for framework in sorted(new, key=_by_comparisons):
        taken.append((framework, _choose(framework, taken)))
    return {framework.slug: colour for framework, colour in taken[len(known) :]}


def _by_comparisons(framework: Comparable) -> tuple[int, int, int, str]:
    slug = framework.slug
    place = _POPULAR.index(slug) if slug in _POPULAR else len(_POPULAR)
    return place, -len(framework.studies), -len(framework.scenarios), slug


def _choose(framework: Comparable, taken: Collection[tuple[Comparable, int]]) -> int:
    confusion = [0] * HUES
    for other, colour in taken:
        often = _count_comparisons(framework, other)
        for hue in range(HUES):
            # The same hue is worse than a hue that only some people confuse with it.
            confusion[hue] += often * (is_confused(hue, hue_of(colour)) + (hue == hue_of(colour)))
    used = {colour for _, colour in taken}
    every = range(HUES * MARKERS)
    free = [colour for colour in every if colour not in used]
    return min(free or every, key=lambda colour: (confusion[hue_of(colour)], colour))


def _count_comparisons(one: Comparable, other: Comparable) -> int:
    are_popular = one.slug in _POPULAR and other.slug in _POPULAR
    together = len(one.studies & other.studies) + are_popular
    return _STUDY_WEIGHT * together + len(one.scenarios & other.scenarios)


def is_confused(one: int, other: int) -> bool:
    """Return whether two hues are the same, or people confuse them."""
    return one == other or (min(one, other), max(one, other)) in _NEAR
