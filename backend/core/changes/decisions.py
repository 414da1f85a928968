"""Decisions of users about single changes and about whole incidents."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.changes.announcement import announce_confirmed
from backend.core.changes.confirmation import REASON_LENGTH, begin_confirmation, settle
from backend.core.changes.incidents import repository as incidents
from backend.core.changes.lifecycle import OPEN, check_transition, is_allowed
from backend.core.errors import Conflict
from backend.core.models import Change
from backend.core.statuses import ChangeStatus

_PAIRS_BY_HAND = 20


def decide(
    session: Session,
    change: Change,
    status: ChangeStatus | None,
    note: str | None,
    pairs: int | None = None,
    *,
    is_acknowledged: bool | None = None,
) -> None:
    """Apply a user's decision to a locked change: a status, a note, an acknowledgement, or all.

    Raises:
        Conflict: the status is not allowed, the change cannot be tested, or it is not confirmed
            and cannot be acknowledged. The detail explains it.
    """
    if note is not None:
        change.note = note or None
    if status is not None:
        check_transition(change.status, status)
        _apply(session, [change], status, pairs)
    if is_acknowledged is not None:
        _acknowledge([change], is_acknowledged=is_acknowledged)
    session.flush()


def decide_incident(
    session: Session,
    workspace_id: UUID,
    incident_id: UUID,
    shown: Collection[UUID],
    status: ChangeStatus | None,
    note: str | None,
    pairs: int | None = None,
    *,
    is_acknowledged: bool | None = None,
) -> None:
    """Apply a user's decision to an incident.

    A status applies to its undecided changes, or to all changes if none is undecided.

    Args:
        shown: the ids of the changes that the user sees. Others stay as they are.

    Raises:
        NotFound: there is no such incident.
        Conflict: as `decide`, if the decision applies to no change.
    """
    # All code locks changes before their incident.
    locked = incidents.lock_changes(session, incident_id)
    changes = [change for change in locked if change.id in shown]
    incident = incidents.lock(session, workspace_id, incident_id)
    if note is not None:
        incident.note = note or None
    if status is not None:
        _apply(session, _choose(changes, status), status, pairs)
    if is_acknowledged is not None:
        _acknowledge(changes, is_acknowledged=is_acknowledged)
    session.flush()


def _choose(changes: Sequence[Change], status: ChangeStatus) -> list[Change]:
    able = [change for change in changes if is_allowed(change.status, status)]
    if not able:
        check_transition(changes[0].status, status)
    undecided = [change for change in able if change.status in OPEN]
    return undecided or able


def _apply(
    session: Session, changes: Sequence[Change], status: ChangeStatus, pairs: int | None
) -> None:
    """Set the status of changes that may have it."""
    if status is ChangeStatus.TESTING:
        _test(session, changes, pairs or _PAIRS_BY_HAND)
    else:
        for change in changes:
            _settle_by_hand(change, status)
    session.flush()
    announce_confirmed(session, changes)
    for workspace_id, incident_id in {
        (change.workspace_id, change.incident_id) for change in changes
    }:
        if not incidents.has_confirmed(session, incident_id):
            # A later confirmation is news again.
            incidents.lock(session, workspace_id, incident_id).announced_at = None


def _test(session: Session, changes: Sequence[Change], pairs: int) -> None:
    """Queue one confirmation run for each pair of cells that the changes compare."""
    groups: dict[tuple[UUID, UUID], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.before_cell_id, change.after_cell_id), []).append(change)
    for group in groups.values():
        begin_confirmation(session, group, pairs, may_share=False)
    if all(change.status != ChangeStatus.TESTING for change in changes):
        raise Conflict(changes[0].reason)


def _settle_by_hand(change: Change, status: ChangeStatus) -> None:
    current = change.status
    decision = "Reopened" if status in OPEN else status.words.capitalize()
    reason = f"{decision} by hand; it was {current.words}. {change.reason}"
    settle(change, status, reason[:REASON_LENGTH])
    change.is_by_hand = status not in OPEN
    if status is not ChangeStatus.HOST_DRIFT:
        change.host_event_id = None


def _acknowledge(changes: Sequence[Change], *, is_acknowledged: bool) -> None:
    confirmed = [change for change in changes if change.status == ChangeStatus.CONFIRMED]
    if not confirmed:
        raise Conflict("Only confirmed changes can be acknowledged. Confirm or dismiss it first.")
    for change in confirmed:
        change.acknowledged_at = func.now() if is_acknowledged else None
