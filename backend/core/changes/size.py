"""How large a change is, and whether the new level is worse; pure."""

from collections.abc import Sequence
from math import log

from backend.core.changes.lifecycle import STRONGEST_FIRST
from backend.core.models import Change
from backend.core.statuses import ChangeStatus
from backend.core.units import METRICS, Direction

# Changes that do not concern the service come after all others.
_SETTLED = frozenset({ChangeStatus.HOST_DRIFT, ChangeStatus.DISMISSED})


def is_regression(change: Change) -> bool:
    """Return whether the new level is worse than the old one."""
    return (change.ratio > 1) == (METRICS[change.metric].direction is Direction.LOWER)


def find_ratio(change: Change) -> float:
    """Return the ratio of the confirmation run, or else that of the history."""
    confirmed = change.confirmation_ratio
    return change.ratio if confirmed is None else confirmed


def order_by_size(changes: Sequence[Change]) -> list[Change]:
    """Return changes with the largest first; dismissed changes and host drift come last."""
    return sorted(changes, key=_rank)


def _rank(change: Change) -> tuple[int, float, str]:
    settled = STRONGEST_FIRST.index(change.status) if change.status in _SETTLED else 0
    return settled, -abs(log(find_ratio(change))), str(change.id)
