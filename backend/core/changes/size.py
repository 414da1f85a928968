"""How large a change is, and whether the new level is worse; pure."""

from collections.abc import Sequence
from math import log
from typing import NamedTuple, Protocol, TypeVar
from uuid import UUID

from backend.core.changes.lifecycle import STRONGEST_FIRST
from backend.core.statuses import ChangeStatus
from backend.core.units import METRICS, Direction, Metric


class Shift(Protocol):
    """The values that decide how large a change is."""

    @property
    def id(self) -> UUID: ...
    @property
    def status(self) -> ChangeStatus: ...
    @property
    def metric(self) -> Metric: ...
    @property
    def ratio(self) -> float: ...
    @property
    def confirmation_ratio(self) -> float | None: ...


class ShiftColumns(NamedTuple):
    """The columns of a change that decide how large it is."""

    id: UUID
    status: ChangeStatus
    metric: Metric
    ratio: float
    confirmation_ratio: float | None


AnyShift = TypeVar("AnyShift", bound=Shift)


def is_regression(change: Shift) -> bool:
    """Return whether the new level is worse than the old one."""
    return (change.ratio > 1) == (METRICS[change.metric].direction is Direction.LOWER)


def find_ratio(change: Shift) -> float:
    """Return the ratio of the confirmation run, or else that of the history."""
    confirmed = change.confirmation_ratio
    return change.ratio if confirmed is None else confirmed


def order_by_size(changes: Sequence[AnyShift]) -> list[AnyShift]:
    """Return changes with the status of their incident first, each the largest first."""
    return sorted(changes, key=_rank)


def order_regressions_first(leads: Sequence[AnyShift]) -> list[AnyShift]:
    """Return the largest changes of incidents: regressions first, each the largest first."""
    return sorted(leads, key=lambda lead: (not is_regression(lead), -_find_size(lead)))


def _rank(change: Shift) -> tuple[int, float, str]:
    return STRONGEST_FIRST.index(change.status), -_find_size(change), str(change.id)


def _find_size(change: Shift) -> float:
    return abs(log(find_ratio(change)))
