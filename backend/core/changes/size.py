"""How large a change is, and whether the new level is worse; pure."""

from collections.abc import Sequence
from math import log

from backend.core.changes.lifecycle import STRONGEST_FIRST
from backend.core.models import Change
from backend.core.units import METRICS, Direction


def is_regression(change: Change) -> bool:
    """Return whether the new level is worse than the old one."""
    return (change.ratio > 1) == (METRICS[change.metric].direction is Direction.LOWER)


def find_ratio(change: Change) -> float:
    """Return the ratio of the confirmation run, or else that of the history."""
    confirmed = change.confirmation_ratio
    return change.ratio if confirmed is None else confirmed


def order_by_size(changes: Sequence[Change]) -> list[Change]:
    """Return changes with the status of their incident first, each the largest first."""
    return sorted(changes, key=_rank)


def order_regressions_first(leads: Sequence[Change]) -> list[Change]:
    """Return the largest changes of incidents: regressions first, each the largest first."""
    return sorted(leads, key=lambda lead: (not is_regression(lead), -_find_size(lead)))


def _rank(change: Change) -> tuple[int, float, str]:
    return STRONGEST_FIRST.index(change.status), -_find_size(change), str(change.id)


def _find_size(change: Change) -> float:
    return abs(log(find_ratio(change)))
