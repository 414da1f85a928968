"""Which stored items stay and which are removed; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from backend.core.numbers import count_of
from worker.cleanup.shortages import DiskShortage
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
    items: Sequence[StoredItem],
    needs: Mapping[str, str],
    limits: KeepLimits,
    now: datetime,
    shortages: Sequence[DiskShortage] = (),
) -> list[CleanupDecision]:
    """Return a decision for each item, the least recently used first.

    Args:
        needs: why items are needed, by `name` or `build_name`.
        shortages: disks that lack space. They are a further limit.
    """
    left_bytes = sum(item.size_bytes for item in items)
    missing_bytes = [shortage.missing_bytes for shortage in shortages]
    decisions = []
    for item in sorted(items, key=lambda item: item.used_at):
        disks = [index for index, shortage in enumerate(shortages) if shortage.holds(item)]
        is_short = any(missing_bytes[disk] > 0 for disk in disks)
        decision = _decide(item, needs, limits, left_bytes, now, is_short=is_short)
        decisions.append(decision)
        if decision.is_removed:
            left_bytes -= item.size_bytes
            for disk in disks:
                missing_bytes[disk] -= item.size_bytes
    return decisions


def _decide(
    item: StoredItem,
    needs: Mapping[str, str],
    limits: KeepLimits,
    left_bytes: int,
    now: datetime,
    *,
    is_short: bool,
) -> CleanupDecision:
    needed = item.needed_because or needs.get(item.name) or needs.get(item.build_name)
    if needed:
        return CleanupDecision(item, False, needed)
    unused = now - item.used_at
    if unused < _RECENT:
        return CleanupDecision(item, False, "used in the last day")
    if limits.days and unused > timedelta(days=limits.days):
        days = count_of(unused.days, "day")
        return CleanupDecision(item, True, f"not used for {days} (TACHO_KEEP_DAYS)")
    if limits.gib and left_bytes > limits.gib * _GIB:
        return CleanupDecision(item, True, f"more than {limits.gib} GiB are stored (TACHO_KEEP_GB)")
    if is_short:
        return CleanupDecision(item, True, "its disk lacks free space (TACHO_HOST_FREE_MB)")
    return CleanupDecision(item, False, "within the limits")
