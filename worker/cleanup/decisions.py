"""Which stored items stay and which are removed; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from worker.runtime.stored import StoredItem

_GIB = 1024**3
# Longer than any build and any verification of a service, which may be using the item.
_RECENT = timedelta(days=1)


@dataclass(frozen=True)
class KeepLimits:
    """How long and how much is kept; 0 for no limit."""

    days: int
    gib: int


@dataclass(frozen=True)
class CleanupDecision:
    """Whether an item is removed, and why it is removed or kept."""

    item: StoredItem
    is_removed: bool
    reason: str


def decide(
    items: Sequence[StoredItem], needs: Mapping[str, str], limits: KeepLimits, now: datetime
) -> list[CleanupDecision]:
    """Return a decision for each item, the least recently used first.

    Args:
        needs: why items are needed, by `name` or `build_name`.
    """
    left_bytes = sum(item.size_bytes for item in items)
    decisions = []
    for item in sorted(items, key=lambda item: item.used_at):
        decision = _decide(item, needs, limits, left_bytes, now)
        decisions.append(decision)
        if decision.is_removed:
            left_bytes -= item.size_bytes
    return decisions


def _decide(
    item: StoredItem, needs: Mapping[str, str], limits: KeepLimits, left_bytes: int, now: datetime
) -> CleanupDecision:
    needed = item.needed_because or needs.get(item.name) or needs.get(item.build_name)
    if needed:
        return CleanupDecision(item, False, needed)
    unused = now - item.used_at
    if unused < _RECENT:
        return CleanupDecision(item, False, "used in the last day")
    if limits.days and unused > timedelta(days=limits.days):
        return CleanupDecision(item, True, f"not used for {unused.days} days (TACHO_KEEP_DAYS)")
    if limits.gib and left_bytes > limits.gib * _GIB:
        return CleanupDecision(item, True, f"more than {limits.gib} GiB are stored (TACHO_KEEP_GB)")
    return CleanupDecision(item, False, "within the limits")
