"""Intervals of results, for tests."""

from typing import Protocol


class _Found(Protocol):
    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


def interval_of(found: _Found) -> tuple[float, float]:
    """Return the bounds of an interval, which must exist."""
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high
