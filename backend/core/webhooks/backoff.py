"""Pauses between attempts of a delivery: exponential backoff with jitter."""

from datetime import timedelta

_FIRST = timedelta(seconds=15)
_FACTOR = 4
_LONGEST = timedelta(hours=12)
# Without jitter, deliveries that failed together would be repeated together.
_JITTER = 0.2
MAX_ATTEMPTS = 8


def pause_after(attempts: int, chance: float) -> timedelta | None:
    """Return the pause before the next attempt; None if no attempt is left.

    15 s, 1 min, 4 min, 16 min, 64 min, 4.3 h, 12 h, each ± 20 %: eight attempts in some 17 hours.

    Args:
        attempts: number of attempts so far, at least 1.
        chance: a random number, uniform in [0, 1).
    """
    if attempts >= MAX_ATTEMPTS:
        return None
    plain = min(_FIRST * float(_FACTOR ** (attempts - 1)), _LONGEST)
    return plain * (1 + _JITTER * (2 * chance - 1))
